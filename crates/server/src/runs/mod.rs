//! Running code: one request, one run, and its outcome or its events.

mod background;
mod body;
mod idempotency;
mod input;
mod live;
mod look;
mod ongoing;
mod stream;
mod webhook;

use std::time::Duration;

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::admission::Patience;
use crate::api::{Api, Operation};
use crate::auth::{Access, Caller};
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;

pub(crate) use background::pick_up;
use body::RunBody;
pub(crate) use idempotency::free_unanswered;
use idempotency::{Slot, Turn};
use input::Input;
pub(crate) use live::Live;
use ongoing::{Ongoing, Start};
use stream::Form;
pub(crate) use webhook::Webhooks;

pub(crate) fn routes(api: Api) -> Api {
    let run =
        |method, path, summary| Operation::new(method, path, Access::Needs(Scope::Run), summary);
    let post = |path, summary| run(Method::POST, path, summary);
    let get = |path, summary| run(Method::GET, path, summary);
    let records =
        |path, summary| Operation::new(Method::GET, path, Access::Needs(Scope::Records), summary);
    api.route(post("/v1/runs", "Runs code and gives its outcome or its events"), create)
        .route(records("/v1/runs", "Lists the records of runs, the newest first"), look::list)
        .route(
            get("/v1/runs/{id}", "Says how a run is, and its outcome when it is over"),
            look::get,
        )
        .route(get("/v1/runs/{id}/events", "Gives the events of a background run"), look::events)
        .route(post("/v1/runs/{id}/cancel", "Cancels a run; its outcome still comes"), look::cancel)
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
    Input { headers, body, repeatable }: Input,
) -> Result<Response, Problem> {
    let slot = match repeatable {
        None => None,
        Some(asked) => match idempotency::turn(&service, &caller.tenant, asked).await? {
            Turn::First(slot) => Some(slot),
            Turn::Again(answer) => return Ok(stream::again(answer, &headers, body.stream)),
        },
    };
    if body.background {
        return accept(&service, caller, body, slot).await;
    }
    if body.webhook.is_some() {
        let detail = "a webhook is for background runs";
        return Err(Problem::unprocessable("webhook_not_valid", detail).field("webhook"));
    }
    run(&service, caller, body, slot, &headers).await
}

async fn run(
    service: &Service,
    caller: Caller,
    body: RunBody,
    slot: Option<Slot>,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let form = Form::wanted(headers, body.stream);
    service.admission().count(&caller.tenant)?;
    let patience = Patience::Client(Duration::from_secs(service.config().queue_seconds));
    let permit = service.admission().permit(&caller.tenant, patience).await?;
    let start = Start { caller, body, permit, background: None, slot };
    let mut ongoing = Ongoing::start(service, start).await?;
    if form != Form::Outcome {
        return Ok(stream::answer(ongoing, form));
    }
    let outcome = ongoing.outcome().await?;
    let bytes = serde_json::to_vec(&outcome);
    let bytes = bytes.map_err(|error| Problem::ours("write the outcome", &error))?;
    Ok(([(CONTENT_TYPE, "application/json")], bytes).into_response())
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
