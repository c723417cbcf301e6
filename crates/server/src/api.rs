//! The list of operations: each route together with who may call it and what the reference says.

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::auth::{Access, Gate, admit};
use crate::service::Service;

/// Makes the schema of a type.
pub(crate) type Make = fn(&mut SchemaGenerator) -> Schema;

/// A body of any kind.
pub(crate) const ANY: &str = "application/octet-stream";
/// An answer of any kind.
pub(crate) const WHATEVER: &str = "*/*";
/// Events as they happen.
pub(crate) const STREAMS: [&str; 2] = ["text/event-stream", "application/x-ndjson"];
/// JSON, as requests and answers usually are.
const JSON: &str = "application/json";

/// One operation of the interface.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What it does, in one sentence.
    pub(crate) summary: &'static str,
    /// What the address may say behind its question mark.
    pub(crate) query: Option<Make>,
    /// Headers that it understands, each with what it is for.
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    /// What it takes, by media type.
    pub(crate) takes: Vec<(&'static str, Option<Make>)>,
    /// Whether there may be no body.
    pub(crate) body_optional: bool,
    /// What it gives when all is well, by status and media type.
    pub(crate) gives: Vec<(u16, &'static str, Option<Make>)>,
}

impl Operation {
    pub(crate) fn new(
        method: Method,
        path: &'static str,
        access: Access,
        summary: &'static str,
    ) -> Self {
        let (query, headers, takes, body_optional, gives) = Default::default();
        Self { method, path, access, summary, query, headers, takes, body_optional, gives }
    }

    /// The same with a query.
    pub(crate) fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(T::json_schema);
        self
    }

    /// The same with a header.
    pub(crate) fn header(mut self, name: &'static str, what_for: &'static str) -> Self {
        self.headers.push((name, what_for));
        self
    }

    /// The same with a body of JSON.
    pub(crate) fn takes<T: JsonSchema>(mut self) -> Self {
        self.takes.push((JSON, Some(SchemaGenerator::subschema_for::<T>)));
        self
    }

    /// The same with a body of another kind.
    pub(crate) fn takes_media(mut self, media: &'static str) -> Self {
        self.takes.push((media, None));
        self
    }

    /// The same when there may be no body.
    pub(crate) fn or_nothing(mut self) -> Self {
        self.body_optional = true;
        self
    }

    /// The same with an answer of JSON.
    pub(crate) fn gives<T: JsonSchema>(mut self, status: u16) -> Self {
        self.gives.push((status, JSON, Some(SchemaGenerator::subschema_for::<T>)));
        self
    }

    /// The same with an answer that is a stream of such things.
    pub(crate) fn streams<T: JsonSchema>(mut self) -> Self {
        for media in STREAMS {
            self.gives.push((200, media, Some(SchemaGenerator::subschema_for::<T>)));
        }
        self
    }

    /// The same with an answer of another kind.
    pub(crate) fn gives_media(mut self, status: u16, media: &'static str) -> Self {
        self.gives.push((status, media, None));
        self
    }

    /// The same with an answer that has no body.
    pub(crate) fn gives_nothing(self, status: u16) -> Self {
        self.gives_media(status, "")
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

    /// The operations.
    pub(crate) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The routes.
    pub(crate) fn into_router(self) -> Router<Service> {
        self.router
    }
}
