//! Whether the service is there, and takes new runs.

use axum::extract::State;
use axum::http::Method;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::{Api, Operation};
use crate::auth::Access;
use crate::problem::Problem;
use crate::service::Service;

pub(crate) fn routes(api: Api) -> Api {
    let get = |path, summary| Operation::new(Method::GET, path, Access::Open, summary);
    let healthy = get("/healthz", "Says that the process answers").gives::<Health>(200);
    let ready = get("/readyz", "Says whether new runs are taken").gives::<Health>(200);
    api.route(healthy, healthz).route(ready, readyz)
}

/// How the service is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`, or `ready`.
    status: &'static str,
    /// The version of execute-python.
    version: &'static str,
}

impl Health {
    fn new(status: &'static str) -> axum::Json<Self> {
        axum::Json(Self { status, version: env!("CARGO_PKG_VERSION") })
    }
}

async fn healthz() -> axum::Json<Health> {
    Health::new("ok")
}

async fn readyz(State(service): State<Service>) -> Result<axum::Json<Health>, Problem> {
    if service.admission().is_closed() {
        let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
        return Err(Problem::new(status, "stopping", "the service is stopping"));
    }
    Ok(Health::new("ready"))
}
