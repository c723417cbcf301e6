//! Events as they happen: server-sent events, or one JSON text a line.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use execute_python_engine::protocol::Event;
use futures_util::stream;

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
    fn frame(self, number: u64, event: &Event) -> Bytes {
        // Plain data that is made of texts and numbers always serialises.
        let json = serde_json::to_string(event).unwrap_or_default();
        match self {
            Form::Sse => {
                let name = name_of(&json);
                format!("id: {number}\nevent: {name}\ndata: {json}\n\n").into()
            }
            Form::Outcome | Form::Ndjson => (json + "\n").into(),
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
        match tokio::time::timeout(SILENCE, ongoing.next()).await {
            Ok(Some(event)) => {
                let frame = form.frame(number + 1, &event);
                Some((Ok::<_, Infallible>(frame), (ongoing, number + 1)))
            }
            Ok(None) => None,
            Err(_) => Some((Ok(form.silence()), (ongoing, number))),
        }
    });
    let headers = [
        (CONTENT_TYPE.as_str(), form.content_type()),
        (CACHE_CONTROL.as_str(), "no-store"),
        // Proxies such as nginx hold back what they may collect.
        ("x-accel-buffering", "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_named_by_its_type() {
        let event = Event::Stdout { text: "{\"type\":\"x\"\n".into() };
        let frame = Form::Sse.frame(7, &event);
        let wanted = "id: 7\nevent: stdout\ndata: {\"type\":\"stdout\",\"text\":\"{\\\"type\\\":\\\"x\\\"\\n\"}\n\n";
        assert_eq!(frame, wanted);
    }
}
