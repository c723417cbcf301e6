//! How long what is kept is kept.

use std::time::Duration;

use jiff::Timestamp;

use crate::db::{Database, DbError};
use crate::problem::chain;
use crate::service::Service;

/// How often is looked for what has had its time.
const LOOK: Duration = Duration::from_mins(10);
/// How long answers to requests with an `Idempotency-Key` are kept.
const ANSWERS: Duration = Duration::from_hours(24);

/// Clears away what has had its time, for ever.
pub(crate) async fn clear_away(service: Service) {
    loop {
        if let Err(error) = clear_records(&service).await {
            tracing::error!(error = %chain(&error), "cannot clear records away");
        }
        let store = service.store().clone();
        let kept = Duration::from_hours(service.config().artifact_hours);
        let swept = tokio::task::spawn_blocking(move || store.sweep(kept)).await;
        if let Ok(Err(error)) = swept {
            tracing::error!(%error, "cannot clear artifacts away");
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn clear_records(service: &Service) -> Result<(), DbError> {
    let keep = service.config().records;
    let database = service.database();
    let outputs = before(Duration::from_hours(keep.output_hours));
    for statement in [
        "UPDATE runs SET code = NULL, outcome = NULL WHERE created_at < $1
         AND (code IS NOT NULL OR outcome IS NOT NULL)",
        "DELETE FROM background WHERE finished_at < $1 AND webhook_due IS NULL",
    ] {
        clear(database, statement, &outputs).await?;
    }
    let records = before(Duration::from_hours(24 * keep.days));
    clear(database, "DELETE FROM runs WHERE created_at < $1", &records).await?;
    clear(database, "DELETE FROM idempotency WHERE created_at < $1", &before(ANSWERS)).await
}

async fn clear(database: &Database, statement: &'static str, before: &str) -> Result<(), DbError> {
    sqlx::query(statement).bind(before).execute(database.pool()).await?;
    Ok(())
}

/// The time so long ago.
fn before(age: Duration) -> String {
    Timestamp::now().checked_sub(age).unwrap_or_default().to_string()
}
