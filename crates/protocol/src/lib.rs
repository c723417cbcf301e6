//! The words that cross a boundary: what is asked of a run and what comes back.
//!
//! Everything here is plain data that serialises with serde; there is no I/O and no clock. Names on
//! the wire are those of the fields. Sizes are bytes and durations are milliseconds, as the end of
//! each name says.

#![forbid(unsafe_code)]

mod check;
mod event;
mod limits;
mod outcome;
mod request;
mod schema;
mod session;

pub use check::{
    Certainty, CheckPolicy, CheckReport, Danger, Finding, ImportedModule, Place, RuleActions,
    ScriptMetadata, Severity, SyntaxProblem, Verdict,
};
pub use event::Event;
pub use limits::{Ceiling, LimitError, Limits, LimitsRequest, Usage};
pub use outcome::{
    Action, Artifact, CapturedText, Category, Cause, Change, Display, Exception, Frame, Layer,
    MimeBundle, Outcome, Relation, Status, Violation, Waiver,
};
pub use request::{DEFAULT_NAME, InputFile, Policy, Request};
pub use schema::schemas;
pub use session::{
    Changes, Checkpoint, Difference, FileInfo, SessionInfo, SessionOptions, SessionState,
    StateKind, ToolDefinition, Variable,
};
