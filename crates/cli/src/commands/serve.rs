//! `execute-python serve`: the engine over HTTP.

use std::process::ExitCode;

use execute_python_engine::Engine;
use execute_python_server::{Service, bind, tell};

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
        served = execute_python_server::serve(bound, service, stop) => served?,
        () = twice => return Err(Failure::Interrupted),
    }
    engine.shutdown().await;
    Ok(ExitCode::SUCCESS)
}
