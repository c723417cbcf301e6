//! A run that goes on, with what the service does around it.
//!
//! Whoever asked holds it and takes its events. When it is dropped before its end, because the
//! client is gone, the run is cancelled, and its end is still seen to and recorded.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use execute_python_engine::protocol::{Artifact, Event, Outcome};
use execute_python_engine::{Delivery, Run};
use tokio::sync::mpsc;

use super::body::{Include, RunBody};
use super::live::Command;
use crate::admission::{Patience, Permit};
use crate::auth::Caller;
use crate::db::now;
use crate::problem::Problem;
use crate::records::Asked;
use crate::service::Service;
use crate::store::{Kind, Store, StoredFile};

/// A run that goes on.
#[derive(Debug)]
pub(crate) struct Ongoing {
    /// Gone when the run is over.
    run: Option<Run>,
    commands: mpsc::UnboundedReceiver<Command>,
    around: Option<Around>,
}

/// What is known of a run beside the run.
#[derive(Debug)]
struct Around {
    service: Service,
    asked: Asked,
    keep_content: bool,
    _permit: Permit,
}

impl Ongoing {
    /// Starts the run that a client asks for.
    pub(crate) async fn start(
        service: &Service,
        caller: Caller,
        body: RunBody,
    ) -> Result<Self, Problem> {
        let tenant = caller.tenant.clone();
        service.admission().count(&tenant)?;
        let patience = Patience::Client(Duration::from_secs(service.config().queue_seconds));
        let permit = service.admission().permit(&tenant, patience).await?;
        let keep_content = body.include.contains(&Include::Artifacts);
        let request = body.into_request();
        let asked = Asked::new(caller, request.code.clone());
        let run = service.engine().start(request, Delivery::Inline).await?;
        let commands = service.live().add(&tenant, run.id());
        let around = Around { service: service.clone(), asked, keep_content, _permit: permit };
        Ok(Self { run: Some(run), commands, around: Some(around) })
    }

    /// The next thing that happens; after [`Event::Finished`] there is none.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let run = self.run.as_mut()?;
        let event = loop {
            tokio::select! {
                biased;
                event = run.next() => break event,
                Some(Command::Cancel) = self.commands.recv() => run.cancel(),
            }
        };
        let Some(Event::Finished { mut outcome }) = event else { return event };
        self.run = None;
        if let Some(around) = self.around.take() {
            outcome = around.settle(outcome).await;
        }
        Some(Event::Finished { outcome })
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
        let (Some(mut run), Some(around)) = (self.run.take(), self.around.take()) else { return };
        run.cancel();
        // Without a runtime the whole process is ending.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Ok(outcome) = run.outcome().await {
                    drop(around.settle(Box::new(outcome)).await);
                }
            });
        }
    }
}

impl Around {
    /// Sees to what remains when a run is over.
    async fn settle(self, mut outcome: Box<Outcome>) -> Box<Outcome> {
        self.service.live().remove(&outcome.id);
        let cpu = Duration::try_from_secs_f64(outcome.usage.cpu_time_ms / 1e3).unwrap_or_default();
        self.service.admission().used(&self.asked.caller.tenant, cpu);
        if !outcome.artifacts.is_empty() {
            outcome = self.keep_artifacts(outcome).await;
        }
        self.service.recorder().run(self.asked, &outcome).await;
        outcome
    }

    /// Puts the artifacts into the store, and their addresses into the outcome.
    async fn keep_artifacts(&self, mut outcome: Box<Outcome>) -> Box<Outcome> {
        let keep = Keep {
            store: self.service.store().clone(),
            tenant: self.asked.caller.tenant.clone(),
            run: outcome.id.clone(),
            keep_content: self.keep_content,
        };
        let artifacts = std::mem::take(&mut outcome.artifacts);
        let kept = tokio::task::spawn_blocking(move || {
            artifacts.into_iter().map(|artifact| keep.keep(artifact)).collect()
        });
        match kept.await {
            Ok(artifacts) => outcome.artifacts = artifacts,
            Err(error) => outcome.notes.push(format!("the artifacts were lost: {error}")),
        }
        outcome
    }
}

/// Keeps artifacts.
struct Keep {
    store: Store,
    tenant: String,
    run: String,
    keep_content: bool,
}

impl Keep {
    fn keep(&self, mut artifact: Artifact) -> Artifact {
        let content = artifact.content.as_deref().map(|text| STANDARD.decode(text));
        let Some(Ok(content)) = content else { return artifact };
        let known = StoredFile {
            id: Kind::Artifact.new_id(),
            name: artifact.path.clone(),
            bytes: artifact.bytes,
            sha256: artifact.sha256.clone(),
            mime_type: artifact.mime_type.clone(),
            created_at: now(),
            run: Some(self.run.clone()),
        };
        match self.store.put(&self.tenant, &known, &content) {
            Ok(()) => {
                artifact.url = Some(format!("/v1/artifacts/{}", known.id));
                artifact.id = Some(known.id);
                if !self.keep_content {
                    artifact.content = None;
                }
            }
            // Its content stays in the outcome, so nothing is lost.
            Err(error) => tracing::error!(%error, "cannot keep an artifact"),
        }
        artifact
    }
}
