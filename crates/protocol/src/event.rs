//! What happens while a run goes on, as it happens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Display, Outcome, Usage, Violation};

/// One thing that happened in a run. The last event of every run is [`Event::Finished`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The code was handed to a worker.
    Started {
        /// The run.
        id: String,
        /// The environment that it runs in.
        environment: String,
    },
    /// The program wrote to its standard output.
    Stdout {
        /// What it wrote; bytes that are not UTF-8 are replaced by U+FFFD.
        text: String,
    },
    /// The program wrote to its standard error.
    Stderr {
        /// What it wrote; bytes that are not UTF-8 are replaced by U+FFFD.
        text: String,
    },
    /// The program showed something.
    Display {
        /// What it showed.
        display: Display,
    },
    /// The monitor saw a forbidden attempt.
    Violation {
        /// What was tried and what was done about it.
        violation: Violation,
    },
    /// The program waits for a line of input.
    InputRequested {
        /// What the answer is to name.
        id: String,
        /// What the program asks.
        prompt: String,
        /// Whether what is typed should not be shown.
        password: bool,
    },
    /// The program calls a function of the caller and waits for its answer.
    ToolCall {
        /// What the answer is to name.
        id: String,
        /// The function.
        name: String,
        /// The arguments by name; what the guest says, checked against nothing.
        arguments: serde_json::Map<String, serde_json::Value>,
    },
    /// What the run has used until now.
    Usage {
        /// The figures.
        usage: Usage,
    },
    /// The run is over.
    Finished {
        /// How it ended, whole.
        outcome: Box<Outcome>,
    },
}
