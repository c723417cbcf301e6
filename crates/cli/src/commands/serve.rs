//! `execute-python serve`: the engine over HTTP.

use std::process::ExitCode;

use execute_python_engine::Engine;
use execute_python_server::{Service, bind, tell};

use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::output::{self, Line};
use crate::settings::Settings;
use crate::{args, progress};

/// Listens until it is told to end, and then lets runs come to theirs.
pub(crate) async fn serve(args: &args::Serve, settings: Settings) -> Result<ExitCode, Failure> {
    let mut server = args.store.config(settings.clone());
    server.listen = args.listen.unwrap_or(server.listen);
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
    output::lines(&[Line::new("serving", bound.url())]);
    let twice = Interrupts::listen()?.twice();
    tokio::select! {
        served = execute_python_server::serve(bound, service, interrupts.next()) => served?,
        () = twice => return Err(Failure::Interrupted),
    }
    engine.shutdown().await;
    Ok(ExitCode::SUCCESS)
}
