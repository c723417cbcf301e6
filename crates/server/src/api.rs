//! The list of operations: each route together with what the reference says about it.

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, on};

use crate::service::Service;

/// One operation of the interface.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// What it does, in one sentence.
    pub(crate) summary: &'static str,
}

impl Operation {
    pub(crate) fn new(method: Method, path: &'static str, summary: &'static str) -> Self {
        Self { method, path, summary }
    }
}

/// Routes and their descriptions, growing together.
#[derive(Debug, Default)]
pub(crate) struct Api {
    router: Router<Service>,
    operations: Vec<Operation>,
}

impl Api {
    /// Adds an operation and what carries it out.
    pub(crate) fn route<H, T>(mut self, operation: Operation, handler: H) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(operation.method.clone()).unwrap_or(MethodFilter::GET);
        self.router = self.router.route(operation.path, on(filter, handler));
        self.operations.push(operation);
        self
    }

    /// The routes.
    pub(crate) fn into_router(self) -> Router<Service> {
        self.router
    }
}
