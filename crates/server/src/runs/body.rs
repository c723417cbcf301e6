//! What a client sends to have code run.

use execute_python_engine::protocol::{InputFile, LimitsRequest, Policy, Request};
use schemars::JsonSchema;
use serde::Deserialize;

/// One run: the code, what it may see and use, and how the answer comes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunBody {
    /// The Python source text.
    code: String,
    /// The file name that tracebacks show; `main.py` when it is not given.
    #[serde(default)]
    name: Option<String>,
    /// What the program reads from its standard input.
    #[serde(default)]
    stdin: Option<String>,
    /// Files put into the work folder before the run.
    #[serde(default)]
    files: Vec<InputFile>,
    /// The environment to run in; chosen from the imports when it is not given.
    #[serde(default)]
    environment: Option<String>,
    /// Limits that differ from the operator's defaults.
    #[serde(default)]
    limits: LimitsRequest,
    /// What check and monitor do about each category of danger.
    #[serde(default)]
    policy: Policy,
    /// Whether events are streamed, also without an `Accept` header that says so.
    #[serde(default)]
    pub(crate) stream: bool,
    /// What the outcome is to hold beside what it always does.
    #[serde(default)]
    pub(crate) include: Vec<Include>,
}

/// What an outcome can hold beside what it always does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Include {
    /// The content of each artifact, in base64.
    Artifacts,
}

impl RunBody {
    /// What the engine is asked.
    pub(crate) fn into_request(self) -> Request {
        Request {
            code: self.code,
            name: self.name,
            stdin: self.stdin,
            files: self.files,
            environment: self.environment,
            limits: self.limits,
            policy: self.policy,
        }
    }
}
