//! `execute-python serve`: the engine over HTTP.

use std::process::ExitCode;

use execute_python_engine::Engine;
use execute_python_engine::protocol::{Ceiling, Limits};
use execute_python_server::{Config, Service, bind, tell};
use serde::Serialize;

use super::owned::Owned;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::output::{self, Line};
use crate::settings::Settings;
use crate::{args, progress};

/// Listens until it is told to end, and then lets runs come to theirs.
pub(crate) async fn serve(args: &args::Serve, settings: Settings) -> Result<ExitCode, Failure> {
    let owned = if args.owned { Some(Owned::new().await?) } else { None };
    let mut server = args.store.config(settings.clone());
    server.listen = args.listen.unwrap_or(server.listen);
    if let Some(owned) = &owned {
        server = owned.config();
    }
    if args.print_config {
        return print(&settings, &server);
    }
    let _telling = tell(&server.telemetry)?;
    let mut interrupts = Interrupts::listen()?;
    let mut config = settings.config(progress::sink(false));
    config.pool = server.pool;
    let engine = Engine::new(config)?;
    let service = Service::new(engine.clone(), server).await?;
    let bound = bind(&service).await?;
    for environment in &service.config().warm {
        engine.warm(environment).await?;
    }
    match &owned {
        Some(owned) => owned.tell(&bound.url())?,
        None => output::lines(&[Line::new("serving", bound.url())]),
    }
    let stop = async {
        tokio::select! {
            () = interrupts.next() => {}
            () = Owned::gone(owned.as_ref()) => {}
        }
    };
    let twice = Interrupts::listen()?.twice();
    tokio::select! {
        done = execute_python_server::serve(bound, service, stop) => done?,
        () = twice => return Err(Failure::Interrupted),
    }
    engine.shutdown().await;
    Ok(ExitCode::SUCCESS)
}

/// Prints the configuration as a settings file would say it.
fn print(settings: &Settings, server: &Config) -> Result<ExitCode, Failure> {
    #[derive(Serialize)]
    struct Whole<'a> {
        limits: Limits,
        ceiling: Ceiling,
        server: &'a Config,
    }
    let whole = Whole { limits: settings.limits, ceiling: settings.ceiling, server };
    let text = toml::to_string(&whole).map_err(|error| Failure::System {
        doing: "write the configuration",
        source: std::io::Error::other(error),
    })?;
    output::result(&text)?;
    Ok(ExitCode::SUCCESS)
}
