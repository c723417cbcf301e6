//! What the tests share: one engine, and a way to wait for it.

use std::future::Future;

use execute_python_engine::protocol::{Outcome, Request};
use execute_python_engine::{Config, Engine};

/// Runs a future to its end on a runtime of its own.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(future)
}

/// An engine that keeps no workers waiting.
pub(crate) fn engine() -> Engine {
    Engine::new(Config { pool: 0, ..Config::default() }).unwrap()
}

/// Runs one program in `base` and gives its outcome.
pub(crate) fn outcome(code: &str) -> Outcome {
    outcome_of(Request { code: code.into(), ..Request::default() })
}

/// Runs one request on an engine of its own and gives its outcome.
pub(crate) fn outcome_of(request: Request) -> Outcome {
    block_on(async {
        let engine = engine();
        let outcome = engine.run(request).await.unwrap();
        engine.shutdown().await;
        outcome
    })
}
