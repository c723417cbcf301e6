//! The tools as a model sees them.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use crate::account;
use crate::arguments::{Execute, ListFiles, ReadFile, Rewind, WriteFile};

/// What the server as a whole is for.
pub(crate) const INSTRUCTIONS: &str = "\
Runs Python in a sandbox on this machine and gives everything back: output, the value of the last \
expression, exceptions, pictures and files. numpy, pandas, scipy, matplotlib, scikit-learn, seaborn and \
others are installed. There is no network, no subprocess and no way to install packages; give data as \
files. Files that the code writes to its working directory come back. With `session` variables \
stay from one call to the next, and a run that fails badly costs nothing.";

const EXECUTE: &str = "\
Runs Python code in a sandbox and returns stdout, stderr, the value of the last expression, the exception \
with its line, pictures (plt.show() or figures that are left open) and files written to the working \
directory. Installed: the standard library, numpy, pandas, scipy, matplotlib, seaborn, scikit-learn, sympy, \
statsmodels, Pillow, openpyxl and more. Forbidden: network (pass data in `files`), starting processes (use \
Python instead of shell commands), installing packages, files outside the working directory. Limits: 5 \
seconds and 256 MiB unless asked otherwise. Give `session` a name to keep variables and files for \
later calls; if such a run is killed, the session is as it was before it.";

/// All of them.
pub(crate) fn all() -> Vec<Tool> {
    let changes =
        |title: &str| ToolAnnotations::with_title(title).open_world(false).destructive(false);
    let reads = |title: &str| ToolAnnotations::with_title(title).open_world(false).read_only(true);
    let mut execute = Tool::new("execute_python", EXECUTE, input::<Execute>())
        .with_annotations(changes("Run Python in a sandbox"));
    execute.output_schema = Some(Arc::new(object(account::schema())));
    vec![
        execute,
        Tool::new(
            "rewind_session",
            "Takes a session back to the state before its last run, or after an earlier run: variables and files.",
            input::<Rewind>(),
        )
        .with_annotations(changes("Undo runs of a session")),
        Tool::new(
            "list_session_files",
            "Lists the files in the work folder of a session.",
            input::<ListFiles>(),
        )
        .with_annotations(reads("List the files of a session")),
        Tool::new(
            "read_session_file",
            "Reads a file from the work folder of a session.",
            input::<ReadFile>(),
        )
        .with_annotations(reads("Read a file of a session")),
        Tool::new(
            "write_session_file",
            "Puts a file into the work folder of a session, in place of one that is there.",
            input::<WriteFile>(),
        )
        .with_annotations(changes("Write a file of a session")),
    ]
}

/// The schema of a tool's arguments.
fn input<T: JsonSchema>() -> JsonObject {
    object(schema_for!(T).to_value())
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
