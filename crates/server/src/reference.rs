//! The reference of the interface: the description for programs, and a page for people.

use axum::body::Bytes;
use axum::http::Method;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::IntoResponse;

use crate::api::{Api, Operation};
use crate::auth::Access;
use crate::openapi;

/// The page loads nothing but our own, and calls nobody but us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn routes(api: Api) -> Api {
    let get = |path, summary| Operation::new(Method::GET, path, Access::Open, summary);
    let api = api
        .route(get("/docs", "The reference for people").gives_media(200, "text/html"), page)
        .route(get("/docs/reference.js", "Its script").gives_media(200, "text/javascript"), script)
        .route(get("/docs/reference.css", "Its style").gives_media(200, "text/css"), style);
    let summary = "The description of the interface, OpenAPI 3.1";
    let described = get("/openapi.json", summary).gives_media(200, "application/json");
    let mut operations = api.operations().to_vec();
    operations.push(described.clone());
    let text = Bytes::from(openapi::describe(&operations).to_string());
    let answer = move || {
        let text = text.clone();
        async move { ([(CONTENT_TYPE, "application/json")], text) }
    };
    api.route(described, answer)
}

async fn page() -> impl IntoResponse {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, POLICY)];
    (headers, include_str!("reference/page.html"))
}

async fn script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("reference/page.js"))
}

async fn style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("reference/page.css"))
}
