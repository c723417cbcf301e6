//! A run that goes on, with what the service does around it.
//!
//! Whoever asked holds it and takes its events. When it is dropped before its end, because the
//! client is gone, the run is cancelled, and its end is still seen to and recorded.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use execute_python_engine::protocol::{Event, Outcome};
use execute_python_engine::{Delivery, Run, Session};
use tokio::sync::mpsc;
use tracing::Span;

use super::artifacts;
use super::body::RunBody;
use super::idempotency::Slot;
use super::live::Command;
use crate::admission::Permit;
use crate::auth::Caller;
use crate::metrics::Times;
use crate::problem::Problem;
use crate::records::Asked;
use crate::service::Service;
use crate::sessions::Turn;

/// A run that goes on.
#[derive(Debug)]
pub(crate) struct Ongoing {
    /// Gone when the run is over.
    run: Option<Run>,
    id: String,
    commands: mpsc::UnboundedReceiver<Command>,
    around: Option<Around>,
}

/// Counts a run while it goes on.
#[derive(Debug)]
struct Going(Service);

impl Going {
    fn new(service: &Service) -> Self {
        service.metrics().started();
        Self(service.clone())
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        self.0.metrics().ended();
    }
}

/// What a run is started with.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) caller: Caller,
    pub(crate) body: RunBody,
    /// The session to run in, and the turn in it.
    pub(crate) session: Option<(Session, Option<Turn>)>,
    pub(crate) permit: Permit,
    /// When it was asked for, and how long it waited for its turn since.
    pub(crate) begun: Instant,
    pub(crate) queue: Duration,
    /// For a run that was accepted before: its id, and what it is told by others.
    pub(crate) background: Option<(String, mpsc::UnboundedReceiver<Command>)>,
    /// Where the answer is put down.
    pub(crate) slot: Option<Slot>,
}

/// What is known of a run beside the run.
#[derive(Debug)]
struct Around {
    service: Service,
    asked: Asked,
    /// Whether the content of artifacts stays in the outcome.
    contents: bool,
    begun: Instant,
    times: Times,
    span: Span,
    slot: Option<Slot>,
    _going: Going,
    _permit: Permit,
    _turn: Option<Turn>,
}

impl Ongoing {
    /// Starts a run.
    pub(crate) async fn start(service: &Service, start: Start) -> Result<Self, Problem> {
        let Start { caller, body, session, permit, begun, queue, background, slot } = start;
        let permitted = Instant::now();
        let contents = body.includes_artifacts();
        let tenant = caller.tenant.clone();
        let mut asked = Asked::new(caller, body.code.clone());
        asked.background = background.is_some();
        let request = body.into_request(service, &tenant).await?;
        let (session, turn) = session.unzip();
        let turn = turn.flatten();
        asked.session = session.as_ref().map(|session| session.id().to_owned());
        let run = match &session {
            Some(session) => session.start(request, Delivery::Inline).await?,
            None => service.engine().start(request, Delivery::Inline).await?,
        };
        let (id, commands) = background.unwrap_or_else(|| {
            let id = run.id().to_owned();
            let commands = service.live().add(&tenant, &id);
            (id, commands)
        });
        if let Some(session) = &session {
            service.live().enter(&id, session.id());
        }
        let around = Around {
            service: service.clone(),
            asked,
            contents,
            slot,
            begun,
            times: Times { queue, start: permitted.elapsed(), ..Times::default() },
            span: tracing::info_span!("run", run = id),
            _going: Going::new(service),
            _permit: permit,
            _turn: turn,
        };
        Ok(Self { run: Some(run), id, commands, around: Some(around) })
    }

    /// The next thing that happens; after [`Event::Finished`] there is none.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let run = self.run.as_mut()?;
        let event = loop {
            tokio::select! {
                biased;
                event = run.next() => break event,
                Some(command) = self.commands.recv() => match command {
                    Command::Cancel => run.cancel(),
                    Command::Input { id, text } => run.answer_input(&id, text),
                    Command::ToolResult { id, result } => run.answer_tool(&id, result),
                    Command::Abandon => {
                        self.around = None;
                        self.run = None;
                        return None;
                    }
                },
            }
        };
        match event {
            Some(Event::Finished { mut outcome }) => {
                self.run = None;
                outcome.id.clone_from(&self.id);
                if let Some(around) = self.around.take() {
                    outcome = around.settle(outcome).await;
                }
                Some(Event::Finished { outcome })
            }
            Some(Event::Started { environment, .. }) => {
                Some(Event::Started { id: self.id.clone(), environment })
            }
            other => other,
        }
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.run.is_none()
    }

    /// Waits for the outcome and leaves out what comes before it.
    pub(crate) async fn outcome(&mut self) -> Result<Box<Outcome>, Problem> {
        while let Some(event) = self.next().await {
            if let Event::Finished { outcome } = event {
                return Ok(outcome);
            }
        }
        let error = std::io::Error::other("the run ended without an outcome");
        Err(Problem::ours("wait for the outcome", &error))
    }
}

impl Drop for Ongoing {
    fn drop(&mut self) {
        let (Some(mut run), Some(mut around)) = (self.run.take(), self.around.take()) else {
            return;
        };
        run.cancel();
        // Nobody got an answer, so who asks again is no repetition.
        around.slot = None;
        let id = std::mem::take(&mut self.id);
        // Without a runtime the whole process is ending.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Ok(mut outcome) = run.outcome().await {
                    outcome.id = id;
                    drop(around.settle(Box::new(outcome)).await);
                }
            });
        }
    }
}

impl Around {
    /// Sees to what remains when a run is over.
    async fn settle(mut self, mut outcome: Box<Outcome>) -> Box<Outcome> {
        if !self.asked.background {
            self.service.live().remove(&outcome.id);
        }
        self.times.whole = self.begun.elapsed();
        self.service.metrics().told(&outcome, self.times);
        self.span.in_scope(|| {
            let status = outcome.status.as_str();
            let (environment, cpu_ms) = (&outcome.environment, outcome.usage.cpu_time_ms);
            tracing::info!(status, environment, cpu_ms, "ran");
        });
        let cpu = Duration::try_from_secs_f64(outcome.usage.cpu_time_ms / 1e3).unwrap_or_default();
        self.service.admission().used(&self.asked.caller.tenant, cpu);
        if !outcome.artifacts.is_empty() {
            let tenant = self.asked.caller.tenant.clone();
            outcome = artifacts::keep(&self.service, tenant, outcome, self.contents).await;
        }
        self.service.recorder().run(self.asked, &outcome).await;
        if let Some(slot) = self.slot {
            let body = serde_json::to_string(&outcome).unwrap_or_default();
            if let Err(problem) = slot.fill(StatusCode::OK, &body).await {
                tracing::error!(?problem, "a repetition of a request would run again");
            }
        }
        outcome
    }
}
