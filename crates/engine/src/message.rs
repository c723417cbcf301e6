//! What a worker says about its run. All of it is hostile until it is parsed, and claims after.

use std::collections::BTreeMap;

use execute_python_protocol::{Category, Display, Exception, Frame, MimeBundle, Variable};
use serde::Deserialize;

/// A message of a worker.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Message {
    /// The program showed something.
    Display(Bundle),
    /// The program came to its end.
    Done(Done),
    /// The answer to a question about a session.
    Answer(Answer),
    /// The program is about to do something that is forbidden, the interpreter says.
    Attempt(Attempt),
    /// The program waits for a line of input.
    Input {
        id: String,
        #[serde(default)]
        prompt: String,
        #[serde(default)]
        password: bool,
    },
    /// The program calls a function of the caller.
    Call {
        id: String,
        name: String,
        #[serde(default)]
        arguments: serde_json::Map<String, serde_json::Value>,
    },
}

/// What the interpreter says that the program is about to do.
#[derive(Debug, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) category: Category,
    pub(crate) text: String,
    /// Whether anything else that was said says more.
    #[serde(default)]
    pub(crate) weak: bool,
    /// Where, innermost first.
    #[serde(default)]
    pub(crate) frames: Vec<Frame>,
}

/// What a session says when it is asked.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Answer {
    /// The number of the question.
    #[serde(default)]
    pub(crate) number: u64,
    #[serde(default)]
    pub(crate) variables: Vec<Variable>,
    #[serde(default)]
    pub(crate) value: Option<Bundle>,
    #[serde(default)]
    pub(crate) exception: Option<Exception>,
}

/// Forms of one thing.
#[derive(Debug, Deserialize)]
pub(crate) struct Bundle {
    data: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    metadata: BTreeMap<String, serde_json::Value>,
}

impl From<Bundle> for Display {
    fn from(bundle: Bundle) -> Self {
        MimeBundle { data: bundle.data, metadata: bundle.metadata }
    }
}

/// How a program came to its end.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Done {
    #[serde(default)]
    pub(crate) value: Option<Bundle>,
    #[serde(default)]
    pub(crate) exception: Option<Exception>,
    #[serde(default)]
    pub(crate) exit_code: Option<i64>,
    /// Of a session: name, class and a mark of each variable, which is another when its value is.
    #[serde(default)]
    pub(crate) names: Vec<(String, String, u64)>,
}

impl Message {
    /// Parses a frame; nesting is bounded by the parser.
    pub(crate) fn parse(frame: &[u8]) -> Option<Message> {
        serde_json::from_slice(frame).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbage_is_no_message() {
        let nested = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        for frame in [&b""[..], b"{}", b"{\"type\":\"status\"}", b"\xff\xfe", &nested] {
            assert!(Message::parse(frame).is_none());
        }
    }

    #[test]
    fn the_end_of_a_program_needs_no_field() {
        assert!(matches!(Message::parse(b"{\"type\":\"done\"}"), Some(Message::Done(_))));
    }
}
