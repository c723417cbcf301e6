//! What provisioning an environment can fail with.

use std::io;
use std::path::PathBuf;

/// Why an environment cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no interpreter that can be used.
    #[error("no CPython 3.9 to 3.14 was found on this machine")]
    NoPython,
    /// An interpreter that was named cannot be used.
    #[error("`{path}` is no CPython 3.9 to 3.14: {reason}")]
    Python {
        /// The path as given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The home folder of the user is not known, so there is no cache.
    #[error("there is no folder for the cache")]
    NoCache,
    /// A file or folder could not be read or written.
    #[error("cannot {doing} `{path}`")]
    Path {
        /// What was being done.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A program that provisioning needs could not be started.
    #[error("cannot start `{program}`")]
    Program {
        /// The program.
        program: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The packages could not be installed.
    #[error("cannot install the packages of environment `{environment}`: {reason}")]
    Packages {
        /// The environment.
        environment: String,
        /// The last line that the installer wrote.
        reason: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A shared object needs a library that is not there.
    #[error("`{object}` cannot be examined: {reason}")]
    Object {
        /// The shared object.
        object: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The bytecode could not be compiled.
    #[error("cannot compile the bytecode of environment `{environment}`: {reason}")]
    Bytecode {
        /// The environment.
        environment: String,
        /// The last line that the compiler wrote.
        reason: String,
    },
    /// An environment of the settings has a name that no folder can have.
    #[error("`{0}` cannot be the name of an environment")]
    Name(String),
    /// The environment has nothing that could be built or removed.
    #[error("there is no environment `{0}`")]
    Unknown(String),
    /// What is kept beside an environment could not be put into words.
    #[error("cannot write the manifest of environment `{environment}`")]
    Manifest {
        /// The environment.
        environment: String,
        /// What is wrong.
        source: serde_json::Error,
    },
}

impl Error {
    /// What to do about it, if anything.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::NoPython => Some(
                "install one (`apt-get install python3`), or name one with `--python` or `python` in the settings",
            ),
            Error::NoCache => Some("set `XDG_CACHE_HOME`, or `cache_dir` in the settings"),
            Error::Path { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Some(
                    "make it writable, or set `XDG_CACHE_HOME` or `cache_dir` to a folder that is",
                ),
                io::ErrorKind::StorageFull => {
                    Some("free some space: `base` needs 0.2 GB, `data` 1.2 GB")
                }
                _ => None,
            },
            Error::Packages { hint, .. } => Some(hint),
            Error::Name(_) => {
                Some("use letters, digits, `-`, `_` and `.`, and begin with a letter or digit")
            }
            Error::Bytecode { reason, .. } if reason.contains("No space left") => {
                Some("free some space: `base` needs 0.2 GB, `data` 1.2 GB")
            }
            _ => None,
        }
    }
}

/// Puts a path and what was being done to an error of the kernel.
pub(crate) trait At<T> {
    fn at(self, doing: &'static str, path: &std::path::Path) -> Result<T, Error>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, doing: &'static str, path: &std::path::Path) -> Result<T, Error> {
        self.map_err(|source| Error::Path { doing, path: path.to_owned(), source })
    }
}
