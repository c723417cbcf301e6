//! Taking a request apart, with problem details for what cannot be understood.

use std::fmt;
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use tower_http::timeout::TimeoutError;

use crate::problem::Problem;

/// What to do about a body that is too large.
const UPLOAD: &str = "upload large files once by `POST /v1/files`, or raise `server.body_bytes`";

/// A body that is JSON.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        // A form of another site can send any text, but not this type.
        if !is_json(request.headers()) {
            let detail = "the body is to be JSON, with `Content-Type: application/json`";
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "content_type_not_json",
                detail,
            ));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|error| unread(&error))?;
        parse(&bytes).map(Self)
    }
}

/// A body that is JSON, or nothing.
#[derive(Debug)]
pub(crate) struct OptionalJson<T>(pub(crate) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if request.headers().get(CONTENT_TYPE).is_none() {
            let Body(bytes) = Body::from_request(request, state).await?;
            return if bytes.is_empty() { Ok(Self(T::default())) } else { parse(&bytes).map(Self) };
        }
        let Json(value) = Json::from_request(request, state).await?;
        Ok(Self(value))
    }
}

/// A body as it is.
#[derive(Debug)]
pub(crate) struct Body(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        Bytes::from_request(request, state).await.map(Self).map_err(|error| unread(&error))
    }
}

/// Whether the body says that it is JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let named = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// A body that did not arrive whole.
pub(crate) fn unread(error: &BytesRejection) -> Problem {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(UPLOAD),
        _ if is_late(error) => {
            let detail = "nothing of the body came for too long";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", detail)
        }
        _ => Problem::new(StatusCode::BAD_REQUEST, "body_not_readable", error.body_text()),
    }
}

fn is_late(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<TimeoutError>().is_some() || error.source().is_some_and(is_late)
}

/// A body that is larger than is taken.
pub(crate) fn too_large(hint: &str) -> Problem {
    let detail = "the body is larger than is taken";
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail).hint(hint)
}

/// A form that is not understood or did not arrive whole.
pub(crate) fn multipart_failed(told: &str, status: StatusCode) -> Problem {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(UPLOAD),
        status => Problem::new(status, "form_malformed", told),
    }
}

/// What the address says behind its question mark.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match axum::extract::Query::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(error) => Err(Problem::unprocessable("query_not_valid", error.body_text())),
        }
    }
}

/// Reads a JSON object. Only where it fails it is read again, to learn which field it was.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // The libraries would take a list of the fields' values too.
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        let detail = "the body is a list, and is to be an object";
        return Err(Problem::unprocessable("field_not_valid", detail));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        if error.classify() != Category::Data {
            let detail = format!("the body is no JSON: {error}");
            return Problem::new(StatusCode::BAD_REQUEST, "json_malformed", detail);
        }
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let placed = serde_path_to_error::deserialize::<_, T>(&mut reader);
        let path = placed.err().map(|error| error.path().to_string());
        let problem = Problem::unprocessable("field_not_valid", error.to_string());
        match path.filter(|path| path != ".") {
            Some(path) => problem.field(path),
            None => problem,
        }
    })
}

/// Reads a value that is an object, and no list of the values of its fields, which is what serde takes
/// for one too.
pub(crate) fn object<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct Object<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(fields))
        }
    }

    deserializer.deserialize_map(Object(PhantomData))
}
