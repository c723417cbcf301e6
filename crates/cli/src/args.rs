//! The command line as typed. What it means together with the settings is in `settings` and
//! `request`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use execute_python_engine::protocol::{self, LimitsRequest};
use execute_python_server as server;

use crate::settings::Settings;
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
    /// Serves the engine to an MCP client, such as Claude or Cursor
    Mcp(Mcp),
    /// Serves the engine over HTTP
    Serve(Serve),
    /// Makes, lists and revokes API keys of the service
    Keys(Keys),
    /// Lists, shows, exports and verifies the records of the service
    Runs(Runs),
    /// Installs and runs the Jupyter kernel of the Python package
    #[command(disable_help_flag = true)]
    Kernel {
        /// What the kernel is told; `--help` names all
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Says what this machine has of what the sandbox needs
    Doctor(Doctor),
}

/// `execute-python mcp`.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Writes this program into the configuration of a client, and shows what it wrote
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub(crate) install: Option<McpClient>,
    /// Removes it from there
    #[arg(long, value_enum, value_name = "CLIENT", conflicts_with = "install")]
    pub(crate) uninstall: Option<McpClient>,
}

/// A client whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpClient {
    /// Claude Desktop
    Claude,
    /// Claude Code
    ClaudeCode,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Windsurf
    Windsurf,
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
    /// Shows on standard error what the run uses while it goes on
    #[arg(long, conflicts_with = "json")]
    pub(crate) watch: bool,
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
    /// The script; `-` reads it from standard input; a notebook (.ipynb) gets its outputs written back
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

    /// Whether it is a notebook.
    pub(crate) fn is_notebook(&self) -> bool {
        let ending = self.script.as_ref().and_then(|path| path.extension());
        ending.is_some_and(|ending| ending == "ipynb")
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
    /// Serves the program that started it alone, on a free port, until that closes our standard input;
    /// prints address and key as JSON, and keeps nothing
    #[arg(long, conflicts_with_all = ["listen", "data_dir", "database"])]
    pub(crate) owned: bool,
    /// Prints the configuration that files, variables and flags make together, and ends
    #[arg(long)]
    pub(crate) print_config: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

/// Where the service keeps what it keeps.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Store {
    /// Where files, artifacts and records are kept; else the user's state folder
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// The database of the records, as sqlite:… or postgres://…; else a file in the data folder
    #[arg(long, global = true, value_name = "URL")]
    database: Option<String>,
}

impl Store {
    /// The configuration of the service with what is typed laid over it.
    pub(crate) fn config(&self, settings: Settings) -> execute_python_server::Config {
        let mut config = settings.server;
        config.data_dir = self.data_dir.clone().or(config.data_dir);
        config.database = self.database.clone().or(config.database);
        config
    }
}

/// `execute-python keys`.
#[derive(Debug, Args)]
pub(crate) struct Keys {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
    #[command(flatten)]
    pub(crate) store: Store,
}

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Makes a key and prints it, this once
    Create(CreateKey),
    /// Lists all keys, without the keys themselves
    List {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Revokes the keys with this id or name; a service that runs knows within seconds
    Revoke {
        /// Id or name
        key: String,
    },
}

/// `execute-python keys create`.
#[derive(Debug, Args)]
pub(crate) struct CreateKey {
    /// What you call it
    pub(crate) name: String,
    /// Whose runs, files and records it reaches
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = parse_tenant)]
    pub(crate) tenant: String,
    /// What it allows: run, records, environments, metrics; may be repeated; run and records unless given
    #[arg(long = "scope", value_name = "SCOPE", value_enum, hide_possible_values = true)]
    scopes: Vec<Scope>,
    /// How long it is good for, such as 90d; else until it is revoked
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) lifetime: Option<u64>,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl CreateKey {
    /// What the key is to allow.
    pub(crate) fn scopes(&self) -> Vec<server::Scope> {
        if self.scopes.is_empty() {
            return vec![server::Scope::Run, server::Scope::Records];
        }
        self.scopes.iter().map(|scope| (*scope).into()).collect()
    }
}

/// The words of [`server::Scope`] as the command line takes them.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Scope {
    /// To run code, with sessions, files and artifacts
    Run,
    /// To read the records of the tenant
    Records,
    /// To build environments
    Environments,
    /// To read the metrics of the whole service
    Metrics,
}

impl From<Scope> for server::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Run => Self::Run,
            Scope::Records => Self::Records,
            Scope::Environments => Self::Environments,
            Scope::Metrics => Self::Metrics,
        }
    }
}

/// A tenant's name is the name of a folder too.
fn parse_tenant(name: &str) -> Result<String, String> {
    if server::is_tenant(name) {
        return Ok(name.to_owned());
    }
    Err("say letters, digits, `-` and `_`, at most 64".into())
}

/// `execute-python runs`.
#[derive(Debug, Args)]
pub(crate) struct Runs {
    #[command(subcommand)]
    pub(crate) command: RunsCommand,
    #[command(flatten)]
    pub(crate) store: Store,
}

/// What to do with records.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Lists records, the newest first
    List(WhichRuns),
    /// Shows one record, with code and outcome where they are kept
    Show {
        /// The run, as run_…
        id: String,
    },
    /// Prints all records that are found, one JSON object a line
    Export(WhichRuns),
    /// Proves that the audit trail is whole
    Verify {
        /// A hash that an earlier look named as the last one: it has to be in the trail still
        #[arg(long, value_name = "HASH")]
        head: Option<String>,
    },
}

/// Which records.
#[derive(Debug, Args)]
pub(crate) struct WhichRuns {
    /// Those of this tenant
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
    /// Those that ended so, such as ok or timeout
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Those of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Those whose record has this text somewhere
    #[arg(long, value_name = "TEXT")]
    find: Option<String>,
    /// At most so many
    #[arg(long, value_name = "COUNT")]
    limit: Option<u32>,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl WhichRuns {
    /// The same for the records.
    pub(crate) fn filter(&self) -> server::Filter {
        server::Filter {
            limit: self.limit,
            before: None,
            status: self.status.clone(),
            session: self.session.clone(),
            q: self.find.clone(),
        }
    }
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
