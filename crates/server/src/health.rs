//! Whether the service is there, and where its interface is.

use axum::extract::State;
use axum::http::Method;
use axum::response::Html;
use serde_json::{Value, json};

use crate::api::{Api, Operation};
use crate::auth::Access;
use crate::problem::Problem;
use crate::service::Service;

pub(crate) fn routes(api: Api) -> Api {
    let get = |path, summary| Operation::new(Method::GET, path, Access::Open, summary);
    api.route(get("/healthz", "Says that the process answers"), healthz)
        .route(get("/readyz", "Says whether new runs are taken"), readyz)
        .route(get("/", "A page that says where the interface is"), front)
}

async fn healthz() -> axum::Json<Value> {
    axum::Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

async fn readyz(State(service): State<Service>) -> Result<axum::Json<Value>, Problem> {
    if service.admission().is_closed() {
        let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
        return Err(Problem::new(status, "stopping", "the service is stopping"));
    }
    Ok(axum::Json(json!({ "status": "ready" })))
}

async fn front() -> Html<&'static str> {
    Html(include_str!("front.html"))
}
