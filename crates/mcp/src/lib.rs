//! The engine as an MCP server: tools with which a model runs Python in the sandbox.
//!
//! A handler serves one client. Its sessions and the files that its runs made live as long as it does,
//! and no other client sees them.

#![forbid(unsafe_code)]

mod account;
mod arguments;
mod handler;
mod shelf;
mod tools;

use std::sync::Arc;

use execute_python_engine::Engine;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

pub use handler::{Handler, Owner};

/// The streamable HTTP transport, as a service that a server mounts.
pub type HttpService = StreamableHttpService<Handler, LocalSessionManager>;

/// Serves clients over HTTP. Who may ask, and by which name and from which page, is for the server to
/// say before; it names the owner of what a client makes by an [`Owner`] among the request's extensions.
pub fn http(engine: Engine) -> HttpService {
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    StreamableHttpService::new(move || Ok(Handler::new(engine.clone())), Arc::default(), config)
}

/// Serves a client on standard input and standard output until it goes.
///
/// # Errors
/// When the client does not speak MCP, or goes before it has said what it speaks.
pub async fn serve_stdio(engine: Engine) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let service = Handler::new(engine).serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}
