//! Giving a file, whole or in ranges, so that nothing in it can act in our origin.
//!
//! A guest or a stranger wrote it: it comes as a download, its type is not guessed anew, and a page
//! made of it stands in a sandbox without scripts or origin.

use std::io;
use std::path::Path;

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, IF_NONE_MATCH, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio_util::io::ReaderStream;

use crate::problem::Problem;
use crate::store::StoredFile;

/// What stands unescaped in the name of a download (RFC 8187).
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Answers a request with a file that is kept.
pub(crate) async fn download(
    request: &HeaderMap,
    known: &StoredFile,
    path: &Path,
) -> Result<Response, Problem> {
    let tag = format!("\"{}\"", known.sha256);
    let failed = |error: io::Error| Problem::ours("read the file", &error);
    let mut response = if request.get(IF_NONE_MATCH).is_some_and(|known| known == tag.as_str()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut file = File::open(path).await.map_err(failed)?;
        let part = Part::of(request, known.bytes)?;
        file.seek(io::SeekFrom::Start(part.start)).await.map_err(failed)?;
        part.respond(Body::from_stream(ReaderStream::new(file.take(part.length))))
    };
    response.headers_mut().extend(harmless(&known.name, &known.mime_type));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    Ok(response)
}

/// Answers a request with bytes that are no file of ours.
pub(crate) fn give(
    request: &HeaderMap,
    content: Vec<u8>,
    path: &str,
    mime_type: &str,
) -> Result<Response, Problem> {
    let content = Bytes::from(content);
    let part = Part::of(request, content.len() as u64)?;
    let slice = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(content.len());
    let bytes = content.slice(slice(part.start)..slice(part.start + part.length));
    let mut response = part.respond(Body::from(bytes));
    response.headers_mut().extend(harmless(path, mime_type));
    Ok(response)
}

/// The part of a file that is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    start: u64,
    length: u64,
    /// How long the whole is.
    whole: u64,
    /// Whether it was asked for as a part.
    is_range: bool,
}

impl Part {
    /// The one range that is asked for. What is not understood asks for everything (RFC 9110).
    fn of(request: &HeaderMap, whole: u64) -> Result<Self, Problem> {
        let all = Self { start: 0, length: whole, whole, is_range: false };
        let asked = request.get(RANGE).and_then(|value| value.to_str().ok());
        let range = asked.and_then(|asked| asked.strip_prefix("bytes="));
        let Some((start, end)) = range.and_then(|range| range.split_once('-')) else {
            return Ok(all);
        };
        let (start, end) = match (start.trim().parse::<u64>(), end.trim().parse::<u64>()) {
            (Ok(start), Ok(end)) if start <= end => (start, end.saturating_add(1).min(whole)),
            (Ok(start), Err(_)) if end.trim().is_empty() => (start, whole),
            (Err(_), Ok(count)) if start.trim().is_empty() && count > 0 => {
                (whole.saturating_sub(count), whole)
            }
            _ => return Ok(all),
        };
        if start < whole {
            return Ok(Self { start, length: end - start, whole, is_range: true });
        }
        let detail = format!("the range lies outside of the {whole} bytes");
        Err(Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, "range_not_satisfiable", detail))
    }

    fn respond(&self, body: Body) -> Response {
        let Self { start, length, whole, is_range } = self;
        let headers = [(ACCEPT_RANGES, "bytes".into()), (CONTENT_LENGTH, length.to_string())];
        if !is_range {
            return (headers, body).into_response();
        }
        let told = format!("bytes {start}-{}/{whole}", start + length - 1);
        (StatusCode::PARTIAL_CONTENT, headers, [(CONTENT_RANGE, told)], body).into_response()
    }
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
        for (asked, whole, wanted) in [
            ("bytes=0-3", 10, Some((0, 4, true))),
            ("bytes=8-99", 10, Some((8, 2, true))),
            ("bytes=4-", 10, Some((4, 6, true))),
            ("bytes=-3", 10, Some((7, 3, true))),
            ("bytes=-99", 10, Some((0, 10, true))),
            ("bytes=10-", 10, None),
            ("bytes=0-", 0, None),
            ("bytes=0-18446744073709551615", 10, Some((0, 10, true))),
            ("bytes=5-3", 10, Some((0, 10, false))),
            ("bytes=0-1,4-5", 10, Some((0, 10, false))),
            ("lines=1-2", 10, Some((0, 10, false))),
            ("", 10, Some((0, 10, false))),
        ] {
            let headers = HeaderMap::from_iter([(RANGE, HeaderValue::from_static(asked))]);
            let part = Part::of(&headers, whole).ok();
            let part = part.map(|part| (part.start, part.length, part.is_range));
            assert_eq!(part, wanted, "{asked}");
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
