//! Running code: one request, one run, and its outcome or its events.

mod answers;
mod artifacts;
mod background;
mod body;
mod idempotency;
mod input;
mod live;
mod look;
mod ongoing;
mod stream;
mod webhook;

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use execute_python_engine as engine;
use execute_python_engine::protocol::{Event, Outcome};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;
use tracing::Instrument as _;

use crate::admission::Patience;
use crate::api::{Api, Operation};
use crate::auth::{Access, Caller};
use crate::keys::Scope;
use crate::problem::Problem;
use crate::records::{Filter, Page};
use crate::service::Service;
use crate::sessions;

pub(crate) use answers::{InputAnswer, ToolAnswer};
pub(crate) use background::pick_up;
pub(crate) use body::{FileEntry, RunBody};
pub(crate) use idempotency::free_unanswered;
use idempotency::{Slot, Turn};
pub(crate) use input::Input;
pub(crate) use live::{Command, Live};
pub(crate) use ongoing::Ongoing;
use ongoing::Start;
use stream::Form;
pub(crate) use webhook::Webhooks;

pub(crate) fn routes(api: Api) -> Api {
    let records = Operation::new(
        Method::GET,
        "/v1/runs",
        Access::Needs(Scope::Records),
        "Lists the records of runs, the newest first",
    );
    let api = api
        .route(runs("/v1/runs", "Runs code and gives its outcome or its events"), create)
        .route(records.query::<Filter>().gives::<Page>(200), look::list);
    let get = |path, summary| of_run(Method::GET, path, summary);
    let post = |path, summary| of_run(Method::POST, path, summary).gives_nothing(202);
    let state = get("/v1/runs/{id}", "Says how a run is, and its outcome when it is over");
    let events = get("/v1/runs/{id}/events", "Gives the events of a background run");
    let events = events.header("last-event-id", "Only events after this one").streams::<Event>();
    let input = post("/v1/runs/{id}/input", "Answers a run that asks for a line");
    let result = post("/v1/runs/{id}/tool_results", "Answers a run that calls a function");
    api.route(state.query::<look::Wait>().gives::<look::RunState>(200), look::get)
        .route(events.gives_nothing(204), look::events)
        .route(post("/v1/runs/{id}/cancel", "Cancels a run; its outcome still comes"), look::cancel)
        .route(input.takes::<InputAnswer>(), answers::input)
        .route(result.takes::<ToolAnswer>(), answers::tool_result)
}

fn of_run(method: Method, path: &'static str, summary: &'static str) -> Operation {
    Operation::new(method, path, Access::Needs(Scope::Run), summary)
}

/// An operation that runs code.
pub(crate) fn runs(path: &'static str, summary: &'static str) -> Operation {
    of_run(Method::POST, path, summary)
        .header("idempotency-key", "The same request with the same key runs once")
        .takes::<RunBody>()
        .takes_media("multipart/form-data")
        .gives::<Outcome>(200)
        .streams::<Event>()
        .gives::<Accepted>(202)
}

/// The answer to a background run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Accepted {
    /// The run.
    id: String,
    /// `queued`.
    status: &'static str,
}

async fn create(
    State(service): State<Service>,
    caller: Caller,
    input: Input,
) -> Result<Response, Problem> {
    carry_out(&service, caller, input).await
}

/// Carries a request for a run out, and answers in the form that is wanted.
pub(crate) async fn carry_out(
    service: &Service,
    caller: Caller,
    Input { headers, body, repeatable }: Input,
) -> Result<Response, Problem> {
    let slot = match repeatable {
        None => None,
        Some(asked) => match idempotency::turn(service, &caller.tenant, asked).await? {
            Turn::First(slot) => Some(slot),
            Turn::Again(answer) => return Ok(stream::again(answer, &headers, body.stream)),
        },
    };
    if body.background {
        return accept(service, caller, body, slot).await;
    }
    if body.webhook.is_some() {
        let detail = "a webhook is for background runs";
        return Err(Problem::unprocessable("webhook_not_valid", detail).field("webhook"));
    }
    let form = Form::wanted(&headers, body.stream);
    let mut ongoing = begin(service, caller, body, slot).await?;
    if form != Form::Outcome {
        return Ok(stream::answer(ongoing, form));
    }
    let outcome = ongoing.outcome().await?;
    let bytes = serde_json::to_vec(&outcome);
    let bytes = bytes.map_err(|error| Problem::ours("write the outcome", &error))?;
    Ok(([(CONTENT_TYPE, "application/json")], bytes).into_response())
}

/// Begins a run that a client waits for, when its turn has come.
pub(crate) async fn begin(
    service: &Service,
    caller: Caller,
    body: RunBody,
    slot: Option<Slot>,
) -> Result<Ongoing, Problem> {
    let begun = Instant::now();
    service.admission().count(&caller.tenant)?;
    let longest = Duration::from_secs(service.config().queue_seconds);
    let session = match &body.session {
        None => None,
        Some(id) => {
            let session = sessions::find(service, &caller, id)?;
            let turn = timeout(longest, service.turns().wait(id)).await;
            let turn = turn.ok().ok_or(engine::Error::SessionBusy)?;
            Some((session, Some(turn)))
        }
    };
    let permit = service.admission().permit(&caller.tenant, Patience::Client(longest));
    let permit = permit.instrument(tracing::info_span!("queue")).await?;
    let queue = begun.elapsed();
    let start = Start { caller, body, session, permit, begun, queue, background: None, slot };
    Ongoing::start(service, start).instrument(tracing::info_span!("start")).await
}

/// Tells the run that goes on in a session of the caller's.
pub(crate) fn tell_session(
    service: &Service,
    caller: &Caller,
    session: &str,
    command: Command,
) -> Result<StatusCode, Problem> {
    sessions::find(service, caller, session)?;
    if service.live().tell_session(session, command) {
        return Ok(StatusCode::ACCEPTED);
    }
    let detail = "no run of the session goes on";
    Err(Problem::new(StatusCode::CONFLICT, "session_idle", detail))
}

async fn accept(
    service: &Service,
    caller: Caller,
    body: RunBody,
    slot: Option<Slot>,
) -> Result<Response, Problem> {
    let id = background::accept(service, caller, body).await?;
    let location = format!("/v1/runs/{id}");
    let accepted = serde_json::to_string(&Accepted { id, status: "queued" });
    let accepted = accepted.map_err(|error| Problem::ours("write the answer", &error))?;
    if let Some(slot) = slot {
        slot.fill(StatusCode::ACCEPTED, &accepted).await?;
    }
    let headers = [(CONTENT_TYPE, "application/json"), (LOCATION, location.as_str())];
    Ok((StatusCode::ACCEPTED, headers, accepted).into_response())
}
