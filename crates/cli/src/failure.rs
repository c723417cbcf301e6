//! Why a command could not do what was asked, in the one form in which people and programs are told.

use std::io;
use std::process::ExitCode;

use execute_python_engine::protocol::LimitError;
use execute_python_engine::{self as engine, Kind};
use execute_python_server as server;

use crate::terminal::inline;
use crate::{artifacts, inputs, limits, notebook, settings, source};

/// The exit code for wrong usage.
const USAGE: u8 = 2;
/// The exit code for a run that was stopped.
pub(crate) const STOPPED: u8 = 4;
/// The exit code for a failure of ours.
pub(crate) const OURS: u8 = 125;

/// Why a command could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] settings::Error),
    /// There is no code that could be run.
    #[error(transparent)]
    Source(#[from] source::Error),
    /// It is no notebook that could be run.
    #[error(transparent)]
    Notebook(#[from] notebook::Error),
    /// What the program is to read cannot be given to it.
    #[error(transparent)]
    Inputs(#[from] inputs::Error),
    /// What the program makes cannot be put where it should go.
    #[error(transparent)]
    Artifacts(#[from] artifacts::Error),
    /// A limit cannot be given.
    #[error("{}", limits::message(.0))]
    Limit(LimitError),
    /// There is no environment of this name.
    #[error("there is no environment `{name}`")]
    UnknownEnvironment {
        /// As given.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The engine could not.
    #[error(transparent)]
    Engine(engine::Error),
    /// There is no key of this id or name that could be revoked.
    #[error("there is no key `{named}` that is not revoked")]
    UnknownKey {
        /// As given.
        named: String,
    },
    /// There is no record of this run.
    #[error("there is no record of `{id}`")]
    UnknownRun {
        /// As given.
        id: String,
    },
    /// The service could not.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// Our standard output does not take what is to be printed.
    #[error("cannot write to standard output")]
    Print(#[source] io::Error),
    /// Nobody reads our standard output any more.
    #[error("standard output is closed")]
    Closed,
    /// A system call of our own failed.
    #[error("cannot {doing}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The Python package is in no interpreter that we know.
    #[error("the Python package `execute-python` is not installed")]
    NoPackage,
    /// The engine said nothing more before the outcome came.
    #[error("the run ended without an outcome")]
    NoOutcome,
    /// We were told to end before there was an outcome.
    #[error("interrupted before it was done")]
    Interrupted,
}

// Not a source, which would be told behind the message: it says the same without units.
impl From<LimitError> for Failure {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

impl From<engine::Error> for Failure {
    fn from(error: engine::Error) -> Self {
        match error {
            // The engine has no units; the command line has.
            engine::Error::Limit(error) => Self::Limit(error),
            error => Self::Engine(error),
        }
    }
}

impl From<server::DbError> for Failure {
    fn from(error: server::DbError) -> Self {
        Self::Server(error.into())
    }
}

impl Failure {
    /// Takes an error of writing to our standard output.
    pub(crate) fn print(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Print(error),
        }
    }

    /// One line: what could not be done, and why.
    pub(crate) fn message(&self) -> String {
        told(self)
    }

    /// Whose failure it is.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Failure::NoPackage
            | Failure::UnknownEnvironment { .. }
            | Failure::UnknownKey { .. }
            | Failure::UnknownRun { .. } => "missing",
            Failure::Print(_) | Failure::Closed | Failure::System { .. } | Failure::Server(_) => {
                "host"
            }
            Failure::NoOutcome => "bug",
            Failure::Engine(error) => match error.kind() {
                Kind::Request => "request",
                Kind::Auth => "auth",
                Kind::Missing => "missing",
                Kind::Busy => "busy",
                Kind::Host => "host",
                Kind::Bug => "bug",
            },
            _ => "request",
        }
    }

    /// A word for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Failure::Settings(_) => "settings_not_usable",
            Failure::Source(_) => "code_not_runnable",
            Failure::Notebook(_) => "notebook_not_usable",
            Failure::Inputs(_) => "input_file_not_placeable",
            Failure::Artifacts(_) => "out_not_usable",
            Failure::Limit(LimitError::AboveCeiling { .. }) => "limit_above_ceiling",
            Failure::Limit(LimitError::TooSmall { .. }) => "limit_too_small",
            Failure::UnknownEnvironment { .. } => "environment_unknown",
            Failure::UnknownKey { .. } => "key_unknown",
            Failure::UnknownRun { .. } => "run_unknown",
            Failure::Engine(error) => error.code(),
            Failure::Server(error) => error.code(),
            Failure::Print(_) | Failure::Closed => "output_not_writable",
            Failure::System { .. } => "system_call_failed",
            Failure::NoPackage => "package_missing",
            Failure::NoOutcome => "outcome_missing",
            Failure::Interrupted => "interrupted",
        }
    }

    /// What to do about it, if anything.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Failure::Settings(error) => error.hint(),
            Failure::Source(error) => Some(error.hint().into()),
            Failure::Notebook(error) => Some(error.hint().into()),
            Failure::Inputs(error) => Some(error.hint()),
            Failure::Artifacts(error) => Some(error.hint().into()),
            Failure::Limit(error) => Some(limits::hint(error)),
            Failure::UnknownEnvironment { known, .. } => {
                Some(format!("there are: {}", known.join(", ")))
            }
            Failure::Engine(error) => error.hint(),
            Failure::Server(error) => error.hint(),
            Failure::NoPackage => Some("pip install 'execute-python[jupyter]'".into()),
            Failure::UnknownKey { .. } => Some("`execute-python keys list` shows all".into()),
            _ => None,
        }
    }

    /// What the process ends with; the kind alone decides, as it does over HTTP.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Interrupted | Failure::Closed => return STOPPED.into(),
            _ => {}
        }
        match self.kind() {
            "request" | "auth" | "missing" => USAGE.into(),
            _ => OURS.into(),
        }
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "error": {
                "kind": self.kind(),
                "code": self.code(),
                "message": self.message(),
                "hint": self.hint(),
            }
        })
    }
}

/// An error and what is behind it, in one line.
pub(crate) fn told(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told.push_str(": ");
        told.push_str(&error.downcast_ref().map_or_else(|| error.to_string(), reason));
        cause = error.source();
    }
    inline(&told)
}

/// The kernel's answer in our style: lower case, without its number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
