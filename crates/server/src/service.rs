//! What all requests share.

use std::sync::Arc;
use std::time::Duration;

use execute_python_engine::Engine;
use sqlx::Row;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admission::Admission;
use crate::config::Config;
use crate::db::{Database, DbError};
use crate::error::Error;
use crate::keys::Keys;
use crate::metrics::Metrics;
use crate::records::{Recorder, Records};
use crate::runs::{Live, Webhooks, free_unanswered};
use crate::sessions::Turns;
use crate::store::Store;

/// The service: an engine and what is kept about its runs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Service(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    engine: Engine,
    database: Database,
    keys: Keys,
    records: Records,
    recorder: Recorder,
    admission: Admission,
    store: Store,
    live: Live,
    webhooks: Webhooks,
    tasks: TaskTracker,
    stopping: CancellationToken,
    turns: Turns,
    metrics: Metrics,
}

impl Service {
    /// Sets the service up; it does not listen yet.
    pub async fn new(engine: Engine, config: Config) -> Result<Self, Error> {
        let path = config.data_dir();
        let store = Store::open(&path).map_err(|source| Error::Folder { path, source })?;
        let database = Database::open(&config).await?;
        let admission = Admission::new(&config);
        count_today(&database, &admission).await?;
        free_unanswered(&database).await?;
        let webhooks = Webhooks::new(database.clone(), config.private_webhooks())?;
        Ok(Self(Arc::new(Inner {
            engine,
            keys: Keys::new(database.clone()),
            records: Records::new(database.clone()),
            recorder: Recorder::start(database.clone(), config.records),
            admission,
            store,
            live: Live::default(),
            webhooks,
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            turns: Turns::default(),
            metrics: Metrics::new(),
            database,
            config,
        })))
    }

    /// What it was set up with.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The engine that runs everything.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// How many runs go on, and how many wait for their turn.
    pub fn load(&self) -> (usize, usize) {
        (self.metrics().running(), self.admission().load().waiting)
    }

    pub(crate) fn database(&self) -> &Database {
        &self.0.database
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub(crate) fn records(&self) -> &Records {
        &self.0.records
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    pub(crate) fn admission(&self) -> &Admission {
        &self.0.admission
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn webhooks(&self) -> &Webhooks {
        &self.0.webhooks
    }

    /// What goes on without a client, and is waited for when the service stops.
    pub(crate) fn tasks(&self) -> &TaskTracker {
        &self.0.tasks
    }

    /// Is cancelled when the service begins to stop.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// Whose turn it is in each session.
    pub(crate) fn turns(&self) -> &Turns {
        &self.0.turns
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn live(&self) -> &Live {
        &self.0.live
    }
}

/// Takes over what the tenants used today before the service was started.
async fn count_today(database: &Database, admission: &Admission) -> Result<(), DbError> {
    let day = jiff::Timestamp::now().to_string();
    let midnight = day.get(..10).unwrap_or(&day);
    let rows = sqlx::query(
        "SELECT tenant, CAST(SUM(cpu_time_us) AS BIGINT) FROM runs WHERE created_at >= $1
         GROUP BY tenant",
    )
    .bind(midnight)
    .fetch_all(database.pool())
    .await?;
    for row in rows {
        let used = u64::try_from(row.try_get::<i64, _>(1)?).unwrap_or_default();
        admission.used(row.try_get(0)?, Duration::from_micros(used));
    }
    Ok(())
}
