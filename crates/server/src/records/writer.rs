//! The one task that writes records.

use std::time::Duration;

use execute_python_engine::protocol::Outcome;
use tokio::sync::{mpsc, oneshot};

use super::{Asked, Record};
use crate::audit::{self, Entry};
use crate::config;
use crate::db::{Database, DbError};
use crate::problem::chain;
use crate::store::sha256;

/// How many records wait at most, and how many go into one transaction.
const MOST_WAITING: usize = 4_096;
const MOST_AT_ONCE: usize = 256;
/// How long to wait before the database is tried again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Takes what is to be recorded. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    writes: mpsc::Sender<Write>,
    keep: config::Records,
}

#[derive(Debug)]
enum Write {
    Run(Box<Run>),
    Event {
        tenant: String,
        kind: &'static str,
        subject: String,
        body: String,
    },
    /// Says when all before it is written.
    Flush(oneshot::Sender<()>),
}

impl Recorder {
    /// Starts the task. It ends when it is flushed and every recorder is gone.
    pub(crate) fn start(database: Database, keep: config::Records) -> Self {
        let (writes, queue) = mpsc::channel(MOST_WAITING);
        tokio::spawn(write_all(database, keep, queue));
        Self { writes, keep }
    }

    /// Records a run that is over.
    pub(crate) async fn run(&self, asked: Asked, outcome: &Outcome) {
        let record = Record::new(&asked, outcome);
        // Plain data that is made of texts and numbers always serialises.
        let outcome = self.keep.output.then(|| serde_json::to_string(outcome).unwrap_or_default());
        self.write(Write::Run(Box::new(Run { record, code: asked.code, outcome }))).await;
    }

    /// Records that something else happened.
    pub(crate) async fn event(
        &self,
        tenant: &str,
        kind: &'static str,
        subject: &str,
        body: &serde_json::Value,
    ) {
        let (tenant, subject) = (tenant.to_owned(), subject.to_owned());
        self.write(Write::Event { tenant, kind, subject, body: body.to_string() }).await;
    }

    /// Waits until all that came before is written.
    pub(crate) async fn flush(&self) {
        let (done, written) = oneshot::channel();
        self.write(Write::Flush(done)).await;
        // The task answers, or is gone with the runtime.
        written.await.ok();
    }

    async fn write(&self, write: Write) {
        if self.writes.send(write).await.is_err() {
            tracing::error!("a record came after the last one was written");
        }
    }
}

async fn write_all(database: Database, keep: config::Records, mut queue: mpsc::Receiver<Write>) {
    let mut batch = Vec::with_capacity(MOST_AT_ONCE);
    while queue.recv_many(&mut batch, MOST_AT_ONCE).await > 0 {
        let rows: Vec<_> = batch.iter_mut().filter_map(Row::of).collect();
        let mut pause = FIRST_PAUSE;
        while let Err(error) = write_batch(&database, keep, &rows).await {
            tracing::error!(error = %chain(&error), records = rows.len(), "cannot write records");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        for write in batch.drain(..) {
            if let Write::Flush(done) = write {
                // Nobody has to wait any more.
                done.send(()).ok();
            }
        }
    }
}

/// What is written for one thing.
struct Row<'a> {
    tenant: &'a str,
    kind: &'static str,
    subject: &'a str,
    body: String,
    run: Option<&'a Run>,
}

/// A run that is over.
#[derive(Debug)]
struct Run {
    record: Record,
    code: String,
    outcome: Option<String>,
}

impl<'a> Row<'a> {
    fn of(write: &'a mut Write) -> Option<Self> {
        match write {
            Write::Flush(_) => None,
            Write::Event { tenant, kind, subject, body } => {
                Some(Self { tenant, kind, subject, body: body.clone(), run: None })
            }
            Write::Run(run) => {
                run.record.code_sha256 = sha256(run.code.as_bytes());
                Some(Self {
                    tenant: &run.record.tenant,
                    kind: "run",
                    subject: &run.record.id,
                    body: serde_json::to_string(&run.record).unwrap_or_default(),
                    run: Some(run),
                })
            }
        }
    }
}

async fn write_batch(
    database: &Database,
    keep: config::Records,
    rows: &[Row<'_>],
) -> Result<(), DbError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut transaction = database.begin().await?;
    let entries: Vec<Entry<'_>> = rows
        .iter()
        .map(|row| Entry {
            tenant: row.tenant,
            kind: row.kind,
            subject: row.subject,
            body: &row.body,
        })
        .collect();
    audit::append(&mut transaction, &entries).await?;
    for row in rows {
        let Some(run) = row.run else { continue };
        let cpu = Duration::try_from_secs_f64(run.record.usage.cpu_time_ms / 1e3);
        let cpu_us = i64::try_from(cpu.unwrap_or_default().as_micros()).unwrap_or(i64::MAX);
        sqlx::query(
            "INSERT INTO runs (id, tenant, created_at, status, session, environment, cpu_time_us,
             record, code, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        )
        .bind(&run.record.id)
        .bind(&run.record.tenant)
        .bind(&run.record.created_at)
        .bind(run.record.status.as_str())
        .bind(run.record.session.as_deref())
        .bind(&run.record.environment)
        .bind(cpu_us)
        .bind(&row.body)
        .bind(keep.code.then(|| storable(&run.code)))
        .bind(run.outcome.as_deref())
        .execute(&mut *transaction)
        .await?;
    }
    Ok(transaction.commit().await?)
}

/// A text that PostgreSQL takes too: it has no null bytes.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
