//! `execute-python run NOTEBOOK`: its cells in one session, and their outputs written back.

use std::process::ExitCode;

use execute_python_engine::protocol::{
    Event, LimitsRequest, Outcome, Request, SessionOptions, Status,
};
use execute_python_engine::{Delivery, Engine, Session};

use super::run::{exit_code, place};
use crate::artifacts::Place;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::notebook::{Cell, Notebook, Outputs};
use crate::output::{self, Line, Output};
use crate::settings::Settings;
use crate::{args, inputs, progress, summary};

/// Runs the cells from the first to the last, or to the first that fails, as Jupyter does.
pub(crate) async fn notebook(
    args: &args::Run,
    mut settings: Settings,
) -> Result<ExitCode, Failure> {
    let mut notebook = Notebook::read(args.source.script.as_deref().unwrap_or("".as_ref()))?;
    settings.waive(args.waive.iter().map(|layer| (*layer).into()));
    let options = options(args, &settings)?;
    let twice = Interrupts::listen()?.twice();
    let engine = Engine::new(settings.config(progress::sink(args.json)))?;
    let ran = tokio::select! {
        ran = run(args, &engine, options, &mut notebook) => ran,
        () = twice => return Err(Failure::Interrupted),
    };
    // What the cells put out until then is not lost by a failure of ours.
    notebook.write()?;
    engine.shutdown().await;
    ran
}

fn options(args: &args::Run, settings: &Settings) -> Result<SessionOptions, Failure> {
    let limits = LimitsRequest::from(args.limits);
    let disk = limits.resolve(&settings.limits, &settings.ceiling)?.disk_bytes;
    Ok(SessionOptions {
        environment: args.env.clone(),
        limits,
        policy: Some(args.policy.into()),
        files: inputs::files(&args.inputs, disk)?,
        // Nobody returns to an earlier state.
        checkpoints: Some(0),
        ..SessionOptions::default()
    })
}

async fn run(
    args: &args::Run,
    engine: &Engine,
    mut options: SessionOptions,
    notebook: &mut Notebook,
) -> Result<ExitCode, Failure> {
    let mut cells = notebook.cells();
    cells.iter_mut().for_each(Cell::clear);
    if options.environment.is_none() {
        let code: Vec<String> = cells.iter().map(Cell::source).collect();
        options.environment = Some(engine.environment_for(&code.join("\n"))?);
    }
    let session = engine.open_session(options, None).await?;
    let mut teller =
        Teller { args, output: Output::new(args.watch), place: place(args)?, all: Vec::new() };
    for (cell, number) in cells.iter_mut().zip(1..) {
        let outcome = teller.cell(&session, cell, number).await?;
        let failed = outcome.status != Status::Ok;
        let expected = cell.may_raise() && outcome.status == Status::Exception;
        teller.all.push(outcome);
        if failed && !expected {
            break;
        }
    }
    teller.end(session.id()).await
}

/// Tells of the cells as they run.
struct Teller<'a> {
    args: &'a args::Run,
    output: Output,
    place: Option<Place>,
    all: Vec<Outcome>,
}

impl Teller<'_> {
    async fn cell(
        &mut self,
        session: &Session,
        cell: &mut Cell<'_>,
        number: usize,
    ) -> Result<Outcome, Failure> {
        let mut interrupts = Interrupts::listen()?;
        let request = Request {
            code: cell.source(),
            name: Some(format!("cell {number}")),
            policy: self.args.policy.into(),
            ..Request::default()
        };
        let delivery = self.place.as_ref().map_or(Delivery::Inline, Place::delivery);
        let mut run = session.start(request, delivery).await?;
        let mut outputs = Outputs::default();
        loop {
            let event = tokio::select! {
                event = run.next() => event,
                () = interrupts.next() => {
                    run.cancel();
                    continue;
                }
            };
            match event {
                Some(Event::Finished { outcome }) => {
                    outputs.end(&outcome, number);
                    cell.fill(number, outputs);
                    return self.ended(*outcome).await;
                }
                Some(event) => {
                    outputs.take(&event);
                    if !self.args.json {
                        self.output.event(&event).await?;
                    }
                }
                None => return Err(Failure::NoOutcome),
            }
        }
    }

    async fn ended(&mut self, mut outcome: Outcome) -> Result<Outcome, Failure> {
        if let Some(place) = &self.place {
            place.disarm(&mut outcome)?;
        }
        if !self.args.json {
            self.output.end(&outcome).await?;
        }
        Ok(outcome)
    }

    /// Tells how all of it ended: with `--json` the outcomes, else what is worth a line.
    async fn end(mut self, session: &str) -> Result<ExitCode, Failure> {
        let folder = self.place.map(|place| place.settle(session)).transpose()?.flatten();
        if self.args.json {
            self.output.json(&self.all).await?;
        } else {
            for (outcome, number) in self.all.iter().zip(1..) {
                let mut lines = summary::lines(outcome, folder.as_deref(), &[]);
                if let Some(first) = lines.first_mut() {
                    *first = Line::new(&first.label, format!("cell {number}: {}", first.text));
                }
                output::lines(&lines);
            }
        }
        Ok(self.all.last().map_or(ExitCode::SUCCESS, exit_code))
    }
}
