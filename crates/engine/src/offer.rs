//! What the caller of a run offers to its program: functions, and answers to `input()`; and what of it is
//! under way.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use execute_python_protocol::ToolDefinition;
use serde_json::{Value, json};

use crate::error::Error;

/// How long the caller may take to answer.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_mins(5);
/// The most functions of a run, the longest description of all together in bytes, and the most questions.
const MOST_TOOLS: usize = 128;
const LONGEST_OFFER: usize = 1 << 20;
const MOST_QUESTIONS: u64 = 10_000;
/// The longest answer in bytes.
const LONGEST_ANSWER: usize = 8 << 20;

/// What the caller of a run offers to its program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Offer {
    pub(crate) tools: Vec<ToolDefinition>,
    /// Whether it answers `input()`.
    pub(crate) interactive: bool,
}

impl Offer {
    /// Checks what a caller offers.
    pub(crate) fn new(tools: Vec<ToolDefinition>, interactive: bool) -> Result<Offer, Error> {
        let offer = Offer { tools, interactive };
        let refuse = |name: &str, reason: &str| {
            Err(Error::Tool { name: name.to_owned(), reason: reason.to_owned() })
        };
        if offer.tools.len() > MOST_TOOLS {
            return refuse(&offer.tools[MOST_TOOLS].name, "is one too many: 128 are taken");
        }
        for tool in &offer.tools {
            if !is_identifier(&tool.name) {
                return refuse(&tool.name, "has a name that is no Python identifier");
            }
            if !tool.input_schema.is_object() && !tool.input_schema.is_null() {
                return refuse(&tool.name, "has an input_schema that is no JSON object");
            }
        }
        if offer.to_json().len() > LONGEST_OFFER {
            return refuse("", "and the others are described in more than 1 MiB");
        }
        Ok(offer)
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty() && !self.interactive
    }

    /// What the worker is told.
    pub(crate) fn to_json(&self) -> String {
        json!({"tools": self.tools, "interactive": self.interactive}).to_string()
    }
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && name.len() <= 128
}

/// What a caller answers.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The question.
    pub(crate) id: String,
    pub(crate) answer: Answer,
}

/// An answer.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A line of input; without one the input has ended.
    Line(Option<String>),
    /// What a function gave, or why it failed.
    Result(Result<Value, String>),
}

/// The questions of a run that are under way.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    open: HashMap<String, Instant>,
    asked: u64,
    /// Since when the program waits.
    since: Option<Instant>,
    /// How long it waited before that.
    waited: Duration,
}

impl Questions {
    /// Notes a question. Gives `false` if there were too many.
    pub(crate) fn ask(&mut self, id: &str) -> bool {
        self.asked += 1;
        if self.asked > MOST_QUESTIONS {
            return false;
        }
        let now = Instant::now();
        self.open.insert(id.to_owned(), now);
        self.since.get_or_insert(now);
        true
    }

    /// The frame that answers a question that is open, and how long the program's time stood still, once
    /// it goes on.
    pub(crate) fn answer(&mut self, reply: &Reply) -> Option<(String, Duration)> {
        self.open.remove(&reply.id)?;
        let mut still = Duration::ZERO;
        if self.open.is_empty() {
            still = self.since.take().map_or(still, |since| since.elapsed());
            self.waited += still;
        }
        Some((reply.to_json(), still))
    }

    /// Until when the caller may answer, while the program waits.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        Some(*self.open.values().min()? + ANSWERED_WITHIN)
    }

    /// The questions that nobody answered in time.
    pub(crate) fn overdue(&self) -> Vec<String> {
        let late = |asked: &Instant| asked.elapsed() >= ANSWERED_WITHIN;
        self.open.iter().filter(|(_, asked)| late(asked)).map(|(id, _)| id.clone()).collect()
    }

    /// How long the program waited in all.
    pub(crate) fn waited(&self) -> Duration {
        self.waited + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Reply {
    /// A failure in place of an answer.
    pub(crate) fn failed(id: String, reason: &str) -> Reply {
        Reply { id, answer: Answer::Result(Err(reason.to_owned())) }
    }

    fn to_json(&self) -> String {
        let id = &self.id;
        let text = match &self.answer {
            Answer::Line(Some(line)) => json!({"id": id, "text": line}),
            Answer::Line(None) => json!({"id": id}),
            Answer::Result(Ok(value)) => json!({"id": id, "result": value}),
            Answer::Result(Err(error)) => json!({"id": id, "error": error}),
        }
        .to_string();
        if text.len() <= LONGEST_ANSWER {
            return text;
        }
        json!({"id": id, "error": format!("the answer is {} bytes long, too long", text.len())})
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_python_could_not_name_is_refused() {
        let tool = |name: &str| ToolDefinition {
            name: name.into(),
            description: String::new(),
            input_schema: Value::Null,
        };
        assert!(Offer::new(vec![tool("weather_2"), tool("größe")], false).is_ok());
        for name in ["", "2a", "a-b", "a b", "a.b"] {
            let error = Offer::new(vec![tool(name)], false).unwrap_err();
            assert_eq!(error.code(), "tool_not_usable", "{name}");
        }
    }

    #[test]
    fn time_stands_still_while_any_question_is_open() {
        let mut questions = Questions::default();
        assert!(questions.ask("1") && questions.ask("2"));
        let reply = |id: &str| Reply { id: id.into(), answer: Answer::Line(None) };
        assert_eq!(questions.answer(&reply("1")).unwrap().1, Duration::ZERO);
        assert!(questions.answer(&reply("1")).is_none(), "each is answered once");
        let (text, still) = questions.answer(&reply("2")).unwrap();
        assert_eq!((text.as_str(), questions.waited()), ("{\"id\":\"2\"}", still));
        assert!(questions.deadline().is_none());
    }
}
