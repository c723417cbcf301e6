//! Whose request it is.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::problem::Problem;
use crate::service::Service;

/// The tenant of requests on the loopback that bring no key.
const LOCAL: &str = "local";

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Whose runs, files and records these are.
    pub(crate) tenant: String,
}

impl FromRequestParts<Service> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(_: &mut Parts, _: &Service) -> Result<Self, Problem> {
        Ok(Self { tenant: LOCAL.into() })
    }
}
