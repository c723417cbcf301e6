//! The tool definition for a model, in the forms of those who take one.

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::{Api, Operation};
use crate::auth::Access;
use crate::extract::Query;

/// What the tool is called.
const NAME: &str = "execute_python";
/// What a model is told of it.
const DESCRIPTION: &str = "\
Runs Python 3 in a sandbox and returns what it printed, the value of the last expression, pictures, files \
it wrote, and exceptions with their traceback. numpy, pandas, scipy, matplotlib, scikit-learn and the \
standard library are there. The work folder is /mnt/data. There is no network, no subprocess and no way \
to install packages. Print what you want to see.";

pub(crate) fn routes(api: Api) -> Api {
    let summary = "Gives the definition of the tool for a model, ready to paste";
    let operation = Operation::new(Method::GET, "/v1/tools", Access::Open, summary);
    api.route(operation.query::<Wanted>().gives::<Tools>(200), tools)
}

/// Whose form is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Wanted {
    /// `openai`, `openai_responses`, `anthropic`, `gemini` or `mcp`.
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// As Chat Completions take it.
    #[default]
    Openai,
    /// As the Responses API takes it.
    OpenaiResponses,
    /// As the Messages API takes it.
    Anthropic,
    /// As Gemini takes it.
    Gemini,
    /// As a server of the Model Context Protocol lists it.
    Mcp,
}

/// Tools in the form that was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Tools {
    tools: Vec<Value>,
}

async fn tools(Query(Wanted { format }): Query<Wanted>) -> axum::Json<Tools> {
    axum::Json(Tools { tools: vec![tool(format)] })
}

fn tool(format: Format) -> Value {
    let code = json!({ "type": "string", "description": "The Python source text" });
    let open = json!({ "type": "object", "properties": { "code": code }, "required": ["code"] });
    let mut closed = open.clone();
    closed["additionalProperties"] = json!(false);
    match format {
        Format::Openai => json!({
            "type": "function",
            "function": {
                "name": NAME, "description": DESCRIPTION, "parameters": closed, "strict": true,
            },
        }),
        Format::OpenaiResponses => json!({
            "type": "function",
            "name": NAME, "description": DESCRIPTION, "parameters": closed, "strict": true,
        }),
        Format::Anthropic => {
            json!({ "name": NAME, "description": DESCRIPTION, "input_schema": closed })
        }
        // Its schemas do not know `additionalProperties`.
        Format::Gemini => json!({
            "functionDeclarations": [
                { "name": NAME, "description": DESCRIPTION, "parameters": open },
            ],
        }),
        Format::Mcp => json!({
            "name": NAME,
            "title": "Run Python",
            "description": DESCRIPTION,
            "inputSchema": closed,
            "annotations": {
                "readOnlyHint": false, "destructiveHint": false, "openWorldHint": false,
            },
        }),
    }
}
