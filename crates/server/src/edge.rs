//! The outermost layer: every request gets an id, and every failure, whoever made it, becomes
//! problem details.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::problem::Problem;

/// The header that carries the id of a request, both ways.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken from a client.
const LONGEST_ID: usize = 64;

/// The id of a request.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) String);

/// Gives the request its id and the answer its last form.
pub(crate) async fn edge(mut request: Request, next: Next) -> Response {
    let id = request_id(&request);
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).await;
    if let Some(problem) = problem_of(&mut response) {
        response = problem.render(&id);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The client's own id, if it is one that a log can hold, or a new one.
fn request_id(request: &Request) -> String {
    let sane = |id: &&str| {
        (1..=LONGEST_ID).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let given = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok());
    match given.filter(sane) {
        Some(id) => id.to_owned(),
        None => format!("req_{}", uuid::Uuid::new_v4().simple()),
    }
}

/// The problem that a response tells of: ours, or what a library below us refused by status alone.
fn problem_of(response: &mut Response) -> Option<Problem> {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        return Some(problem);
    }
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) {
        return None;
    }
    let (code, detail) = match status {
        StatusCode::NOT_FOUND => ("route_unknown", "there is nothing at this path"),
        StatusCode::METHOD_NOT_ALLOWED => ("method_not_allowed", "this path has no such method"),
        StatusCode::REQUEST_TIMEOUT => ("request_timeout", "the request took too long to arrive"),
        StatusCode::PAYLOAD_TOO_LARGE => ("body_too_large", "the body is larger than is taken"),
        _ if status.is_server_error() => ("internal", "the service failed"),
        _ => ("request_refused", "the request is not understood"),
    };
    Some(Problem::new(status, code, detail))
}
