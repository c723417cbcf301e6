//! Files that runs made, to be fetched.

use axum::extract::{Path, Request, State};
use axum::http::Method;
use axum::response::Response;

use crate::api::{Api, Operation};
use crate::auth::{Access, Caller};
use crate::download::download;
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;
use crate::store::Kind;

pub(crate) fn routes(api: Api) -> Api {
    let summary = "Gives a file that a run made";
    let access = Access::Needs(Scope::Run);
    api.route(Operation::new(Method::GET, "/v1/artifacts/{id}", access, summary), get)
}

async fn get(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let found = service.store().get(&caller.tenant, Kind::Artifact, &id);
    let found = found.map_err(|error| Problem::ours("read the artifact", &error))?;
    let (known, path) = found.ok_or_else(|| Problem::missing("artifact", &id))?;
    download(request, &known, &path).await
}
