//! What can go wrong that is not the guest's doing.

use std::io;
use std::path::PathBuf;

use execute_python_protocol::LimitError;
use execute_python_sandbox::cgroup::GroupError;

/// Whose failure it is; it alone decides exit codes and HTTP statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The request cannot be carried out as it is.
    Request,
    /// The caller may not do this.
    Auth,
    /// What the request names does not exist.
    Missing,
    /// Too much is going on; later it may work.
    Busy,
    /// This machine lacks something or refused something.
    Host,
    /// We are wrong.
    Bug,
}

/// Why a run could not be made. What the guest did is never one: it is in the outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit cannot be given.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The code cannot be run as it is.
    #[error("the code {0}")]
    Code(String),
    /// An input file cannot be placed.
    #[error("the input file `{path}` {reason}")]
    InputFile {
        /// Its path as given.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no environment of this name.
    #[error("there is no environment `{name}`")]
    UnknownEnvironment {
        /// The name as given.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The environment could not be provisioned or opened.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The zygote of an environment did not come up.
    #[error("the interpreter of environment `{environment}` did not start: {reason}")]
    Zygote {
        /// The environment.
        environment: String,
        /// What it said.
        reason: String,
    },
    /// A worker could not be made or enclosed.
    #[error("a worker of environment `{environment}` could not be enclosed: {reason}")]
    Worker {
        /// The environment.
        environment: String,
        /// What it said, or the kernel.
        reason: String,
    },
    /// Every place for a worker is taken.
    #[error("all {0} places for workers are taken")]
    Full(u32),
    /// There is no session of this id, or no longer.
    #[error("there is no session `{id}`: it was closed, or ended by its idle time-out")]
    UnknownSession {
        /// The id as given.
        id: String,
    },
    /// The session has no checkpoint of this id or name.
    #[error("the session has no checkpoint `{name}`")]
    UnknownCheckpoint {
        /// The id or name as given.
        name: String,
        /// The ids of those that there are.
        known: Vec<String>,
    },
    /// There is no such file in the work folder.
    #[error("there is no file `{path}` in the work folder")]
    UnknownFile {
        /// The path as given.
        path: String,
    },
    /// The caller has as many sessions as it may have.
    #[error("there are {0} sessions already, as many as there may be")]
    TooManySessions(usize),
    /// A run of the session goes on and the caller did not want to wait.
    #[error("a run of the session goes on")]
    SessionBusy,
    /// What is asked of a session cannot be done.
    #[error("the session cannot {doing}: {reason}")]
    Session {
        /// What was asked.
        doing: &'static str,
        /// Why not.
        reason: String,
    },
    /// A function of the caller cannot be offered to the program.
    #[error("the tool `{name}` {reason}")]
    Tool {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Control groups cannot be used.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// A file of the host could not be used.
    #[error("cannot use `{path}`")]
    Path {
        /// The file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A system call of the engine's own failed.
    #[error("cannot {doing}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
}

/// What the environments can fail with.
pub type EnvironmentError = crate::environment::Error;

impl Error {
    /// Whose failure it is.
    pub fn kind(&self) -> Kind {
        match self {
            Error::Limit(_)
            | Error::Code(_)
            | Error::InputFile { .. }
            | Error::Tool { .. }
            | Error::Session { .. } => Kind::Request,
            Error::UnknownEnvironment { .. }
            | Error::UnknownSession { .. }
            | Error::UnknownCheckpoint { .. }
            | Error::UnknownFile { .. } => Kind::Missing,
            Error::Full(_) | Error::TooManySessions(_) | Error::SessionBusy => Kind::Busy,
            Error::Environment(_)
            | Error::Zygote { .. }
            | Error::Worker { .. }
            | Error::Group(_)
            | Error::Path { .. }
            | Error::System { .. } => Kind::Host,
        }
    }

    /// A word for programs; it never changes meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Limit(LimitError::AboveCeiling { .. }) => "limit_above_ceiling",
            Error::Limit(LimitError::TooSmall { .. }) => "limit_too_small",
            Error::Code(_) => "code_not_runnable",
            Error::InputFile { .. } => "input_file_not_placeable",
            Error::UnknownEnvironment { .. } => "environment_unknown",
            Error::Environment(_) => "environment_not_available",
            Error::Zygote { .. } => "interpreter_did_not_start",
            Error::Worker { .. } => "sandbox_not_available",
            Error::Full(_) => "workers_all_taken",
            Error::UnknownSession { .. } => "session_unknown",
            Error::UnknownCheckpoint { .. } => "checkpoint_unknown",
            Error::UnknownFile { .. } => "file_unknown",
            Error::TooManySessions(_) => "sessions_all_taken",
            Error::SessionBusy => "session_busy",
            Error::Session { .. } => "session_cannot",
            Error::Tool { .. } => "tool_not_usable",
            Error::Group(_) => "cgroup_not_available",
            Error::Path { .. } => "path_not_usable",
            Error::System { .. } => "system_call_failed",
        }
    }

    /// What to do about it, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::UnknownEnvironment { known, .. } | Error::UnknownCheckpoint { known, .. } => {
                Some(format!("there are: {}", known.join(", ")))
            }
            Error::TooManySessions(_) => Some("close one that is no longer needed".into()),
            Error::SessionBusy => Some("wait for its outcome, or interrupt it".into()),
            Error::Limit(LimitError::AboveCeiling { name, .. }) => {
                Some(format!("ask for less, or raise `ceiling.{name}` in the settings"))
            }
            Error::Environment(error) => error.hint().map(Into::into),
            Error::Group(error) => Some(error.hint().into()),
            Error::Zygote { .. } | Error::Worker { .. } => {
                Some("`execute-python doctor` says what this machine lacks".into())
            }
            _ => None,
        }
    }
}
