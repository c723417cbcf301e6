//! Files that runs made, to be fetched.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method};
use axum::response::Response;

use crate::api::{Api, Operation, WHATEVER};
use crate::auth::{Access, Caller};
use crate::download::download;
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;
use crate::store::Kind;

pub(crate) fn routes(api: Api) -> Api {
    let summary = "Gives a file that a run made";
    let access = Access::Needs(Scope::Run);
    let one = Operation::new(Method::GET, "/v1/artifacts/{id}", access, summary);
    let one =
        one.header("range", "Which part").gives_media(200, WHATEVER).gives_media(206, WHATEVER);
    api.route(one, get)
}

async fn get(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = service.store().get(&caller.tenant, Kind::Artifact, &id);
    let found = found.map_err(|error| Problem::ours("read the artifact", &error))?;
    let (known, path) = found.ok_or_else(|| Problem::missing("artifact", &id))?;
    download(&headers, &known, &path).await
}
