//! The command `execute-python`: runs Python in a sandbox on this machine.
//!
//! What is typed (`args`) and what is set up (`settings`) become a request for the engine; what comes
//! back is printed (`output`). The exit code tells a program how a run ended.

#![forbid(unsafe_code)]

mod args;
mod artifacts;
mod commands;
mod display;
mod failure;
mod inputs;
mod interrupt;
mod limits;
mod notebook;
mod output;
mod progress;
mod request;
mod settings;
mod source;
mod summary;
mod terminal;
mod units;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    commands::carry_out(&cli).unwrap_or_else(|failure| {
        output::failure(&failure, commands::wants_json(&cli.command));
        failure.exit_code()
    })
}

/// Prints what clap has to say: help, the version, or what is wrong with the usage.
fn usage(error: &clap::Error) -> ExitCode {
    if error.print().is_err() {
        return failure::OURS.into();
    }
    u8::try_from(error.exit_code()).map_or(failure::OURS.into(), ExitCode::from)
}
