//! The commands: each turns what was typed into calls of the engine and prints what comes back.

mod doctor;
mod env;
mod kernel;
mod keys;
mod mcp;
mod notebook;
mod owned;
mod run;
mod runs;
mod serve;

use std::process::ExitCode;

use tokio::runtime::Builder;

use crate::args::{Cli, Command, Env, KeysCommand, RunsCommand};
use crate::failure::Failure;
use crate::settings::Settings;

/// Carries out a command.
pub(crate) fn carry_out(cli: &Cli) -> Result<ExitCode, Failure> {
    if let Command::Doctor(args) = &cli.command {
        // It says what is wrong with the settings, so it cannot need them to be right.
        return doctor::doctor(args, Settings::load(&cli.shared));
    }
    if let Command::Kernel { arguments } = &cli.command {
        return kernel::kernel(arguments);
    }
    let settings = Settings::load(&cli.shared)?;
    match &cli.command {
        Command::Run(args) if args.source.is_notebook() => {
            block_on(notebook::notebook(args, settings))
        }
        Command::Run(args) => {
            let request = crate::request::build(args, &settings)?;
            block_on(run::run(args, settings, request))
        }
        Command::Env(args) => block_on(env::env(args, settings)),
        Command::Mcp(args) => run_on(&mut Builder::new_multi_thread(), mcp::mcp(args, settings)),
        Command::Serve(args) => {
            // Many clients at once, and files that are read and written.
            run_on(&mut Builder::new_multi_thread(), serve::serve(args, settings))
        }
        Command::Keys(args) => block_on(keys::keys(args, settings)),
        Command::Runs(args) => block_on(runs::runs(args, settings)),
        Command::Doctor(_) | Command::Kernel { .. } => Ok(ExitCode::SUCCESS),
    }
}

/// Whether a program reads what the command prints.
pub(crate) fn wants_json(command: &Command) -> bool {
    match command {
        Command::Run(run) => run.json,
        Command::Doctor(doctor) => doctor.json,
        Command::Keys(keys) => match &keys.command {
            KeysCommand::Create(create) => create.json,
            KeysCommand::List { json } => *json,
            KeysCommand::Revoke { .. } => false,
        },
        Command::Runs(runs) => match &runs.command {
            RunsCommand::List(which) => which.json,
            RunsCommand::Show { .. } | RunsCommand::Export(_) => true,
            RunsCommand::Verify { .. } => false,
        },
        Command::Serve(serve) => serve.owned,
        Command::Kernel { .. } | Command::Mcp(_) => false,
        Command::Env(
            Env::List { json }
            | Env::Show { json, .. }
            | Env::Build { json, .. }
            | Env::Remove { json, .. },
        ) => *json,
    }
}

fn block_on(command: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    run_on(&mut Builder::new_current_thread(), command)
}

fn run_on(
    threads: &mut Builder,
    command: impl Future<Output = Result<ExitCode, Failure>>,
) -> Result<ExitCode, Failure> {
    let runtime = threads
        .enable_all()
        .build()
        .map_err(|source| Failure::System { doing: "start the event loop", source })?;
    let done = runtime.block_on(command);
    // A thread that still provisions or writes to a stuck terminal ends with the process.
    runtime.shutdown_background();
    done
}
