//! Files that runs made, to be fetched.
//!
//! A guest wrote them, so they must never act in our origin: they come as a download, their type is
//! not guessed anew, and a page made of one stands in a sandbox without scripts or origin.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::api::{Api, Operation};
use crate::auth::{Access, Caller};
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;
use crate::store::{Kind, StoredFile};

/// What stands unescaped in the name of a download (RFC 8187).
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

pub(crate) fn routes(api: Api) -> Api {
    let summary = "Gives a file that a run made";
    api.route(
        Operation::new(Method::GET, "/v1/artifacts/{id}", Access::Needs(Scope::Run), summary),
        get,
    )
}

async fn get(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let found = service.store().get(&caller.tenant, Kind::Artifact, &id);
    let found = found.map_err(|error| Problem::ours("read the artifact", &error))?;
    let (known, path) = found.ok_or_else(|| Problem::missing("artifact", &id))?;
    let content = tokio::fs::read(path).await;
    let content = content.map_err(|error| Problem::ours("read the artifact", &error))?;
    Ok((harmless(&known), Body::from(content)).into_response())
}

/// The headers that let a browser do nothing with what a guest wrote.
pub(crate) fn harmless(known: &StoredFile) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let name = known.name.rsplit('/').next().unwrap_or_default();
    let named = format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name, NAME));
    let value = |text: &str| HeaderValue::from_str(text);
    let binary = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, value(&known.mime_type).unwrap_or(binary));
    let nameless = HeaderValue::from_static("attachment");
    headers.insert(CONTENT_DISPOSITION, value(&named).unwrap_or(nameless));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("sandbox; default-src 'none'; frame-ancestors 'none'"),
    );
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers
}
