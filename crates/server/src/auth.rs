//! Whose request it is, and whether it may do what it asks.
//!
//! Every operation is declared with the [`Access`] that it takes, and [`admit`] stands before each
//! one, so none can be forgotten.

use std::time::Instant;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use crate::edge::RequestId;
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;
use crate::telemetry;

/// The tenant of requests on the loopback that bring no key.
const LOCAL: &str = "local";

/// Who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody.
    Open,
    /// Who has this scope.
    Needs(Scope),
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Caller {
    /// Whose runs, files and records these are.
    pub(crate) tenant: String,
    /// The id of the key; none on the loopback.
    pub(crate) key: Option<String>,
    /// The id of the request.
    pub(crate) request_id: String,
    /// The trace that the request came with, or became.
    #[serde(default)]
    pub(crate) trace: Option<String>,
}

/// What stands before an operation knows.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    pub(crate) service: Service,
    pub(crate) access: Access,
    pub(crate) route: &'static str,
}

/// Stands before an operation: finds out who asks, lets through who may, and tells of it.
pub(crate) async fn admit(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let method = request.method().clone();
    let span = tracing::info_span!("request", %method, route = gate.route, request_id = id);
    telemetry::continue_trace(&span, request.headers());
    let begun = Instant::now();
    let answered = async {
        if let Access::Needs(scope) = gate.access {
            match caller(&gate.service, request.headers(), scope, id).await {
                Ok(caller) => drop(request.extensions_mut().insert(caller)),
                Err(problem) => return problem.into_response(),
            }
        }
        next.run(request).await
    };
    let response = answered.instrument(span.clone()).await;
    let status = response.status().as_u16();
    gate.service.metrics().answered(&method, gate.route, status);
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    span.in_scope(|| tracing::info!(status, ms, "answered"));
    response
}

async fn caller(
    service: &Service,
    headers: &HeaderMap,
    scope: Scope,
    request_id: String,
) -> Result<Caller, Problem> {
    let trace = headers.get("traceparent").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let Some(secret) = secret(headers)? else {
        if service.config().needs_key() {
            return Err(unauthorized("key_missing", "this needs a key")
                .hint("send it as `Authorization: Bearer KEY`"));
        }
        return Ok(Caller { tenant: LOCAL.into(), key: None, request_id, trace });
    };
    let key = service.keys().look_up(secret).await;
    let key = key.map_err(|error| Problem::ours("look the key up", &error))?;
    let key = key.ok_or_else(|| {
        unauthorized("key_not_valid", "there is no such key, or it is expired or revoked")
    })?;
    if !key.scopes.contains(&scope) {
        let detail = format!("the key `{}` does not have the scope `{}`", key.name, scope.as_str());
        return Err(Problem::new(StatusCode::FORBIDDEN, "scope_missing", detail));
    }
    Ok(Caller { tenant: key.tenant, key: Some(key.id), request_id, trace })
}

/// The key that a request brings.
fn secret(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let given = match (headers.get(AUTHORIZATION), headers.get("x-api-key")) {
        (Some(value), _) => value.to_str().ok().and_then(bearer),
        (None, Some(value)) => value.to_str().ok(),
        (None, None) => return Ok(None),
    };
    let bad =
        || unauthorized("key_malformed", "the key is not sent as `Authorization: Bearer KEY`");
    given.map(str::trim).filter(|secret| !secret.is_empty()).map(Some).ok_or_else(bad)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(secret)
}

fn unauthorized(code: &'static str, detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, code, detail)
}

impl FromRequestParts<Service> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Service) -> Result<Self, Problem> {
        parts.extensions.get::<Caller>().cloned().ok_or_else(|| {
            let error = std::io::Error::other("an open operation asks who the caller is");
            Problem::ours("tell who asks", &error)
        })
    }
}
