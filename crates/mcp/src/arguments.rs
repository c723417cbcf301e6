//! What a model gives the tools.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use execute_python_engine::protocol::{InputFile, LimitsRequest};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `execute_python`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Execute {
    /// The Python source text. The value of a last expression is shown, as in a notebook.
    pub(crate) code: String,
    /// The name of a session whose variables, imports and files the code shares; made on first use.
    /// Without it the code runs in a fresh interpreter.
    #[serde(default)]
    pub(crate) session: Option<String>,
    /// Files to put into the work folder before.
    #[serde(default)]
    pub(crate) files: Vec<File>,
    /// What the program reads from its standard input.
    #[serde(default)]
    pub(crate) stdin: Option<String>,
    /// Seconds that it may take; 5 when it is not given.
    #[serde(default)]
    pub(crate) timeout_seconds: Option<f64>,
    /// Memory that it may use, in MiB; 256 when it is not given.
    #[serde(default)]
    pub(crate) memory_mib: Option<u64>,
}

/// A file for the work folder: either its text or its bytes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Its path, relative to the work folder.
    pub(crate) path: String,
    /// Its text.
    #[serde(default)]
    pub(crate) text: Option<String>,
    /// Its bytes in base64.
    #[serde(default)]
    pub(crate) base64: Option<String>,
}

/// The arguments of `rewind_session`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rewind {
    /// The name of the session.
    pub(crate) session: String,
    /// Where to: the id of a run, which means the state after it, or `start`. Without it the state
    /// before the last run.
    #[serde(default)]
    pub(crate) to: Option<String>,
}

/// The arguments of `list_session_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListFiles {
    /// The name of the session.
    pub(crate) session: String,
}

/// The arguments of `read_session_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFile {
    /// The name of the session.
    pub(crate) session: String,
    /// The path of the file, relative to the work folder.
    pub(crate) path: String,
}

/// The arguments of `write_session_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFile {
    /// The name of the session.
    pub(crate) session: String,
    /// The file.
    pub(crate) file: File,
}

impl Execute {
    /// The limits that it asks for.
    pub(crate) fn limits(&self) -> Result<LimitsRequest, String> {
        let time = match self.timeout_seconds {
            None => None,
            Some(seconds) if seconds > 0.0 && seconds <= 1e6 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "bounded"
                )]
                let ms = (seconds * 1e3) as u64;
                Some(ms)
            }
            Some(_) => return Err("`timeout_seconds` must be more than 0".into()),
        };
        let memory_bytes = self.memory_mib.map(|mib| mib.saturating_mul(1 << 20));
        Ok(LimitsRequest {
            wall_time_ms: time,
            cpu_time_ms: time,
            memory_bytes,
            ..LimitsRequest::default()
        })
    }
}

impl File {
    /// The file as the engine takes it.
    pub(crate) fn input(self) -> Result<InputFile, String> {
        let content = match (self.text, self.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(encoded)) => STANDARD
                .decode(encoded)
                .map_err(|error| format!("`base64` of the file `{}`: {error}", self.path))?,
            _ => return Err(format!("the file `{}` needs either `text` or `base64`", self.path)),
        };
        Ok(InputFile { path: self.path, content })
    }
}
