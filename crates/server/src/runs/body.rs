//! What a client sends to have code run.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use execute_python_engine::check_code;
use execute_python_engine::protocol::{
    Action, Category, DEFAULT_NAME, InputFile, LimitsRequest, Policy, Request, ToolDefinition,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::webhook::Webhook;
use crate::extract;
use crate::problem::Problem;
use crate::service::Service;
use crate::store::Kind;

/// One run: the code, what it may see and use, and how the answer comes.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunBody {
    /// The Python source text.
    #[schemars(length(min = 1))]
    pub(crate) code: String,
    /// The file name that tracebacks show; `main.py` when it is not given.
    #[serde(default)]
    name: Option<String>,
    /// What the program reads from its standard input.
    #[serde(default)]
    stdin: Option<String>,
    /// Files put into the work folder before the run.
    #[serde(default)]
    pub(crate) files: Vec<FileEntry>,
    /// The environment to run in; chosen from the imports when it is not given.
    #[serde(default)]
    environment: Option<String>,
    /// Limits that differ from the operator's defaults.
    #[serde(default, deserialize_with = "extract::object")]
    limits: LimitsRequest,
    /// What check and monitor do about each category of danger.
    #[serde(default)]
    policy: Policy,
    /// What the monitor does about single categories of danger in place of what the policy says.
    #[serde(default)]
    actions: BTreeMap<Category, Action>,
    /// Functions of the caller that the program may call; each call is an event that is answered by
    /// `tool_results`.
    #[serde(default)]
    tools: Vec<ToolDefinition>,
    /// Whether somebody answers when the program asks for input, which is an event; else `input()`
    /// raises `EOFError` once the text of `stdin` is used up.
    #[serde(default)]
    interactive: bool,
    /// The session to run in, as `ses_…`.
    #[serde(default)]
    pub(crate) session: Option<String>,
    /// Whether events are streamed, also without an `Accept` header that says so.
    #[serde(default)]
    pub(crate) stream: bool,
    /// Whether the answer is the id at once, and the run goes on when the client is gone.
    #[serde(default)]
    pub(crate) background: bool,
    /// Who is told when a background run is over.
    #[serde(default)]
    pub(crate) webhook: Option<Webhook>,
    /// What the outcome is to hold beside what it always does.
    #[serde(default)]
    include: Vec<Include>,
}

/// A file for a run: its content, or the id of one that was uploaded.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileEntry {
    /// Where it is put, relative to the work folder; that of the upload when not given.
    #[serde(default)]
    pub(crate) path: Option<String>,
    /// Its bytes, in base64.
    #[serde(default)]
    pub(crate) content: Option<Base64>,
    /// The id of an uploaded file, as `fil_…`.
    #[serde(default)]
    pub(crate) file_id: Option<String>,
}

/// Bytes that are base64 on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base64(pub(crate) Vec<u8>);

/// What an outcome can hold beside what it always does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Include {
    /// The content of each artifact, in base64.
    Artifacts,
}

impl RunBody {
    /// A run of this code that asks for nothing else.
    pub(crate) fn of(code: String) -> Self {
        Self { code, ..Self::default() }
    }

    /// Refuses code that no interpreter could be given.
    pub(crate) fn check_code(&self) -> Result<(), Problem> {
        Ok(check_code(&self.code, self.name.as_deref().unwrap_or(DEFAULT_NAME))?)
    }

    /// Whether the content of artifacts stays in the outcome.
    pub(crate) fn includes_artifacts(&self) -> bool {
        self.include.contains(&Include::Artifacts)
    }

    /// What the engine is asked. The uploaded files that it names are read.
    pub(crate) async fn into_request(
        self,
        service: &Service,
        tenant: &str,
    ) -> Result<Request, Problem> {
        let mut files = Vec::with_capacity(self.files.len());
        for (at, entry) in self.files.into_iter().enumerate() {
            files.push(entry.read(service, tenant, at).await?);
        }
        Ok(Request {
            code: self.code,
            name: self.name,
            stdin: self.stdin,
            files,
            environment: self.environment,
            limits: self.limits,
            policy: self.policy,
            actions: self.actions,
            tools: self.tools,
            interactive: self.interactive,
        })
    }
}

impl FileEntry {
    /// The file with its content; `at` is its place in the request.
    pub(crate) async fn read(
        self,
        service: &Service,
        tenant: &str,
        at: usize,
    ) -> Result<InputFile, Problem> {
        match self {
            Self { path: Some(path), content: Some(Base64(content)), file_id: None } => {
                Ok(InputFile { path, content })
            }
            Self { path, content: None, file_id: Some(id) } => {
                let found = service.store().get(tenant, Kind::File, &id);
                let found = found.map_err(|error| Problem::ours("read the file", &error))?;
                let (known, place) = found.ok_or_else(|| {
                    Problem::missing("file", &id).field(format!("files[{at}].file_id"))
                })?;
                let content = tokio::fs::read(place).await;
                let content = content.map_err(|error| Problem::ours("read the file", &error))?;
                Ok(InputFile { path: path.unwrap_or(known.name), content })
            }
            _ => {
                let detail = "a file has either `path` and `content`, or `file_id`";
                Err(Problem::unprocessable("field_not_valid", detail).field(format!("files[{at}]")))
            }
        }
    }
}

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(FromText)
    }
}

/// Decodes right out of the body, without a copy of the text.
struct FromText;

impl Visitor<'_> for FromText {
    type Value = Base64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text in base64")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Base64, E> {
        STANDARD.decode(text).map(Base64).map_err(E::custom)
    }
}

impl JsonSchema for Base64 {
    fn schema_name() -> Cow<'static, str> {
        "Base64".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "contentEncoding": "base64" })
    }
}
