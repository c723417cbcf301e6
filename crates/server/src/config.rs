//! What the service is set up with: the table `server` of the settings.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What the service is set up with. [`Config::default`] is a good start on the loopback.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where files, artifacts and records are kept; in the user's state folder when not given.
    pub data_dir: Option<PathBuf>,
    /// The address of the database, `sqlite:…` or `postgres://…`; a file in `data_dir` when not given.
    pub database: Option<String>,
    /// Whether every request needs a key. Always so where others than this machine reach the service.
    pub require_key: bool,
    /// Names under which clients reach the service, beside those of the loopback.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call the service, beside its own.
    pub origins: Vec<String>,
    /// The most bytes of the body of a request.
    pub body_bytes: usize,
    /// The most bytes of a file that is uploaded.
    pub file_bytes: u64,
    /// The most connections at one time.
    pub connections: usize,
    /// Enclosed workers that wait for code, per environment.
    pub pool: usize,
    /// Environments that are got ready before the first request.
    pub warm: Vec<String>,
    /// The most runs at one time; 8 for each processor when not given.
    pub concurrent_runs: Option<usize>,
    /// The most runs that wait for their turn; beyond them the answer is 429 at once.
    pub queued_runs: usize,
    /// The longest that a run waits for its turn, in seconds.
    pub queue_seconds: u64,
    /// The most background runs that are accepted and not yet over.
    pub background_runs: usize,
    /// How long the head of a request, or the next one on a connection, may take, in seconds.
    pub header_timeout_seconds: u64,
    /// How long the client may send nothing of a body, or take nothing of an answer, in seconds.
    pub idle_timeout_seconds: u64,
    /// How long runs may go on after the service was told to stop, in seconds.
    pub drain_seconds: u64,
    /// How long artifacts are kept, in hours.
    pub artifact_hours: u64,
    /// Whether webhooks may go to private addresses; when not given, only where the service
    /// listens on the loopback.
    pub private_webhooks: Option<bool>,
    /// What is kept of runs.
    pub records: Records,
    /// What each tenant may use that has no quota of its own.
    pub quota: Quota,
    /// Quotas by tenant.
    pub tenants: BTreeMap<String, Quota>,
    /// Certificate and key, where the service itself speaks TLS.
    pub tls: Option<Tls>,
    /// Logs and traces.
    pub telemetry: Telemetry,
}

/// What is kept of runs.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Records {
    /// Whether the code is kept; its hash always is.
    pub code: bool,
    /// Whether the outcome is kept. That of a background run always is, for `output_hours`.
    pub output: bool,
    /// How long kept code and outcomes are kept, in hours.
    pub output_hours: u64,
    /// How long records can be listed, in days; the audit trail stays.
    pub days: u64,
}

/// What a tenant may use; what is not given is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quota {
    /// Runs at one time.
    pub concurrent_runs: Option<usize>,
    /// Runs in a minute.
    pub runs_per_minute: Option<u32>,
    /// Processor time in a day (UTC), in seconds.
    pub cpu_seconds_per_day: Option<u64>,
    /// Sessions at one time.
    pub sessions: Option<usize>,
    /// Bytes of files and artifacts.
    pub stored_bytes: Option<u64>,
}

/// Certificate and key for TLS.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The file with the certificate and those between it and the root, PEM.
    pub certificate: PathBuf,
    /// The file with the private key, PEM.
    pub key: PathBuf,
}

/// Logs and traces.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// How log lines look.
    pub log: LogForm,
    /// What is logged, as `tracing` filters are written; `info` when not given.
    pub filter: Option<String>,
    /// The collector that traces go to by OTLP over HTTP, such as `http://localhost:4318`.
    pub otlp: Option<String>,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogForm {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8000)),
            data_dir: None,
            database: None,
            require_key: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            body_bytes: 96 << 20,
            file_bytes: 512 << 20,
            connections: 4096,
            pool: 4,
            warm: vec!["base".into()],
            concurrent_runs: None,
            queued_runs: 1_000,
            queue_seconds: 60,
            background_runs: 10_000,
            header_timeout_seconds: 30,
            idle_timeout_seconds: 60,
            drain_seconds: 30,
            artifact_hours: 24,
            private_webhooks: None,
            records: Records::default(),
            quota: Quota::default(),
            tenants: BTreeMap::new(),
            tls: None,
            telemetry: Telemetry::default(),
        }
    }
}

impl Default for Records {
    fn default() -> Self {
        Self { code: false, output: false, output_hours: 24, days: 90 }
    }
}

impl Config {
    /// Whether every request needs a key.
    pub fn needs_key(&self) -> bool {
        self.require_key || !self.listen.ip().is_loopback()
    }

    pub(crate) fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds)
    }

    /// The most runs at one time.
    pub(crate) fn most_running(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.concurrent_runs.unwrap_or(8 * processors)
    }

    /// What this tenant may use.
    pub(crate) fn quota(&self, tenant: &str) -> Quota {
        self.tenants.get(tenant).copied().unwrap_or(self.quota)
    }

    pub(crate) fn private_webhooks(&self) -> bool {
        self.private_webhooks.unwrap_or(self.listen.ip().is_loopback())
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
