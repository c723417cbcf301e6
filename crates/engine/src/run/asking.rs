//! What the program of a run asks of its caller, and the answers.

use std::time::Instant;

use execute_python_protocol::Event;
use serde_json::{Map, Value};

use super::{Run, Stop};
use crate::offer::Reply;

impl Run {
    /// Until when the program may go on as it does: while it waits for the caller, its own time stands
    /// still.
    pub(super) fn deadline(&self) -> Instant {
        match self.questions.deadline() {
            Some(deadline) if self.stop.is_none() => deadline,
            _ => self.patience,
        }
    }

    /// Takes a wish for a line of input.
    pub(super) fn input(&mut self, id: String, prompt: String, password: bool) {
        let offered = if self.task.offer.interactive { Ok(()) } else { Err("nobody answers") };
        let event = Event::InputRequested { id: id.clone(), prompt, password };
        self.ask(id, event, offered);
    }

    /// Takes a call of a function of the caller.
    pub(super) fn call(&mut self, id: String, name: String, arguments: Map<String, Value>) {
        let is_offered = self.task.offer.tools.iter().any(|tool| tool.name == name);
        let offered = if is_offered { Ok(()) } else { Err("there is no such function") };
        let event = Event::ToolCall { id: id.clone(), name, arguments };
        self.ask(id, event, offered);
    }

    fn ask(&mut self, id: String, event: Event, offered: Result<(), &str>) {
        if !self.questions.ask(&id) {
            self.kill(Stop::Cancelled);
            return self.notes.push("the program asked the caller too often".into());
        }
        match offered {
            Ok(()) => drop(self.task.events.send(event)),
            Err(reason) => self.reply(&Reply::failed(id, reason)),
        }
    }

    /// Hands an answer of the caller over.
    pub(super) fn reply(&mut self, reply: &Reply) {
        let Some((answer, still)) = self.questions.answer(reply) else { return };
        self.worker.channel.put(answer.as_bytes());
        if self.stop.is_none() {
            self.patience += still;
        }
    }
}
