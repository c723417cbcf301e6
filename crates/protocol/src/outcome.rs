//! How a run ended, whole.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Limits, SessionState, Usage};

/// How a run ended, with everything that it produced until then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The run, as `run_…`.
    pub id: String,
    /// How it ended, in one word.
    pub status: Status,
    /// One sentence for a person or a model: what the status means for this run.
    pub summary: String,
    /// What the program wrote to its standard output.
    pub stdout: CapturedText,
    /// What the program wrote to its standard error.
    pub stderr: CapturedText,
    /// What the last expression was, unless it was `None`.
    pub value: Option<MimeBundle>,
    /// Pictures, tables and other rich results, in the order in which they were shown.
    pub displays: Vec<Display>,
    /// What Python raised and nothing caught.
    pub exception: Option<Exception>,
    /// The guest's own exit code, when it exited by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended the program, when it crashed.
    pub signal: Option<i32>,
    /// Where the program was when its time was up, innermost frame last; a claim of the guest.
    pub stopped_at: Vec<Frame>,
    /// Files that the run created or modified in its work folder.
    pub artifacts: Vec<Artifact>,
    /// Forbidden attempts that the monitor saw.
    pub violations: Vec<Violation>,
    /// Forbidden attempts in all, those beyond the ones that are kept in `violations` included.
    pub violations_total: u64,
    /// What the run used.
    pub usage: Usage,
    /// What the run was allowed to use.
    pub limits: Limits,
    /// The environment that it ran in.
    pub environment: String,
    /// The version of Python that it ran on, such as `3.12.4`.
    pub python: String,
    /// The session that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What became of the state of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<SessionState>,
    /// Walls of the sandbox that the operator gave up by name; empty in a proper set-up.
    pub waived: Vec<Waiver>,
    /// Things worth knowing that are no failure, such as artifacts that were left out.
    pub notes: Vec<String>,
    /// When the code was handed to the worker, RFC 3339 in UTC.
    pub started_at: String,
    /// When the outcome was complete, RFC 3339 in UTC.
    pub finished_at: String,
}

/// How a run ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The program came to its end.
    Ok,
    /// Python raised an exception that nothing caught.
    Exception,
    /// The program ended itself with an exit code.
    Exited,
    /// The wall time or the processor time was used up.
    Timeout,
    /// The memory was used up.
    MemoryLimit,
    /// The monitor interrupted a forbidden operation.
    Violation,
    /// The check refused the code; it did not run.
    Rejected,
    /// The program died of a signal.
    Crashed,
    /// Whoever asked for the run took it back.
    Cancelled,
}

impl Status {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Exception => "exception",
            Status::Exited => "exited",
            Status::Timeout => "timeout",
            Status::MemoryLimit => "memory_limit",
            Status::Violation => "violation",
            Status::Rejected => "rejected",
            Status::Crashed => "crashed",
            Status::Cancelled => "cancelled",
        }
    }
}

/// What was written to a stream, with an exact account of what is missing from it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedText {
    /// All of it, or its beginning when it was longer than the limit.
    pub text: String,
    /// Its end, when it was longer than the limit; what lies between is left out.
    pub tail: Option<String>,
    /// Bytes written in all.
    pub total_bytes: u64,
    /// Bytes kept, in `text` and `tail` together, before bad bytes were replaced.
    pub kept_bytes: u64,
    /// Places where bytes that are not UTF-8 were replaced by U+FFFD.
    pub replaced: u64,
}

impl CapturedText {
    /// Bytes that were written and are not here.
    pub fn missing_bytes(&self) -> u64 {
        self.total_bytes.saturating_sub(self.kept_bytes)
    }
}

/// One thing in several forms: MIME type to content. Text is text; pictures and other binary
/// content are base64; `application/json` and `…+json` are JSON values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MimeBundle {
    /// The forms.
    pub data: BTreeMap<String, serde_json::Value>,
    /// What the object says about its forms, such as the size of a picture.
    #[serde(default)]
    pub metadata: BTreeMap<String, serde_json::Value>,
}

impl MimeBundle {
    /// The plain text form.
    pub fn text(&self) -> Option<&str> {
        self.data.get("text/plain")?.as_str()
    }
}

/// A rich result that the program showed.
pub type Display = MimeBundle;

/// What Python raised; all of it is what the guest says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exception {
    /// The class, such as `ValueError`.
    pub r#type: String,
    /// The module of the class, such as `builtins`.
    pub module: String,
    /// `str()` of the exception.
    pub message: String,
    /// Notes that were added to it (PEP 678).
    #[serde(default)]
    pub notes: Vec<String>,
    /// The exceptions behind it, nearest first.
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// Where it came from, outermost first; the frames of the runner itself are left out.
    #[serde(default)]
    pub frames: Vec<Frame>,
    /// The traceback as Python prints it.
    pub text: String,
}

/// An exception behind another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// How it is tied to the exception before it.
    pub relation: Relation,
    /// The class, such as `KeyError`.
    pub r#type: String,
    /// The module of the class.
    pub module: String,
    /// `str()` of the exception.
    pub message: String,
    /// Notes that were added to it (PEP 678).
    #[serde(default)]
    pub notes: Vec<String>,
    /// Where it came from, outermost first.
    #[serde(default)]
    pub frames: Vec<Frame>,
}

/// How one exception is tied to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// `raise … from …`.
    Cause,
    /// Raised while the other one was handled.
    Context,
}

/// One frame of a traceback.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// The file, as Python names it.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The function, `<module>` at the top level.
    pub function: String,
    /// The source line, stripped, where it is known.
    #[serde(default)]
    pub source: Option<String>,
}

/// A file that the run created or modified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// Its path relative to the work folder; bytes that are not UTF-8 are replaced by U+FFFD.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its MIME type, told from name and first bytes.
    pub mime_type: String,
    /// The SHA-256 of its content, in hexadecimal.
    pub sha256: String,
    /// Whether it is new.
    pub change: Change,
    /// Its id as `art_…`, where a service keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where it can be fetched, relative to the service that keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its content in base64, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// What a run did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The file was not there before.
    Created,
    /// The file was an input file and has other content now.
    Modified,
}

/// One forbidden attempt. What the kernel said is evidence; frames are what the guest says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Violation {
    /// The kind of danger.
    pub category: Category,
    /// What was tried, in words.
    pub attempt: String,
    /// The system call, when the kernel caught it.
    pub system_call: Option<String>,
    /// The system call's arguments as the kernel saw them: numbers, never followed pointers.
    pub arguments: Vec<u64>,
    /// What stopped it.
    pub layer: Layer,
    /// What was done.
    pub action: Action,
    /// Milliseconds since the run began.
    pub at_ms: f64,
    /// Where the program was, innermost last; a claim of the guest.
    pub frames: Vec<Frame>,
    /// What to do instead.
    pub hint: String,
}

/// A kind of danger.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Starting processes, executing programs, signalling others.
    Process,
    /// Tracing, mounting, namespaces, kernel interfaces.
    Privilege,
    /// Sockets.
    Network,
    /// Files outside the work folder and the packages.
    Filesystem,
}

/// The part of the sandbox that stopped an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The system-call filter of the kernel.
    Seccomp,
    /// The audit hook in the interpreter.
    Audit,
}

/// What was done about an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The program was stopped before the operation happened.
    Interrupt,
    /// The operation failed with an error and the program went on.
    Deny,
}

/// A wall of the sandbox that can be given up by name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Waiver {
    /// No control group: memory and threads are held by resource limits alone.
    Cgroup,
    /// No Landlock: files are held by the mounts alone.
    Landlock,
}
