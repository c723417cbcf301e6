//! Why the service cannot serve.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::db::DbError;

/// Why the service cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is taken, or not ours.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The folder for what is kept cannot be used.
    #[error("cannot use the folder `{}`", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The client for webhooks cannot be set up.
    #[error("cannot set the client for webhooks up")]
    Client(#[from] reqwest::Error),
    /// Certificate or key cannot be used.
    #[error("cannot use `{}` for TLS: {reason}", .path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Logs or traces cannot be set up.
    #[error("cannot set logs and traces up: {0}")]
    Telemetry(String),
    /// The address is in reach of others, and there is no key.
    #[error("will not listen on `{address}` without keys: everybody who reaches it could run code")]
    NoKeys {
        /// The address.
        address: SocketAddr,
    },
}

impl Error {
    /// A word for programs; it never changes meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Listen { .. } => "address_not_usable",
            Error::Folder { .. } => "path_not_usable",
            Error::Database(_) => "database_not_usable",
            Error::Client(_) => "client_not_usable",
            Error::Tls { .. } => "tls_not_usable",
            Error::Telemetry(_) => "telemetry_not_usable",
            Error::NoKeys { .. } => "keys_missing",
        }
    }

    /// What to do about it, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Listen { .. } => Some("choose another one with `--listen`".into()),
            Error::Folder { .. } => Some("choose another one with `--data-dir`".into()),
            Error::Client(_) => None,
            Error::Telemetry(_) => Some("look at `server.telemetry` in the settings".into()),
            Error::Tls { .. } => Some("look at `server.tls` in the settings".into()),
            Error::Database(_) => Some("look at `server.database` in the settings".into()),
            Error::NoKeys { .. } => Some(
                "make one with `execute-python keys create NAME`, or listen on 127.0.0.1".into(),
            ),
        }
    }
}
