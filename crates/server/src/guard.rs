//! No web page of somebody else reaches the service.
//!
//! A service on the loopback is within reach of every page that the user's browser shows: by a
//! request across origins, or by a name that is rebound to 127.0.0.1. The first names its origin,
//! the second names a host that is not ours; both are refused before anything is looked at.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::problem::Problem;
use crate::service::Service;

/// Refuses requests that name a host that is not ours, or come from a page that is not.
pub(crate) async fn guard(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let host = host(&request)?;
    let config = service.config();
    let local = config.listen.ip().is_loopback();
    let named = config.hosts.iter().any(|name| name.eq_ignore_ascii_case(name_of(&host)));
    let open = !local && config.hosts.is_empty();
    if !(open || named || (local && is_loopback(name_of(&host)))) {
        let detail = format!("this service is not `{host}`");
        return Err(Problem::new(StatusCode::FORBIDDEN, "host_not_allowed", detail)
            .hint("add the name to `server.hosts` in the settings"));
    }
    check_origin(request.method(), request.headers(), &host, &config.origins)?;
    Ok(next.run(request).await)
}

/// The host that the client asked for, in lower case, with its port.
fn host(request: &Request) -> Result<String, Problem> {
    let bad = |detail| Problem::new(StatusCode::BAD_REQUEST, "host_missing", detail);
    if let Some(authority) = request.uri().authority() {
        return Ok(authority.as_str().to_ascii_lowercase());
    }
    let mut named = request.headers().get_all(HOST).iter();
    let host = named.next().ok_or_else(|| bad("the request has no Host"))?;
    if named.next().is_some() {
        return Err(bad("the request has more than one Host"));
    }
    let host = host.to_str().ok().ok_or_else(|| bad("the Host is not text"))?;
    Ok(host.to_ascii_lowercase())
}

fn check_origin(
    method: &Method,
    headers: &HeaderMap,
    host: &str,
    allowed: &[String],
) -> Result<(), Problem> {
    let refused = |detail: String| {
        Problem::new(StatusCode::FORBIDDEN, "origin_not_allowed", detail)
            .hint("add the origin to `server.origins` in the settings")
    };
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().unwrap_or("null");
        let own = origin.split_once("://").is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(host));
        if own || allowed.iter().any(|name| name == origin) {
            return Ok(());
        }
        return Err(refused(format!("pages of `{origin}` may not call this service")));
    }
    // Browsers name no origin in a plain GET, but say whether it is another one. To follow a link
    // to us is no call.
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let foreign = matches!(text("sec-fetch-site"), Some("cross-site" | "same-site"));
    let navigates = method == Method::GET && text("sec-fetch-mode") == Some("navigate");
    if foreign && !navigates {
        return Err(refused("pages of another site may not call this service".into()));
    }
    Ok(())
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    let end = match host.rfind(']') {
        Some(bracket) => bracket + 1,
        None => host.rfind(':').unwrap_or(host.len()),
    };
    &host[..end]
}

fn is_loopback(name: &str) -> bool {
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_loopback_are_known_with_and_without_a_port() {
        for host in ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "[::1]"] {
            assert!(is_loopback(name_of(host)), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:8000", "127.0.0.1.nip.io", "10.0.0.1"]
        {
            assert!(!is_loopback(name_of(host)), "{host}");
        }
    }
}
