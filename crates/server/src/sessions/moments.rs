//! The states that a session can return to.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use execute_python_engine::protocol::{Checkpoint, Difference, SessionState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{delete, find, get, post};
use crate::api::Api;
use crate::auth::Caller;
use crate::extract::{Json, OptionalJson};
use crate::problem::Problem;
use crate::service::Service;

pub(super) fn routes(api: Api) -> Api {
    let path = "/v1/sessions/{id}/checkpoints";
    let one = "/v1/sessions/{id}/checkpoints/{name}";
    let diff = "/v1/sessions/{id}/checkpoints/{name}/diff";
    let keep = post(path, "Keeps the present state")
        .takes::<Naming>()
        .or_nothing()
        .gives::<Checkpoint>(201);
    let rewind = post("/v1/sessions/{id}/rewind", "Returns to an earlier state").takes::<Rewind>();
    api.route(get(path, "Lists the states to return to").gives::<Checkpoints>(200), list)
        .route(keep, self::keep)
        .route(delete(one, "Forgets a checkpoint").gives_nothing(204), forget)
        .route(get(diff, "Says what is different now").gives::<Difference>(200), difference)
        .route(rewind.gives::<SessionState>(200), self::rewind)
}

/// The states that a session can return to.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checkpoints {
    /// The oldest first.
    checkpoints: Vec<Checkpoint>,
}

/// How a checkpoint is called.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Naming {
    /// Its name.
    name: Option<String>,
}

/// Where to return to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rewind {
    /// The id or name of a checkpoint, or the id of a run: the state after it.
    pub(super) to: String,
}

async fn list(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<Checkpoints>, Problem> {
    let checkpoints = find(&service, &caller, &id)?.checkpoints().await?;
    Ok(axum::Json(Checkpoints { checkpoints }))
}

async fn keep(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    OptionalJson(Naming { name }): OptionalJson<Naming>,
) -> Result<(StatusCode, axum::Json<Checkpoint>), Problem> {
    let checkpoint = find(&service, &caller, &id)?.checkpoint(name).await?;
    Ok((StatusCode::CREATED, axum::Json(checkpoint)))
}

async fn forget(
    State(service): State<Service>,
    caller: Caller,
    Path((id, name)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    find(&service, &caller, &id)?.drop_checkpoint(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn difference(
    State(service): State<Service>,
    caller: Caller,
    Path((id, name)): Path<(String, String)>,
) -> Result<axum::Json<Difference>, Problem> {
    Ok(axum::Json(find(&service, &caller, &id)?.diff(&name).await?))
}

async fn rewind(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Json(Rewind { to }): Json<Rewind>,
) -> Result<axum::Json<SessionState>, Problem> {
    Ok(axum::Json(find(&service, &caller, &id)?.rewind(&to).await?))
}
