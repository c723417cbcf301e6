//! Answers to what a program asks while it runs.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::live::Command;
use crate::auth::Caller;
use crate::extract::Json;
use crate::problem::Problem;
use crate::service::Service;

/// A line for a program that asks for one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputAnswer {
    /// The id of the event `input_requested`.
    id: String,
    /// The line; without one the input has ended.
    #[serde(default)]
    text: Option<String>,
}

/// What a function gave, or why it failed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolAnswer {
    /// The id of the event `tool_call`.
    id: String,
    /// What it gave.
    #[serde(default)]
    result: Option<Value>,
    /// Why it failed; then there is no `result`.
    #[serde(default)]
    error: Option<String>,
}

impl From<InputAnswer> for Command {
    fn from(InputAnswer { id, text }: InputAnswer) -> Self {
        Command::Input { id, text }
    }
}

impl TryFrom<ToolAnswer> for Command {
    type Error = Problem;

    fn try_from(ToolAnswer { id, result, error }: ToolAnswer) -> Result<Self, Problem> {
        let result = match (result, error) {
            (Some(_), Some(_)) => {
                let detail = "an answer has either `result` or `error`";
                return Err(Problem::unprocessable("field_not_valid", detail).field("error"));
            }
            (_, Some(error)) => Err(error),
            (result, None) => Ok(result.unwrap_or(Value::Null)),
        };
        Ok(Command::ToolResult { id, result })
    }
}

pub(super) async fn input(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Json(answer): Json<InputAnswer>,
) -> Result<StatusCode, Problem> {
    tell(&service, &caller, &id, answer.into())
}

pub(super) async fn tool_result(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Json(answer): Json<ToolAnswer>,
) -> Result<StatusCode, Problem> {
    tell(&service, &caller, &id, answer.try_into()?)
}

/// Tells a run of the caller's that waits or goes on.
pub(super) fn tell(
    service: &Service,
    caller: &Caller,
    id: &str,
    command: Command,
) -> Result<StatusCode, Problem> {
    if service.live().tell(&caller.tenant, id, command) {
        return Ok(StatusCode::ACCEPTED);
    }
    Err(Problem::missing("run", id).hint("only a run that goes on can be told something"))
}
