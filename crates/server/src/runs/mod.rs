//! Running code: one request, one run, and its outcome or its events.

mod body;
mod live;
mod ongoing;
mod stream;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::api::{Api, Operation};
use crate::auth::{Access, Caller};
use crate::extract::Json;
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;

use body::RunBody;
pub(crate) use live::Live;
use ongoing::Ongoing;
use stream::Form;

pub(crate) fn routes(api: Api) -> Api {
    let post =
        |path, summary| Operation::new(Method::POST, path, Access::Needs(Scope::Run), summary);
    api.route(post("/v1/runs", "Runs code and gives its outcome or its events"), create)
        .route(post("/v1/runs/{id}/cancel", "Cancels a run; its outcome still comes"), cancel)
}

async fn create(
    State(service): State<Service>,
    caller: Caller,
    headers: HeaderMap,
    Json(body): Json<RunBody>,
) -> Result<Response, Problem> {
    let form = Form::wanted(&headers, body.stream);
    let mut ongoing = Ongoing::start(&service, caller, body).await?;
    match form {
        Form::Outcome => {
            let outcome = ongoing.outcome().await?;
            let bytes = serde_json::to_vec(&outcome);
            let bytes = bytes.map_err(|error| Problem::ours("write the outcome", &error))?;
            Ok(([(CONTENT_TYPE, "application/json")], bytes).into_response())
        }
        form => Ok(stream::answer(ongoing, form)),
    }
}

async fn cancel(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    if service.live().cancel(&caller.tenant, &id) {
        return Ok(StatusCode::ACCEPTED);
    }
    Err(Problem::missing("run", &id).hint("only a run that goes on can be cancelled"))
}
