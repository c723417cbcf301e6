//! What is asked of a run.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Action, Category, LimitsRequest, ToolDefinition};

/// The file name that tracebacks show for code that came without one.
pub const DEFAULT_NAME: &str = "main.py";

/// One run: the code, what it may see and what it may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The Python source text.
    pub code: String,
    /// The file name that tracebacks show; `main.py` when it is not given.
    #[serde(default)]
    pub name: Option<String>,
    /// What the program reads from its standard input.
    #[serde(default)]
    pub stdin: Option<String>,
    /// Files put into the work folder before the run.
    #[serde(default)]
    pub files: Vec<InputFile>,
    /// The environment to run in; chosen from the imports when it is not given.
    #[serde(default)]
    pub environment: Option<String>,
    /// Limits that differ from the operator's defaults.
    #[serde(default)]
    pub limits: LimitsRequest,
    /// What check and monitor do about each category of danger.
    #[serde(default)]
    pub policy: Policy,
    /// What the monitor does about single categories of danger in place of what the policy says; the
    /// operator's configuration may not allow less than it asks for itself.
    #[serde(default)]
    pub actions: BTreeMap<Category, Action>,
    /// Functions of the caller that the program may call.
    #[serde(default)]
    pub tools: Vec<ToolDefinition>,
    /// Whether somebody answers when the program asks for input; else `input()` raises `EOFError`
    /// once the text of `stdin` is used up.
    #[serde(default)]
    pub interactive: bool,
}

/// A file given to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Where it is put, relative to the work folder; `/` parts folders, `..` is refused.
    pub path: String,
    /// Its bytes, in base64 on the wire.
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    #[schemars(with = "String", extend("contentEncoding" = "base64"))]
    pub content: Vec<u8>,
}

/// A preset of what check and monitor do; the table is in the documentation of the monitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Interrupts processes and privileges, denies network and files.
    #[default]
    Standard,
    /// Interrupts everything forbidden.
    Strict,
    /// Denies everything forbidden; the program goes on with an exception.
    Lenient,
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_needs_only_code() {
        let request: Request = serde_json::from_str(r#"{"code": "1"}"#).unwrap();
        assert_eq!(request, Request { code: "1".into(), ..Request::default() });
    }

    #[test]
    fn a_field_that_does_not_exist_is_refused() {
        let error = serde_json::from_str::<Request>(r#"{"code": "1", "sandbox": "off"}"#);
        assert!(error.unwrap_err().to_string().contains("unknown field `sandbox`"));
    }

    #[test]
    fn the_bytes_of_a_file_survive_the_wire() {
        let file = InputFile { path: "a".into(), content: vec![0, 159, 146, 150] };
        let wire = serde_json::to_string(&file).unwrap();
        assert_eq!(serde_json::from_str::<InputFile>(&wire).unwrap(), file);
    }
}
