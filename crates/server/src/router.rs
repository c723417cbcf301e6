//! All routes together, and the layers around them.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

use crate::api::Api;
use crate::edge::edge;
use crate::guard::guard;
use crate::service::Service;
use crate::{artifacts, health, runs};

/// The routes of the service. Others can be merged in before the layers are laid around all.
pub fn router(service: Service) -> Router {
    let body_bytes = service.config().body_bytes;
    let api = Api::new(service.clone());
    let api = runs::routes(api);
    let api = artifacts::routes(api);
    let api = health::routes(api);
    api.into_router()
        .layer(DefaultBodyLimit::max(body_bytes))
        .layer(from_fn_with_state(service.clone(), guard))
        .layer(CatchPanicLayer::new())
        .layer(from_fn(edge))
        .layer(compression())
        .with_state(service)
}

/// Compresses what is worth it, and nothing that is to arrive as it happens.
fn compression() -> CompressionLayer<impl Predicate> {
    let whole = NotForContentType::const_new("application/x-ndjson");
    CompressionLayer::new().compress_when(DefaultPredicate::new().and(whole))
}
