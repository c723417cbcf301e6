//! Events as they happen: server-sent events, or one JSON text a line.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::idempotency::Answer;
use super::live::Followed;
use super::ongoing::Ongoing;

/// How long a stream is silent at most: some proxies end what says nothing.
const SILENCE: Duration = Duration::from_secs(15);

/// How the answer to a run comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The outcome, at the end.
    Outcome,
    /// Server-sent events.
    Sse,
    /// One event a line.
    Ndjson,
}

impl Form {
    /// What the client wants: `Accept` first, then what the body says.
    pub(crate) fn wanted(headers: &HeaderMap, stream: bool) -> Self {
        let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if accept.contains("application/x-ndjson") {
            Form::Ndjson
        } else if stream || accept.contains("text/event-stream") {
            Form::Sse
        } else {
            Form::Outcome
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Form::Outcome => "application/json",
            Form::Sse => "text/event-stream",
            Form::Ndjson => "application/x-ndjson",
        }
    }

    /// One event on the wire.
    fn frame(self, number: u64, json: &str) -> Bytes {
        match self {
            Form::Sse => {
                let name = name_of(json);
                format!("id: {number}\nevent: {name}\ndata: {json}\n\n").into()
            }
            Form::Outcome | Form::Ndjson => format!("{json}\n").into(),
        }
    }

    /// What is sent when nothing happens: it means nothing.
    fn silence(self) -> Bytes {
        Bytes::from_static(if self == Form::Sse { b": \n\n" } else { b"\n" })
    }
}

/// The type of an event, which is the first thing in its JSON.
fn name_of(json: &str) -> &str {
    json.strip_prefix(r#"{"type":""#).and_then(|rest| rest.split('"').next()).unwrap_or("message")
}

/// The events of a run as the body of an answer. Dropping it cancels the run.
pub(crate) fn answer(ongoing: Ongoing, form: Form) -> Response {
    let events = stream::unfold((ongoing, 0), move |(mut ongoing, number)| async move {
        match timeout(SILENCE, ongoing.next()).await {
            Ok(Some(event)) => {
                // Plain data that is made of texts and numbers always serialises.
                let json = serde_json::to_string(&event).unwrap_or_default();
                Some((form.frame(number + 1, &json), (ongoing, number + 1)))
            }
            Ok(None) => None,
            Err(_) => Some((form.silence(), (ongoing, number))),
        }
    });
    respond(events, form)
}

/// The events of a run that goes on by itself, from the one after `last`.
pub(crate) fn follow(followed: Arc<Followed>, last: u64, form: Form) -> Response {
    let progress = followed.progress();
    let events = stream::unfold((progress, last), move |(mut progress, number)| {
        let followed = Arc::clone(&followed);
        async move {
            let at = usize::try_from(number).ok()?;
            let come = progress.wait_for(|progress| progress.events > at || progress.over);
            let come = timeout(SILENCE, come).await.map(|_| ());
            match (followed.event(at), come) {
                (Some(json), _) => {
                    let json = String::from_utf8_lossy(&json);
                    Some((form.frame(number + 1, &json), (progress, number + 1)))
                }
                (None, Ok(())) => None,
                (None, Err(_)) => Some((form.silence(), (progress, number))),
            }
        }
    });
    respond(events, form)
}

/// The last event alone.
pub(crate) fn last(outcome: &RawValue, number: u64, form: Form) -> Response {
    let json = format!(r#"{{"type":"finished","outcome":{outcome}}}"#);
    respond(stream::iter([form.frame(number, &json)]), form)
}

/// The answer to a repeated request, in the form that is wanted now.
pub(crate) fn again(answer: Answer, headers: &HeaderMap, stream: bool) -> Response {
    let form = Form::wanted(headers, stream);
    match (form, RawValue::from_string(answer.body.clone())) {
        (Form::Sse | Form::Ndjson, Ok(outcome)) if answer.status == StatusCode::OK => {
            last(&outcome, 1, form)
        }
        _ => answer.into_response(),
    }
}

fn respond(events: impl Stream<Item = Bytes> + Send + 'static, form: Form) -> Response {
    let headers = [
        (CONTENT_TYPE.as_str(), form.content_type()),
        (CACHE_CONTROL.as_str(), "no-store"),
        // Proxies such as nginx hold back what they may collect.
        ("x-accel-buffering", "no"),
    ];
    (headers, Body::from_stream(events.map(Ok::<_, Infallible>))).into_response()
}

#[cfg(test)]
mod tests {
    use execute_python_engine::protocol::Event;

    use super::*;

    #[test]
    fn an_event_is_named_by_its_type() {
        let event = Event::Stdout { text: "{\"type\":\"x\"\n".into() };
        let frame = Form::Sse.frame(7, &serde_json::to_string(&event).unwrap());
        let wanted = "id: 7\nevent: stdout\ndata: {\"type\":\"stdout\",\"text\":\"{\\\"type\\\":\\\"x\\\"\\n\"}\n\n";
        assert_eq!(frame, wanted);
    }
}
