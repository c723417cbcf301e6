//! MCP at `/mcp`, with the same keys.

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use execute_python_mcp::Owner;

use crate::auth::{Access, Caller, Gate, admit};
use crate::keys::Scope;
use crate::service::Service;

const ROUTE: &str = "/mcp";

/// The route, with who may call it.
pub(crate) fn routes(service: &Service) -> Router<Service> {
    let gate = Gate { service: service.clone(), access: Access::Needs(Scope::Run), route: ROUTE };
    Router::new()
        .route_service(ROUTE, execute_python_mcp::http(service.engine().clone()))
        .layer(from_fn(name_owner))
        .layer(from_fn_with_state(gate, admit))
}

/// Says whose the sessions are that a client opens.
async fn name_owner(mut request: Request, next: Next) -> Response {
    if let Some(caller) = request.extensions().get::<Caller>() {
        let owner = Owner(caller.tenant.clone());
        request.extensions_mut().insert(owner);
    }
    next.run(request).await
}
