//! Measures the engine against its peers on this machine: plain `python3` from a clean virtual
//! environment of the same interpreter and, where it is installed, bubblewrap around it.
//!
//! `cargo run --release -p execute-python-benches` prints a table and writes
//! `target/benches.json`. Machines are noisy, so all that is compared runs interleaved, round after
//! round, and what counts is the ratio. `--quick` takes fewer rounds; `--sessions` and `--http` measure
//! sessions or the service alone.

#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a program that measures other programs and prints what it found"
)]

mod http;
mod measures;
mod memory;
mod peers;
mod sessions;
mod statistics;

use std::error::Error;

use execute_python_engine::{Config, Engine};

/// How much is measured.
#[derive(Debug, Clone, Copy)]
struct Effort {
    /// Rounds of what takes milliseconds.
    many: usize,
    /// Rounds of what takes a second.
    few: usize,
    /// Seconds of a measure of throughput.
    seconds: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let effort = if quick {
        Effort { many: 30, few: 3, seconds: 3 }
    } else {
        Effort { many: 200, few: 9, seconds: 10 }
    };
    let engine = Engine::new(Config { pool: 8, ..Config::default() })?;
    for environment in ["base", "data"] {
        engine.warm(environment).await?;
    }
    let peers = peers::Peers::prepare(&engine)?;
    let mut rows = Vec::new();
    if !std::env::args().any(|argument| argument == "--http") {
        rows.extend(measures::all(&engine, &peers, effort).await?);
    }
    let folder = std::env::temp_dir().join("execute-python-benches");
    rows.extend(http::all(&engine, &peers, effort, &folder).await?);
    engine.shutdown().await;
    println!("{}", statistics::table(&rows));
    let path = "target/benches.json";
    std::fs::write(
        path,
        serde_json::to_string_pretty(&rows.iter().map(statistics::Row::json).collect::<Vec<_>>())?,
    )?;
    eprintln!("written to {path}");
    Ok(())
}
