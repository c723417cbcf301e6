//! What the service is set up with.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What the service is set up with: the table `server` of the settings.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where files, artifacts and records are kept; in the user's state folder when not given.
    pub data_dir: Option<PathBuf>,
    /// Names under which clients reach the service, beside those of the loopback.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call the service, beside its own.
    pub origins: Vec<String>,
    /// The most bytes of the body of a request.
    pub body_bytes: usize,
    /// The most connections at one time.
    pub connections: usize,
    /// Enclosed workers that wait for code, per environment.
    pub pool: usize,
    /// How long the head of a request, or the next one on a connection, may take, in seconds.
    pub header_timeout_seconds: u64,
    /// How long the client may send nothing of a body, or take nothing of an answer, in seconds.
    pub idle_timeout_seconds: u64,
    /// How long runs may go on after the service was told to stop, in seconds.
    pub drain_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8000)),
            data_dir: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            body_bytes: 96 << 20,
            connections: 4096,
            pool: 4,
            header_timeout_seconds: 30,
            idle_timeout_seconds: 60,
            drain_seconds: 30,
        }
    }
}

impl Config {
    pub(crate) fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds)
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.data_dir.clone().unwrap_or_else(|| {
            let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
            let home = || std::env::home_dir().map(|home| home.join(".local/state"));
            let folder = state.filter(|path| path.is_absolute()).or_else(home);
            folder.unwrap_or_else(|| "/var/lib".into()).join("execute-python")
        })
    }
}
