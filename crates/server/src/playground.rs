//! The playground: static files that are built into the program. A program that was built without them
//! has a page that says where the interface is.

use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::problem::Problem;

/// Its pages load nothing but our own. What guests made is shown in frames that are sandboxed.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; \
                      font-src 'self' data:; worker-src 'self' blob:; frame-src 'self' blob: data:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const FRONT: &str = "index.html";

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../playground/dist"]
#[allow_missing = true]
struct Files;

/// Gives the file at a path that is nothing else's.
pub(crate) async fn file(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() { FRONT } else { path };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return nothing();
    }
    match Files::get(path) {
        Some(file) => give(&request, path, file),
        None if path == FRONT => {
            let headers =
                [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, POLICY)];
            (headers, include_str!("front.html")).into_response()
        }
        None => nothing(),
    }
}

fn give(request: &Request, path: &str, file: EmbeddedFile) -> Response {
    let tag = format!("\"{}\"", crate::store::hex(&file.metadata.sha256_hash()));
    let known = request.headers().get(IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mime_type = mime_guess::from_path(path).first_or_octet_stream();
        ([(CONTENT_TYPE, mime_type.to_string())], file.data).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    response
}

fn nothing() -> Response {
    let detail = "there is nothing at this path";
    Problem::new(StatusCode::NOT_FOUND, "route_unknown", detail)
        .hint("`/docs` lists all paths")
        .into_response()
}
