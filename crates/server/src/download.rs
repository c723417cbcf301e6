//! Giving a file, whole or in ranges, so that nothing in it can act in our origin.
//!
//! A guest or a stranger wrote it: it comes as a download, its type is not guessed anew, and a page
//! made of it stands in a sandbox without scripts or origin.

use std::path::Path;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    RANGE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
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

/// Answers a request with bytes that are not a file of ours, whole or one range of them.
pub(crate) fn in_ranges(
    request: &HeaderMap,
    content: Vec<u8>,
    path: &str,
    mime_type: &str,
) -> Response {
    let length = content.len();
    let mut response = match range(request, length) {
        Wanted::All => Body::from(content).into_response(),
        Wanted::Part(start, end) => {
            let told = format!("bytes {start}-{end}/{length}");
            let part = Bytes::from(content).slice(start..=end);
            (StatusCode::PARTIAL_CONTENT, [(CONTENT_RANGE, told)], part).into_response()
        }
        Wanted::Nothing => {
            let told = format!("bytes */{length}");
            let problem = Problem::new(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "range_not_satisfiable",
                "the range lies outside of the file",
            );
            return ([(CONTENT_RANGE, told)], problem).into_response();
        }
    };
    response.headers_mut().extend(harmless(path, mime_type));
    response.headers_mut().insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    response
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    All,
    /// The first and the last byte.
    Part(usize, usize),
    Nothing,
}

/// The one range that is asked for. What is not understood asks for everything (RFC 9110).
fn range(request: &HeaderMap, length: usize) -> Wanted {
    let asked = request.get(RANGE).and_then(|value| value.to_str().ok());
    let Some((start, end)) = asked
        .and_then(|asked| asked.strip_prefix("bytes="))
        .and_then(|range| range.split_once('-'))
    else {
        return Wanted::All;
    };
    let last = length.saturating_sub(1);
    let (start, end) = match (start.trim().parse(), end.trim().parse::<usize>()) {
        (Ok(start), Ok(end)) if start <= end => (start, end.min(last)),
        (Ok(start), Err(_)) if end.trim().is_empty() => (start, last),
        (Err(_), Ok(count)) if start.trim().is_empty() && count > 0 => {
            (length.saturating_sub(count), last)
        }
        _ => return Wanted::All,
    };
    if start < length { Wanted::Part(start, end) } else { Wanted::Nothing }
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
    fn a_range_is_the_part_that_was_asked_for() {
        for (asked, length, wanted) in [
            ("bytes=0-3", 10, Wanted::Part(0, 3)),
            ("bytes=8-99", 10, Wanted::Part(8, 9)),
            ("bytes=4-", 10, Wanted::Part(4, 9)),
            ("bytes=-3", 10, Wanted::Part(7, 9)),
            ("bytes=-99", 10, Wanted::Part(0, 9)),
            ("bytes=10-", 10, Wanted::Nothing),
            ("bytes=0-", 0, Wanted::Nothing),
            ("bytes=5-3", 10, Wanted::All),
            ("bytes=0-1,4-5", 10, Wanted::All),
            ("lines=1-2", 10, Wanted::All),
        ] {
            let headers = HeaderMap::from_iter([(RANGE, HeaderValue::from_static(asked))]);
            assert_eq!(range(&headers, length), wanted, "{asked}");
        }
    }

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
