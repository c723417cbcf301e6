//! Giving a file, whole or in ranges, so that nothing in it can act in our origin.
//!
//! A guest or a stranger wrote it: it comes as a download, its type is not guessed anew, and a page
//! made of it stands in a sandbox without scripts or origin.

use std::path::Path;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tower_http::services::ServeFile;

use crate::problem::Problem;
use crate::store::StoredFile;

/// What stands unescaped in the name of a download (RFC 8187).
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Answers a request with a file that is kept.
pub(crate) async fn download(
    request: Request,
    known: &StoredFile,
    path: &Path,
) -> Result<Response, Problem> {
    let answer = ServeFile::new(path).try_call(request).await;
    let answer = answer.map_err(|error| Problem::ours("read the file", &error))?;
    let mut response = answer.map(Body::new);
    if response.status().is_success() {
        response.headers_mut().extend(harmless(&known.name, &known.mime_type));
        if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", known.sha256)) {
            response.headers_mut().insert(ETAG, tag);
        }
    }
    Ok(response)
}

/// The headers that let a browser do nothing with what a guest wrote.
pub(crate) fn harmless(path: &str, mime_type: &str) -> HeaderMap {
    let name = path.rsplit('/').next().unwrap_or_default();
    let named = format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name, NAME));
    let value = |text: &str, otherwise| {
        HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(otherwise))
    };
    HeaderMap::from_iter([
        (CONTENT_TYPE, value(mime_type, "application/octet-stream")),
        (CONTENT_DISPOSITION, value(&named, "attachment")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("sandbox; default-src 'none'; frame-ancestors 'none'"),
        ),
        (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_add_a_header_or_leave_its_quotes() {
        let headers = harmless("out/a\"b\r\nSet-Cookie: x=1; é.html", "text/html");
        assert_eq!(
            headers[CONTENT_DISPOSITION],
            "attachment; filename*=UTF-8''a%22b%0D%0ASet%2DCookie%3A%20x%3D1%3B%20%C3%A9.html"
                .replace("%2D", "-")
        );
    }
}
