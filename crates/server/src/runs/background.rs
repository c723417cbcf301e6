//! Runs that nobody waits for.
//!
//! One is accepted when it is in the database, and taken out only together with its outcome. So a
//! service that stops or dies loses none: the next one carries out what it finds without an outcome.
//! A run that was under way is then carried out again; it could change nothing outside its sandbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use bytes::Bytes;
use execute_python_engine::protocol::Event;
use serde::Serialize;
use serde_json::value::RawValue;
use sqlx::Row;
use tokio::sync::mpsc;

use super::body::RunBody;
use super::live::{Command, Followed};
use super::ongoing::{Ongoing, Start};
use crate::admission::Patience;
use crate::auth::Caller;
use crate::db::{DbError, now};
use crate::problem::{Problem, chain};
use crate::service::Service;
use crate::sessions;
use crate::telemetry;

/// What is known of a background run.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) status: Option<String>,
    pub(crate) outcome: Option<Box<RawValue>>,
    pub(crate) events: u64,
}

/// A background run that is to be carried out.
#[derive(Debug)]
struct Job {
    service: Service,
    id: String,
    tenant: String,
    /// The session that it is for, while that session can still be there.
    session: Option<String>,
    commands: mpsc::UnboundedReceiver<Command>,
    followed: Arc<Followed>,
}

/// How a job came to its end.
enum Ended {
    /// As the outcome says.
    Outcome(String, &'static str),
    /// It could not be carried out.
    Failed(Problem),
    /// It was cancelled before it started.
    Cancelled,
    /// It stays in the database for the next service.
    Left,
}

/// Accepts a run; gives its id.
pub(crate) async fn accept(
    service: &Service,
    mut caller: Caller,
    body: RunBody,
) -> Result<String, Problem> {
    body.check_code()?;
    caller.trace = telemetry::current_trace().or(caller.trace);
    service.admission().count(&caller.tenant)?;
    if service.live().count_background() >= service.config().background_runs {
        let detail = "too many background runs wait already";
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "queue_full", detail)
            .retry_after(Duration::from_secs(5)));
    }
    if let Some(webhook) = &body.webhook {
        webhook.check(service.config().private_webhooks())?;
    }
    let id = format!("run_{}", uuid::Uuid::now_v7().simple());
    let session = body.session.clone();
    if let Some(session) = &session {
        sessions::find(service, &caller, session)?;
    }
    let put_down = put_down(service, &id, &caller, &body).await;
    put_down.map_err(|error| Problem::ours("accept the run", &error))?;
    start(service, id.clone(), caller.tenant, session);
    Ok(id)
}

async fn put_down(
    service: &Service,
    id: &str,
    caller: &Caller,
    body: &RunBody,
) -> Result<(), DbError> {
    sqlx::query(
        "INSERT INTO background (id, tenant, caller, request, accepted_at, webhook)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(id)
    .bind(&caller.tenant)
    .bind(json(caller))
    .bind(json(body))
    .bind(now())
    .bind(body.webhook.as_ref().map(json))
    .execute(service.database().pool())
    .await?;
    Ok(())
}

/// Plain data that is made of texts and numbers always serialises.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Carries out what an earlier service left.
pub(crate) async fn pick_up(service: &Service) -> Result<(), DbError> {
    let rows =
        sqlx::query("SELECT id, tenant FROM background WHERE finished_at IS NULL ORDER BY id")
            .fetch_all(service.database().pool())
            .await?;
    if !rows.is_empty() {
        tracing::info!(runs = rows.len(), "background runs are picked up");
    }
    for row in rows {
        // Sessions end with the service, and a run for one says so.
        start(service, row.try_get(0)?, row.try_get(1)?, None);
    }
    Ok(())
}

fn start(service: &Service, id: String, tenant: String, session: Option<String>) {
    let (commands, followed) = service.live().add_followed(&tenant, &id);
    let job = Job { service: service.clone(), id, tenant, session, commands, followed };
    service.tasks().spawn(job.carry_out());
}

impl Job {
    async fn carry_out(mut self) {
        let ended = match self.run().await {
            Ok(ended) => ended,
            Err(problem) if self.service.admission().is_closed() => {
                tracing::info!(
                    run = self.id,
                    ?problem,
                    "a background run is left for the next start"
                );
                Ended::Left
            }
            Err(problem) => Ended::Failed(problem),
        };
        if let Err(error) = self.put_down_end(&ended).await {
            // It is carried out again after the next start.
            tracing::error!(run = self.id, error = %chain(&error), "cannot put an outcome down");
        }
        self.service.webhooks().wake();
        let Self { service, id, followed, .. } = self;
        tokio::spawn(async move { service.live().end_followed(&id, &followed).await });
    }

    async fn run(&mut self) -> Result<Ended, Problem> {
        let begun = Instant::now();
        let Self { service, tenant, session, commands, .. } = self;
        let turn = async {
            let turn = match session {
                Some(id) => Some(service.turns().wait(id).await),
                None => None,
            };
            let permit = service.admission().permit(tenant, Patience::Background).await;
            permit.map(|permit| (turn, permit))
        };
        let (turn, permit) = tokio::select! {
            turn = turn => turn?,
            // Whatever the word is, it has not started.
            command = commands.recv() => match command {
                Some(Command::Cancel) => return Ok(Ended::Cancelled),
                _ => return Ok(Ended::Left),
            },
        };
        let queue = begun.elapsed();
        // Only now, so that what waits takes no memory.
        let (caller, body) = self.read().await?;
        let session = match &body.session {
            Some(id) => Some((sessions::find(&self.service, &caller, id)?, turn)),
            None => None,
        };
        let commands = std::mem::replace(&mut self.commands, mpsc::unbounded_channel().1);
        let background = Some((self.id.clone(), commands));
        let start = Start { caller, body, session, permit, begun, queue, background, slot: None };
        let mut ongoing = Ongoing::start(&self.service, start).await?;
        while let Some(event) = ongoing.next().await {
            let json = Bytes::from(serde_json::to_vec(&event).unwrap_or_default());
            let over = match &event {
                Event::Finished { outcome } => {
                    let text = serde_json::to_string(outcome).unwrap_or_default();
                    Some(Ended::Outcome(text, outcome.status.as_str()))
                }
                _ => None,
            };
            self.followed.push(json);
            if let Some(ended) = over {
                return Ok(ended);
            }
        }
        Ok(Ended::Left)
    }

    async fn read(&self) -> Result<(Caller, RunBody), Problem> {
        let row = sqlx::query("SELECT caller, request FROM background WHERE id = $1")
            .bind(&self.id)
            .fetch_one(self.service.database().pool())
            .await;
        let read = row.and_then(|row| {
            let (caller, body): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let decode = |error: serde_json::Error| sqlx::Error::Decode(Box::new(error));
            Ok((
                serde_json::from_str(&caller).map_err(decode)?,
                serde_json::from_str(&body).map_err(decode)?,
            ))
        });
        read.map_err(|error| Problem::ours("read the accepted run", &error))
    }

    async fn put_down_end(&self, ended: &Ended) -> Result<(), DbError> {
        let (status, outcome) = match ended {
            Ended::Left => return Ok(()),
            Ended::Outcome(outcome, status) => (*status, Some(outcome.clone())),
            Ended::Cancelled => ("cancelled", None),
            Ended::Failed(problem) => {
                ("failed", Some(serde_json::to_string(problem).unwrap_or_default()))
            }
        };
        let events = i64::try_from(self.followed.progress().borrow().events).unwrap_or_default();
        let due = jiff::Timestamp::now().as_millisecond();
        sqlx::query(
            "UPDATE background SET finished_at = $1, status = $2, outcome = $3, events = $4,
             webhook_due = CASE WHEN webhook IS NULL THEN NULL ELSE $5 END WHERE id = $6",
        )
        .bind(now())
        .bind(status)
        .bind(outcome)
        .bind(events)
        .bind(due)
        .bind(&self.id)
        .execute(self.service.database().pool())
        .await?;
        Ok(())
    }
}

/// What the database knows of a background run of the tenant's.
pub(crate) async fn known(
    service: &Service,
    tenant: &str,
    id: &str,
) -> Result<Option<Known>, DbError> {
    let row =
        sqlx::query("SELECT status, outcome, events FROM background WHERE id = $1 AND tenant = $2")
            .bind(id)
            .bind(tenant)
            .fetch_optional(service.database().pool())
            .await?;
    let Some(row) = row else { return Ok(None) };
    let outcome: Option<String> = row.try_get("outcome")?;
    Ok(Some(Known {
        status: row.try_get("status")?,
        outcome: outcome.and_then(|text| RawValue::from_string(text).ok()),
        events: row.try_get::<i64, _>("events")?.unsigned_abs(),
    }))
}
