//! The request for a run as it arrives: JSON, or a form with files.

use axum::body::Bytes;
use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};

use super::body::{Base64, FileEntry, RunBody};
use crate::extract::{is_json, multipart_failed, parse, unread};
use crate::problem::Problem;
use crate::service::Service;
use crate::store::sha256;

/// A request for a run.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) headers: HeaderMap,
    pub(crate) body: RunBody,
    /// What tells it from another request, where a client may ask twice.
    pub(crate) repeatable: Option<Repeatable>,
}

/// A request that may be a repetition.
#[derive(Debug)]
pub(crate) struct Repeatable {
    /// What the client calls it.
    pub(crate) key: String,
    /// The digest of what it asks.
    pub(crate) fingerprint: String,
}

/// The longest key of a request that may be a repetition, in bytes.
const LONGEST_KEY: usize = 255;

impl FromRequest<Service> for Input {
    type Rejection = Problem;

    async fn from_request(mut request: Request, state: &Service) -> Result<Self, Problem> {
        let headers = std::mem::take(request.headers_mut());
        let key = repeat_key(&headers)?;
        if is_json(&headers) {
            let bytes = Bytes::from_request(request, state).await;
            let bytes = bytes.map_err(|error| unread(&error))?;
            let fingerprint = |key| Repeatable { key, fingerprint: sha256(&bytes) };
            return Ok(Self { body: parse(&bytes)?, repeatable: key.map(fingerprint), headers });
        }
        let named = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if !named.is_some_and(|named| named.starts_with("multipart/form-data")) {
            let detail = "the body is to be `application/json` or `multipart/form-data`";
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Problem::new(status, "content_type_not_json", detail));
        }
        *request.headers_mut() = headers.clone();
        let form = Multipart::from_request(request, state).await;
        let form = form.map_err(|error| multipart_failed(&error.body_text(), error.status()))?;
        let body = read_form(form).await?;
        let fingerprint = |key| Repeatable { key, fingerprint: digest(&body) };
        let repeatable = key.map(fingerprint);
        Ok(Self { headers, body, repeatable })
    }
}

fn repeat_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    if key.is_empty() {
        return Ok(None);
    }
    let key = key.to_str().ok().filter(|key| key.len() <= LONGEST_KEY);
    let bad = || {
        let detail = format!("the Idempotency-Key is to be at most {LONGEST_KEY} plain letters");
        Problem::new(StatusCode::BAD_REQUEST, "idempotency_key_not_valid", detail)
    };
    key.map(str::to_owned).map(Some).ok_or_else(bad)
}

fn digest(body: &RunBody) -> String {
    sha256(&serde_json::to_vec(body).unwrap_or_default())
}

/// A form: the part `request` is the JSON, or the part `code` the code; each part `file` is a file.
async fn read_form(mut form: Multipart) -> Result<RunBody, Problem> {
    let bad = |error: MultipartError| multipart_failed(&error.body_text(), error.status());
    let mut body: Option<RunBody> = None;
    let mut files = Vec::new();
    while let Some(field) = form.next_field().await.map_err(bad)? {
        let name = field.name().unwrap_or_default().to_owned();
        let path = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(bad)?;
        match name.as_str() {
            "request" | "code" if body.is_some() => {
                let detail = "the form has more than one part `request` or `code`";
                return Err(Problem::unprocessable("field_twice", detail).field(name));
            }
            "request" => body = Some(parse(&bytes)?),
            "code" => {
                let code = String::from_utf8(bytes.into()).ok().ok_or_else(|| {
                    Problem::unprocessable("field_not_valid", "the code is not UTF-8").field("code")
                })?;
                body = Some(RunBody::of(code));
            }
            "file" => files.push(FileEntry {
                path: Some(path.unwrap_or_else(|| format!("file{}", files.len() + 1))),
                content: Some(Base64(bytes.into())),
                file_id: None,
            }),
            _ => {
                let detail = format!("there is no part `{name}`: say request, code or file");
                return Err(Problem::unprocessable("field_not_valid", detail).field(name));
            }
        }
    }
    let missing = || {
        Problem::unprocessable("field_not_valid", "the form has no part `request` or `code`")
            .field("code")
    };
    let mut body = body.ok_or_else(missing)?;
    body.files.append(&mut files);
    Ok(body)
}
