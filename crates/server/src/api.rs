//! The list of operations: each route together with who may call it and what the reference says.

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, on};

use crate::auth::{Access, Gate, admit};
use crate::service::Service;

/// One operation of the interface.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What it does, in one sentence.
    pub(crate) summary: &'static str,
}

impl Operation {
    pub(crate) fn new(
        method: Method,
        path: &'static str,
        access: Access,
        summary: &'static str,
    ) -> Self {
        Self { method, path, access, summary }
    }
}

/// Routes and their descriptions, growing together.
#[derive(Debug)]
pub(crate) struct Api {
    service: Service,
    router: Router<Service>,
    operations: Vec<Operation>,
}

impl Api {
    pub(crate) fn new(service: Service) -> Self {
        Self { service, router: Router::new(), operations: Vec::new() }
    }

    /// Adds an operation and what carries it out.
    pub(crate) fn route<H, T>(mut self, operation: Operation, handler: H) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(operation.method.clone()).unwrap_or(MethodFilter::GET);
        let (access, route) = (operation.access, operation.path);
        let gate = Gate { service: self.service.clone(), access, route };
        let guarded = on(filter, handler).route_layer(from_fn_with_state(gate, admit));
        self.router = self.router.route(operation.path, guarded);
        self.operations.push(operation);
        self
    }

    /// The routes.
    pub(crate) fn into_router(self) -> Router<Service> {
        self.router
    }
}
