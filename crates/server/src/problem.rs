//! Failures as clients see them: problem details (RFC 9457) with a code that never changes meaning.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use execute_python_engine::protocol::LimitError;
use execute_python_engine::{self as engine, Kind};
use schemars::JsonSchema;
use serde::Serialize;

/// A failure as a client sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Problem(Box<Details>);

/// What is said of a failure.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
struct Details {
    /// A link to what the code means; `about:blank` says that the title is all.
    r#type: &'static str,
    /// What kind of problem, in a few words.
    title: Cow<'static, str>,
    /// The HTTP status.
    status: u16,
    /// What went wrong this time, in one sentence.
    detail: String,
    /// A word for programs; it never changes meaning.
    code: Cow<'static, str>,
    /// The field of the request that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The id of the request, which the log knows too.
    request_id: String,
    #[serde(skip)]
    retry_after: Option<Duration>,
}

impl Problem {
    /// A problem with this status and code.
    pub fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        Self(Box::new(Details {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error").into(),
            status: status.as_u16(),
            detail: detail.into(),
            code: code.into(),
            field: None,
            hint: None,
            request_id: String::new(),
            retry_after: None,
        }))
    }

    /// The request cannot be carried out as it is.
    pub fn unprocessable(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    /// There is no such thing, or it is somebody else's, which looks the same.
    pub fn missing(what: &str, id: &str) -> Self {
        let detail = format!("there is no {what} `{id}`");
        Self::new(StatusCode::NOT_FOUND, format!("{what}_unknown"), detail)
    }

    /// A failure of ours: the client learns nothing of our inside, and the log everything.
    pub fn ours(doing: &str, error: &dyn std::error::Error) -> Self {
        tracing::error!(error = %chain(error), "cannot {doing}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", format!("cannot {doing}"))
            .hint("the log of the service has the reason, under the request id")
    }

    /// The same with the field that it is about.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same with when to try again.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The answer in full.
    pub(crate) fn render(mut self, request_id: &str) -> Response {
        request_id.clone_into(&mut self.0.request_id);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (self.status(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(wait) = self.0.retry_after {
            headers.insert(RETRY_AFTER, wait.as_secs().max(1).into());
        }
        if self.0.status == 401 {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// The problem travels in the response's extensions until `edge` renders it with the request's id.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<engine::Error> for Problem {
    fn from(error: engine::Error) -> Self {
        let status = match error.kind() {
            Kind::Request => StatusCode::UNPROCESSABLE_ENTITY,
            Kind::Auth => StatusCode::UNAUTHORIZED,
            Kind::Missing => StatusCode::NOT_FOUND,
            Kind::Busy => StatusCode::TOO_MANY_REQUESTS,
            Kind::Host => StatusCode::SERVICE_UNAVAILABLE,
            Kind::Bug => StatusCode::INTERNAL_SERVER_ERROR,
        };
        if status.is_server_error() {
            tracing::error!(error = %chain(&error), code = error.code(), "the engine could not");
            let detail = "this machine could not carry the request out";
            return Self::new(status, error.code(), detail)
                .hint("the log of the service has the reason, under the request id");
        }
        let mut problem = Self::new(status, error.code(), error.to_string());
        problem.0.field = field_of(&error);
        problem.0.hint = error.hint();
        problem.0.retry_after = (status == StatusCode::TOO_MANY_REQUESTS).then_some(MOMENT);
        problem
    }
}

/// When to try again where nobody can know.
const MOMENT: Duration = Duration::from_secs(1);

/// The field of the request that an error of the engine is about.
fn field_of(error: &engine::Error) -> Option<String> {
    match error {
        engine::Error::Limit(
            LimitError::AboveCeiling { name, .. } | LimitError::TooSmall { name, .. },
        ) => Some(format!("limits.{name}")),
        engine::Error::Code(_) => Some("code".into()),
        engine::Error::InputFile { .. } => Some("files".into()),
        engine::Error::UnknownEnvironment { .. } => Some("environment".into()),
        _ => None,
    }
}

/// An error and what is behind it, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told.push_str(": ");
        told.push_str(&error.to_string());
        cause = error.source();
    }
    told
}
