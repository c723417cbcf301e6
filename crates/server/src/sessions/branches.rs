//! Branches of a session: several ways to go on from one state, and the choice of one.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use execute_python_engine::Session;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Sessions, find, must_have_room, post};
use crate::api::Api;
use crate::auth::Caller;
use crate::extract::Json;
use crate::problem::Problem;
use crate::service::Service;

/// The most branches that are made at once.
const MOST: usize = 64;

pub(super) fn routes(api: Api) -> Api {
    let fork = post("/v1/sessions/{id}/fork", "Makes sessions that go on from the present state");
    let adopt = post("/v1/sessions/{id}/adopt", "Makes the state of a branch its own");
    api.route(fork.takes::<Fork>().gives::<Sessions>(200), self::fork)
        .route(adopt.takes::<Adopt>().gives_nothing(204), self::adopt)
}

/// How many branches are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fork {
    /// At least one, at most 64.
    #[schemars(range(min = 1, max = 64))]
    count: usize,
}

/// Whose state is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Adopt {
    /// The session that is closed for it.
    branch: String,
}

async fn fork(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Json(Fork { count }): Json<Fork>,
) -> Result<axum::Json<Sessions>, Problem> {
    if !(1..=MOST).contains(&count) {
        let detail = format!("1 to {MOST} branches are made at once");
        return Err(Problem::unprocessable("field_not_valid", detail).field("count"));
    }
    let session = find(&service, &caller, &id)?;
    must_have_room(&service, &caller, count)?;
    let branches = session.fork(count).await?;
    let sessions: Vec<_> = branches.iter().map(Session::info).collect();
    for info in &sessions {
        let body = serde_json::json!({ "parent": id, "key": caller.key });
        service.recorder().event(&caller.tenant, "session_opened", &info.id, &body).await;
    }
    Ok(axum::Json(Sessions { sessions }))
}

async fn adopt(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Json(Adopt { branch }): Json<Adopt>,
) -> Result<StatusCode, Problem> {
    let session = find(&service, &caller, &id)?;
    let branch = find(&service, &caller, &branch)?;
    session.adopt(branch).await?;
    Ok(StatusCode::NO_CONTENT)
}
