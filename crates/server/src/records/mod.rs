//! Records: one of every run, and the audit trail.
//!
//! They are written behind the runs, by one task that puts what has come together into one
//! transaction. When the database is slower than the runs, the runs wait for it in the end: no run
//! goes unrecorded.

mod query;
mod writer;

use execute_python_engine::protocol::{Limits, Outcome, Status, Usage, Violation, Waiver};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::Caller;
use crate::db::now;

pub(crate) use query::LARGEST_PAGE;
pub use query::{Filter, Kept, Page, Records};
pub(crate) use writer::Recorder;

/// What is recorded of a run, whatever else is kept: nothing that the guest wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The run, as `run_…`.
    pub id: String,
    /// Whose it was.
    pub tenant: String,
    /// The id of the key that asked for it; none on the loopback.
    pub key: Option<String>,
    /// The request that asked for it.
    pub request_id: String,
    /// The session that it was in.
    pub session: Option<String>,
    /// Whether nobody waited for it.
    pub background: bool,
    /// When it was asked for, RFC 3339 in UTC.
    pub created_at: String,
    /// When the code was handed to the worker.
    pub started_at: String,
    /// When the outcome was complete.
    pub finished_at: String,
    /// The SHA-256 of the code, in hexadecimal.
    pub code_sha256: String,
    /// The length of the code in bytes.
    pub code_bytes: u64,
    /// The environment that it ran in.
    pub environment: String,
    /// The version of Python.
    pub python: String,
    /// How it ended, in one word.
    pub status: Status,
    /// The guest's own exit code, when it exited by itself.
    pub exit_code: Option<i32>,
    /// The class of the exception that ended it.
    pub exception: Option<String>,
    /// Forbidden attempts, without what the guest says about them.
    pub violations: Vec<Violation>,
    /// Forbidden attempts in all.
    pub violations_total: u64,
    /// How many files came back.
    pub artifacts: u64,
    /// What it used.
    pub usage: Usage,
    /// What it was allowed to use.
    pub limits: Limits,
    /// Walls that the operator gave up.
    pub waived: Vec<Waiver>,
}

/// What is known of a run before it ends.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) caller: Caller,
    pub(crate) code: String,
    pub(crate) session: Option<String>,
    pub(crate) background: bool,
    pub(crate) created_at: String,
}

impl Asked {
    pub(crate) fn new(caller: Caller, code: String) -> Self {
        Self { caller, code, session: None, background: false, created_at: now() }
    }
}

impl Record {
    pub(crate) fn new(asked: &Asked, outcome: &Outcome) -> Self {
        let silent = |violation: &Violation| Violation { frames: Vec::new(), ..violation.clone() };
        Self {
            id: outcome.id.clone(),
            tenant: asked.caller.tenant.clone(),
            key: asked.caller.key.clone(),
            request_id: asked.caller.request_id.clone(),
            session: asked.session.clone(),
            background: asked.background,
            created_at: asked.created_at.clone(),
            started_at: outcome.started_at.clone(),
            finished_at: outcome.finished_at.clone(),
            // Hashed behind the run, by who writes the record.
            code_sha256: String::new(),
            code_bytes: asked.code.len() as u64,
            environment: outcome.environment.clone(),
            python: outcome.python.clone(),
            status: outcome.status,
            exit_code: outcome.exit_code,
            exception: outcome.exception.as_ref().map(|exception| exception.r#type.clone()),
            violations: outcome.violations.iter().map(silent).collect(),
            violations_total: outcome.violations_total,
            artifacts: outcome.artifacts.len() as u64,
            usage: outcome.usage,
            limits: outcome.limits,
            waived: outcome.waived.clone(),
        }
    }
}
