//! All routes together, and the layers around them.

use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tower::util::option_layer;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::cors::{Any, CorsLayer};
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::api::Api;
use crate::edge::edge;
use crate::guard::guard;
use crate::service::Service;
use crate::{
    artifacts, environments, files, health, mcp, metrics, reference, runs, sessions, tools,
};

/// The routes of the service. Others can be merged in before the layers are laid around all.
pub fn router(service: Service) -> Router {
    let body_bytes = service.config().body_bytes;
    let idle_timeout = Duration::from_secs(service.config().idle_timeout_seconds);
    let api = Api::new(service.clone());
    let api = runs::routes(api);
    let api = sessions::routes(api);
    let api = artifacts::routes(api);
    let api = files::routes(api);
    let api = environments::routes(api);
    let api = tools::routes(api);
    let api = metrics::routes(api);
    let api = health::routes(api);
    // Last, because it describes the others.
    let api = reference::routes(api);
    api.into_router()
        .merge(mcp::routes(&service))
        .layer(DefaultBodyLimit::max(body_bytes))
        .layer(RequestBodyTimeoutLayer::new(idle_timeout))
        .layer(option_layer(cors(&service.config().origins)))
        .layer(from_fn_with_state(service.clone(), guard))
        .layer(CatchPanicLayer::new())
        .layer(from_fn(edge))
        .layer(compression())
        .with_state(service)
}

/// Lets pages of these origins read the answers; without any nobody is told anything.
fn cors(origins: &[String]) -> Option<CorsLayer> {
    let origins: Vec<_> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    if origins.is_empty() {
        return None;
    }
    Some(CorsLayer::new().allow_origin(origins).allow_methods(Any).allow_headers(Any))
}

/// Compresses what is worth it, and nothing that is to arrive as it happens.
fn compression() -> CompressionLayer<impl Predicate> {
    let whole = NotForContentType::const_new("application/x-ndjson");
    CompressionLayer::new().compress_when(DefaultPredicate::new().and(whole))
}
