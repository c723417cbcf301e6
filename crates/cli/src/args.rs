//! The command line as typed. What it means together with the settings is in `settings` and
//! `request`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use execute_python_engine::protocol::{self, LimitsRequest};

use crate::units::{parse_duration, parse_size};

/// Runs Python that nobody has read, in a sandbox on this machine, and gives everything back.
#[derive(Debug, Parser)]
#[command(name = "execute-python", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct Shared {
    /// The settings file, in place of the user's own and the folder's
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The interpreter to build environments from; else the best that is found
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) python: Option<PathBuf>,
    /// Where environments are kept; else the user's cache
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache_dir: Option<PathBuf>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs code in the sandbox
    Run(Box<Run>),
    /// Lists, shows, builds and removes environments
    #[command(subcommand)]
    Env(Env),
    /// Serves the engine over HTTP
    Serve(Serve),
    /// Says what this machine has of what the sandbox needs
    Doctor(Doctor),
}

/// `execute-python run`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The file name that tracebacks show; else the script's own, or main.py
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Puts a file into the work folder, by its own name or as NAME; may be repeated
    #[arg(long = "file", value_name = "[NAME=]PATH")]
    pub(crate) inputs: Vec<OsString>,
    /// What the program reads from its standard input: a text, @file, or @- for our own
    #[arg(long, value_name = "TEXT|@FILE", allow_hyphen_values = true)]
    pub(crate) stdin: Option<String>,
    /// Where files and pictures of the run go; else `./execute-python-out/<run id>`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Prints the outcome as JSON, and nothing else, to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// The environment: base, data or one of the settings; else chosen from the imports
    #[arg(long, value_name = "NAME")]
    pub(crate) env: Option<String>,
    /// What is done about forbidden attempts: standard, strict or lenient
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    pub(crate) policy: Policy,
    /// Gives up a wall that this machine does not have: cgroup or landlock; may be repeated
    #[arg(long, value_name = "LAYER", value_enum, hide_possible_values = true)]
    pub(crate) waive: Vec<Waiver>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// Where the code comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Source {
    /// The script; `-` reads it from standard input
    pub(crate) script: Option<PathBuf>,
    /// The code itself
    #[arg(short, value_name = "CODE", allow_hyphen_values = true)]
    pub(crate) code: Option<String>,
}

impl Source {
    /// Whether the code is what our own standard input says.
    pub(crate) fn is_stdin(&self) -> bool {
        self.script.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }
}

const EXIT_CODES: &str = "\
Exit codes: 0 ok, the program's own if it exited, 1 exception, 2 wrong usage, 3 rejected by the
check, 4 stopped (limit, violation, crash, cancelled), 125 failure of execute-python itself.";

/// The limits of a run.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Time on the clock, such as 5s
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    wall_time: Option<u64>,
    /// Processor time of all threads together, such as 5s
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    cpu_time: Option<u64>,
    /// Memory, such as 256MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Threads at one time
    #[arg(long, value_name = "COUNT")]
    threads: Option<u64>,
    /// Bytes of all files together, such as 64MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    disk: Option<u64>,
    /// Files and folders at one time
    #[arg(long, value_name = "COUNT")]
    files: Option<u64>,
    /// Bytes kept of each of stdout and stderr, such as 1MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    output: Option<u64>,
}

impl From<Limits> for LimitsRequest {
    fn from(limits: Limits) -> Self {
        Self {
            wall_time_ms: limits.wall_time,
            cpu_time_ms: limits.cpu_time,
            memory_bytes: limits.memory,
            threads: limits.threads,
            disk_bytes: limits.disk,
            files: limits.files,
            output_bytes: limits.output,
        }
    }
}

/// The words of [`protocol::Policy`] as the command line takes them.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Policy {
    /// Interrupts processes and privileges, denies network and files
    #[default]
    Standard,
    /// Interrupts everything forbidden
    Strict,
    /// Denies everything forbidden; the program goes on with an exception
    Lenient,
}

impl From<Policy> for protocol::Policy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Standard => Self::Standard,
            Policy::Strict => Self::Strict,
            Policy::Lenient => Self::Lenient,
        }
    }
}

/// The words of [`protocol::Waiver`] as the command line takes them.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Waiver {
    /// Memory and threads are then held by resource limits alone
    Cgroup,
    /// Files are then held by the mounts alone
    Landlock,
}

impl From<Waiver> for protocol::Waiver {
    fn from(waiver: Waiver) -> Self {
        match waiver {
            Waiver::Cgroup => Self::Cgroup,
            Waiver::Landlock => Self::Landlock,
        }
    }
}

/// `execute-python env`.
#[derive(Debug, Subcommand)]
pub(crate) enum Env {
    /// Lists all environments, built or not
    List {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Shows one environment and its packages
    Show {
        /// Its name
        name: String,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Builds an environment, if it is not there yet
    Build {
        /// Its name
        name: String,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Removes what was built of an environment
    Remove {
        /// Its name
        name: String,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
}

/// `execute-python serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The address; others than the loopback's need keys. Else that of the settings, or 127.0.0.1:8000
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Where files, artifacts and records are kept; else the user's state folder
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// `execute-python doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn code_may_begin_with_a_hyphen() {
        let cli = Cli::try_parse_from(["execute-python", "run", "-c", "-1"]).unwrap();
        let Command::Run(run) = cli.command else { panic!("not a run") };
        assert_eq!(run.source.code.as_deref(), Some("-1"));
    }
}
