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

use execute_python_engine::Engine;
use rmcp::ServiceExt;

pub use handler::Handler;

/// Serves a client on standard input and standard output until it goes.
///
/// # Errors
/// When the client does not speak MCP, or goes before it has said what it speaks.
pub async fn serve_stdio(engine: Engine) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let service = Handler::new(engine).serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}
