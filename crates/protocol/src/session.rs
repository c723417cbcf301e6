//! What is asked of a session, and what it says of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{InputFile, LimitsRequest, Policy};

/// What a session is opened with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionOptions {
    /// A name for people.
    pub name: Option<String>,
    /// The environment of all its runs; `base` when it is not given.
    pub environment: Option<String>,
    /// Limits of each of its runs that differ from the operator's defaults.
    pub limits: LimitsRequest,
    /// What the monitor does about each category of danger, in all its runs; what each run asks for
    /// when it is not given.
    pub policy: Option<Policy>,
    /// Files put into the work folder.
    pub files: Vec<InputFile>,
    /// Functions of the caller that its runs may call.
    pub tools: Vec<ToolDefinition>,
    /// How many automatic checkpoints are kept: 8 when it is not given; with 0 a run that is killed
    /// costs all that came after the last named checkpoint.
    pub checkpoints: Option<u32>,
    /// Milliseconds without a run after which it is closed: half an hour when it is not given.
    pub idle_timeout_ms: Option<u64>,
    /// Milliseconds after which it is closed whatever it does: a day when it is not given.
    pub lifetime_ms: Option<u64>,
}

/// A function of the caller that guest code may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolDefinition {
    /// Its name, a Python identifier.
    pub name: String,
    /// What it does; the function's docstring.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema of its arguments: an object with properties.
    #[serde(default)]
    pub input_schema: serde_json::Value,
}

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// The session, as `ses_…`.
    pub id: String,
    /// Its name for people.
    pub name: Option<String>,
    /// Its environment.
    pub environment: String,
    /// The version of Python that it runs on.
    pub python: String,
    /// The session that it was forked from.
    pub parent: Option<String>,
    /// When it was opened, RFC 3339 in UTC.
    pub created_at: String,
    /// When its last run began or ended, RFC 3339 in UTC.
    pub last_used_at: String,
    /// When it is closed if nothing happens, RFC 3339 in UTC.
    pub expires_at: String,
    /// How many runs it has had.
    pub runs: u64,
    /// Whether a run goes on now.
    pub running: bool,
}

/// A state of a session that it can return to: its variables, modules, open files and work folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoint {
    /// The checkpoint, as `ckp_…`.
    pub id: String,
    /// Its name, where somebody gave it one; such a checkpoint is kept until it is dropped.
    pub name: Option<String>,
    /// The run that led to it; none for the beginning of the session.
    pub run: Option<String>,
    /// The checkpoint before that run.
    pub parent: Option<String>,
    /// When it was made, RFC 3339 in UTC.
    pub created_at: String,
    /// Whether the session stands there now.
    pub current: bool,
}

/// What became of the state of a session in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionState {
    /// What became of it, in one word.
    pub kind: StateKind,
    /// The checkpoint that the session stands at now.
    pub checkpoint: Option<String>,
    /// The run after which the session was as it is now; none when that is its beginning.
    pub run: Option<String>,
    /// Whether the session can return to where it was before this run.
    pub rewindable: bool,
    /// One sentence for a model: what survived, and what to do.
    pub message: String,
}

/// What became of the state of a session, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateKind {
    /// All that the run did is there.
    Kept,
    /// The session is as it was at an earlier checkpoint.
    Rewound,
    /// Nothing of it is left.
    Lost,
}

/// A file in the work folder of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileInfo {
    /// Its path relative to the work folder; bytes that are not UTF-8 are replaced by U+FFFD.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last modified, RFC 3339 in UTC.
    pub modified_at: String,
    /// Its MIME type, told from its name.
    pub mime_type: String,
}

/// A variable of a session; all of it is what the guest says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The class of its value, such as `pandas.DataFrame`.
    pub r#type: String,
    /// A short text of its value.
    #[serde(default)]
    pub summary: String,
    /// The lengths along its axes, of a value that has axes, or its length.
    #[serde(default)]
    pub shape: Option<Vec<u64>>,
    /// Its size in memory in bytes, where it is known.
    #[serde(default)]
    pub bytes: Option<u64>,
}

/// What is different between a checkpoint and the present state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Names of variables.
    pub variables: Changes,
    /// Paths of files.
    pub files: Changes,
}

/// Names that came, went, or stand for something else now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// Those that came.
    pub added: Vec<String>,
    /// Those that went.
    pub removed: Vec<String>,
    /// Those that changed.
    pub changed: Vec<String>,
}
