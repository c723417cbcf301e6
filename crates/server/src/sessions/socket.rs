//! A live session over a WebSocket: the client says what to do, and events come as they happen.
//!
//! One run goes on at a time. A client that goes away cancels it; the session stays.

use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::response::Response;
use execute_python_engine::Session;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::time::{Interval, interval};

use super::find;
use super::moments::Rewind;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::runs::{self, Command, InputAnswer, Ongoing, RunBody, ToolAnswer};
use crate::service::Service;

/// The longest message in bytes.
const LONGEST_MESSAGE: usize = 16 << 20;
/// How often the client is asked whether it is there, and how many times it may say nothing.
const BEAT: Duration = Duration::from_secs(20);
const MOST_SILENT: u32 = 3;

/// Turns a request into a WebSocket.
pub(crate) async fn open(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let session = find(&service, &caller, &id)?;
    let (mut parts, _) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &service).await;
    let upgrade = upgrade.map_err(|error| {
        Problem::new(error.status(), "websocket_wanted", error.body_text())
            .hint("this path is for WebSockets")
    })?;
    let upgrade = upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE);
    let tasks = service.tasks().clone();
    Ok(upgrade.on_upgrade(move |socket| {
        let live = Live { service, caller, session, socket, ongoing: None, silent: 0 };
        // It is waited for like a connection when the service stops.
        tasks.track_future(live.serve())
    }))
}

struct Live {
    service: Service,
    caller: Caller,
    session: Session,
    socket: WebSocket,
    ongoing: Option<Ongoing>,
    silent: u32,
}

/// What the loop woke up for.
enum Woke {
    Said(String),
    Event(Value),
    Beat,
    Nothing,
    Gone,
}

impl Live {
    async fn serve(mut self) {
        let mut beat = interval(BEAT);
        loop {
            let answer = match self.wake(&mut beat).await {
                Woke::Said(text) => self
                    .obey(&text)
                    .await
                    .unwrap_or_else(|problem| Some(json!({ "type": "error", "problem": problem }))),
                Woke::Event(event) => Some(event),
                Woke::Beat => {
                    self.silent += 1;
                    let alive = self.socket.send(Message::Ping(Vec::new().into())).await.is_ok();
                    if !alive || self.silent > MOST_SILENT {
                        return;
                    }
                    None
                }
                Woke::Nothing => None,
                Woke::Gone => return,
            };
            if let Some(answer) = answer
                && self.socket.send(Message::Text(answer.to_string().into())).await.is_err()
            {
                return;
            }
        }
    }

    async fn wake(&mut self, beat: &mut Interval) -> Woke {
        let Self { service, ongoing, socket, silent, .. } = self;
        let idle = ongoing.is_none();
        let event = async {
            match ongoing {
                Some(ongoing) => ongoing.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = event => {
                if let Some(event) = event {
                    return Woke::Event(json!(event));
                }
                *ongoing = None;
                Woke::Nothing
            }
            message = socket.recv() => {
                *silent = 0;
                match message {
                    Some(Ok(Message::Text(text))) => Woke::Said(text.to_string()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => Woke::Gone,
                    Some(Ok(_)) => Woke::Nothing,
                }
            }
            _ = beat.tick() => Woke::Beat,
            () = service.stopping().cancelled(), if idle => Woke::Gone,
        }
    }

    /// Does what the client says; gives what is to be answered at once.
    async fn obey(&mut self, text: &str) -> Result<Option<Value>, Problem> {
        let mut fields: Map<String, Value> = crate::extract::parse(text.as_bytes())?;
        let Some(Value::String(said)) = fields.remove("type") else {
            let detail = "the message has no text `type`";
            return Err(Problem::unprocessable("field_not_valid", detail).field("type"));
        };
        match said.as_str() {
            "run" => self.run(take(fields)?).await?,
            "interrupt" => self.session.interrupt(),
            "cancel" => self.tell(Command::Cancel)?,
            "input" => self.tell(take::<InputAnswer>(fields)?.into())?,
            "tool_result" => self.tell(take::<ToolAnswer>(fields)?.try_into()?)?,
            "rewind" => {
                let Rewind { to } = take(fields)?;
                let state = self.session.rewind(&to).await?;
                return Ok(Some(json!({ "type": "rewound", "state": state })));
            }
            _ => {
                let detail = format!("there is no message `{said}`");
                return Err(Problem::unprocessable("field_not_valid", detail)
                    .field("type")
                    .hint("say run, interrupt, cancel, input, tool_result or rewind"));
            }
        }
        Ok(None)
    }

    async fn run(&mut self, mut body: RunBody) -> Result<(), Problem> {
        if self.ongoing.as_ref().is_some_and(|ongoing| !ongoing.is_over()) {
            return Err(execute_python_engine::Error::SessionBusy.into());
        }
        body.session = Some(self.session.id().to_owned());
        self.ongoing = Some(runs::begin(&self.service, self.caller.clone(), body, None).await?);
        Ok(())
    }

    /// Tells the run that goes on.
    fn tell(&self, command: Command) -> Result<(), Problem> {
        let caller = &self.caller;
        runs::tell_session(&self.service, caller, self.session.id(), command).map(drop)
    }
}

/// What a message says beside its type.
fn take<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, Problem> {
    serde_json::from_value(Value::Object(fields))
        .map_err(|error| Problem::unprocessable("field_not_valid", error.to_string()))
}
