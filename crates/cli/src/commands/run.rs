//! `execute-python run`: one run, streamed as it happens, and what it made.

use std::process::ExitCode;

use execute_python_engine::protocol::{Event, Outcome, Request, Status};
use execute_python_engine::{Delivery, Engine, Run};

use crate::artifacts::Place;
use crate::failure::{Failure, STOPPED};
use crate::interrupt::Interrupts;
use crate::output::{self, Output};
use crate::settings::Settings;
use crate::{args, progress, summary};

/// Runs the request and prints what comes back.
pub(crate) async fn run(
    args: &args::Run,
    mut settings: Settings,
    request: Request,
) -> Result<ExitCode, Failure> {
    let place = place(args)?;
    settings.waive(args.waive.iter().map(|layer| (*layer).into()));
    let mut interrupts = Interrupts::listen()?;
    let engine = Engine::new(settings.config(progress::sink(args.json)))?;
    let delivery = place.as_ref().map_or(Delivery::Inline, Place::delivery);
    let mut run = tokio::select! {
        run = engine.start(request, delivery) => run?,
        () = interrupts.next() => return Err(Failure::Interrupted),
    };
    let twice = Interrupts::listen()?.twice();
    let mut output = Output::new(args.watch);
    let whole = async {
        let stream = (!args.json).then_some(&mut output);
        let outcome = follow(&mut run, stream, &mut interrupts).await?;
        engine.shutdown().await;
        if args.json {
            print_json(&mut output, outcome, place).await
        } else {
            print_end(&mut output, outcome, place).await
        }
    };
    tokio::select! {
        code = whole => code,
        () = twice => Err(Failure::Interrupted),
    }
}

/// Where artifacts go: with `--json` into the outcome, unless a folder is named.
pub(super) fn place(args: &args::Run) -> Result<Option<Place>, Failure> {
    if args.json && args.out.is_none() {
        return Ok(None);
    }
    Ok(Some(Place::new(args.out.as_deref())?))
}

/// Prints what happens until the run is over. Who cannot print it cancels the run, and so does who
/// is told to end.
async fn follow(
    run: &mut Run,
    mut stream: Option<&mut Output>,
    interrupts: &mut Interrupts,
) -> Result<Outcome, Failure> {
    let mut failed = None;
    loop {
        let event = tokio::select! {
            event = run.next() => event,
            () = interrupts.next() => {
                run.cancel();
                continue;
            }
        };
        match (event, &mut stream) {
            (Some(Event::Finished { outcome }), _) => return failed.map_or(Ok(*outcome), Err),
            (Some(event), Some(output)) => {
                if let Err(failure) = output.event(&event).await {
                    failed = Some(failure);
                    stream = None;
                    run.cancel();
                }
            }
            (Some(_), None) => {}
            (None, _) => return Err(Failure::NoOutcome),
        }
    }
}

async fn print_json(
    output: &mut Output,
    mut outcome: Outcome,
    place: Option<Place>,
) -> Result<ExitCode, Failure> {
    if let Some(place) = place {
        place.disarm(&mut outcome)?;
        place.settle(&outcome.id)?;
    }
    output.json(&outcome).await?;
    Ok(exit_code(&outcome))
}

async fn print_end(
    output: &mut Output,
    mut outcome: Outcome,
    place: Option<Place>,
) -> Result<ExitCode, Failure> {
    output.end(&outcome).await?;
    let (mut folder, mut pictures) = (None, Vec::new());
    if let Some(place) = place {
        place.disarm(&mut outcome)?;
        pictures = place.save_pictures(&outcome)?;
        folder = place.settle(&outcome.id)?;
    }
    output::lines(&summary::lines(&outcome, folder.as_deref(), &pictures));
    Ok(exit_code(&outcome))
}

/// The exit code of an outcome; the table is in the help of `run`.
pub(super) fn exit_code(outcome: &Outcome) -> ExitCode {
    code_of(outcome.status, outcome.exit_code).into()
}

fn code_of(status: Status, own: Option<i32>) -> u8 {
    match status {
        Status::Ok => 0,
        // As a shell sees it: the low eight bits.
        Status::Exited => own.map_or(1, |code| code.to_le_bytes()[0]),
        Status::Exception => 1,
        Status::Rejected => 3,
        Status::Timeout
        | Status::MemoryLimit
        | Status::Violation
        | Status::Crashed
        | Status::Cancelled => STOPPED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_exit_code() {
        for (status, own, code) in [
            (Status::Ok, None, 0),
            (Status::Exited, Some(0), 0),
            (Status::Exited, Some(42), 42),
            (Status::Exited, Some(-1), 255),
            (Status::Exited, Some(256), 0),
            (Status::Exception, None, 1),
            (Status::Rejected, None, 3),
            (Status::Timeout, None, 4),
            (Status::MemoryLimit, None, 4),
            (Status::Violation, None, 4),
            (Status::Crashed, None, 4),
            (Status::Cancelled, None, 4),
        ] {
            assert_eq!(code_of(status, own), code, "{status:?}");
        }
    }
}
