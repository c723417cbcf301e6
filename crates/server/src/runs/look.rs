//! Looking at runs, and telling them something, by their ids.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::live::{Command, Found};
use super::stream::{self, Form};
use super::{answers, background};
use crate::auth::Caller;
use crate::extract::Query;
use crate::problem::Problem;
use crate::records::{Filter, LARGEST_PAGE, Page, Record};
use crate::service::Service;

/// The longest that a client waits for the end of a run, in seconds.
const LONGEST_WAIT: u64 = 60;

/// How a run is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunState {
    /// The run.
    id: String,
    /// `queued`, `running`, `failed`, or how it ended.
    status: String,
    /// How it ended, whole; where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<execute_python_engine::protocol::Outcome>")]
    outcome: Option<Box<RawValue>>,
    /// Why a background run could not be carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Problem>")]
    problem: Option<Box<RawValue>>,
    /// What is recorded of it, when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Record>,
}

/// How long a client waits.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wait {
    /// Seconds to wait for the end of the run, at most 60.
    #[serde(default)]
    wait: u64,
}

impl RunState {
    fn new(id: &str, status: impl Into<String>) -> Self {
        let (outcome, problem, record) = Default::default();
        Self { id: id.to_owned(), status: status.into(), outcome, problem, record }
    }
}

pub(crate) async fn get(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Query(Wait { wait }): Query<Wait>,
) -> Result<axum::Json<RunState>, Problem> {
    let wait = Duration::from_secs(wait.min(LONGEST_WAIT));
    match service.live().find(&caller.tenant, &id) {
        Found::Followed(followed) => {
            let mut progress = followed.progress();
            let over = progress.wait_for(|progress| progress.over);
            drop(tokio::time::timeout(wait, over).await);
            let now = *progress.borrow();
            if !now.over {
                let status = if now.started { "running" } else { "queued" };
                return Ok(axum::Json(RunState::new(&id, status)));
            }
        }
        Found::Attended => return Ok(axum::Json(RunState::new(&id, "running"))),
        Found::Nothing => {}
    }
    let state = finished(&service, &caller.tenant, &id).await?;
    state.map(axum::Json).ok_or_else(|| Problem::missing("run", &id))
}

/// How a run ended, as far as it is kept.
async fn finished(service: &Service, tenant: &str, id: &str) -> Result<Option<RunState>, Problem> {
    service.recorder().flush().await;
    let kept = service.records().get(Some(tenant), id).await;
    let kept = kept.map_err(|error| Problem::ours("read the record", &error))?;
    let known = background::known(service, tenant, id).await;
    let known = known.map_err(|error| Problem::ours("read the outcome", &error))?;
    let mut state = RunState::new(id, "queued");
    if kept.is_none() && known.is_none() {
        return Ok(None);
    }
    if let Some(kept) = kept {
        kept.record.status.as_str().clone_into(&mut state.status);
        state.outcome = kept.outcome;
        state.record = Some(kept.record);
    }
    if let Some(known) = known {
        state.status = known.status.unwrap_or(state.status);
        let place = if state.status == "failed" { &mut state.problem } else { &mut state.outcome };
        *place = known.outcome;
    }
    Ok(Some(state))
}

pub(crate) async fn events(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let last = last.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let form = match Form::wanted(&headers, false) {
        Form::Ndjson => Form::Ndjson,
        Form::Outcome | Form::Sse => Form::Sse,
    };
    if let Found::Followed(followed) = service.live().find(&caller.tenant, &id) {
        return Ok(stream::follow(followed, last, form));
    }
    let known = background::known(&service, &caller.tenant, &id).await;
    let known = known.map_err(|error| Problem::ours("read the outcome", &error))?;
    let hint = "only the events of background runs are kept";
    let known = known.ok_or_else(|| Problem::missing("run", &id).hint(hint))?;
    match known.outcome {
        // The others are not kept so long; the last one says all of them.
        Some(outcome) if last < known.events => Ok(stream::last(&outcome, known.events, form)),
        // It tells a browser not to come again.
        _ => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

pub(crate) async fn cancel(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    answers::tell(&service, &caller, &id, Command::Cancel)
}

pub(crate) async fn list(
    State(service): State<Service>,
    caller: Caller,
    Query(filter): Query<Filter>,
) -> Result<axum::Json<Page>, Problem> {
    if filter.limit.is_some_and(|limit| !(1..=LARGEST_PAGE).contains(&limit)) {
        let detail = format!("a page has 1 to {LARGEST_PAGE} records");
        return Err(Problem::unprocessable("query_not_valid", detail).field("limit"));
    }
    service.recorder().flush().await;
    let page = service.records().list(Some(&caller.tenant), &filter).await;
    page.map(axum::Json).map_err(|error| Problem::ours("list the records", &error))
}
