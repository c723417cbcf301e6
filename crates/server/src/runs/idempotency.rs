//! Asking twice without running twice: the answer to a request with an `Idempotency-Key` is kept for a
//! day, and the same request gets the same answer.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use sqlx::Row;

use super::input::Repeatable;
use crate::db::{Database, DbError, now};
use crate::problem::Problem;
use crate::service::Service;

/// What is to be done about a request that may be a repetition.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It is the first of its kind: it is to be carried out, and its answer put down.
    First(Slot),
    /// It was answered before.
    Again(Answer),
}

/// The answer to an earlier request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: String,
}

/// The place where an answer is put. Dropping it without one makes the key free again.
#[derive(Debug)]
pub(crate) struct Slot {
    database: Database,
    tenant: String,
    key: String,
    filled: bool,
}

/// Finds out whether a request is a repetition.
pub(crate) async fn turn(
    service: &Service,
    tenant: &str,
    asked: Repeatable,
) -> Result<Turn, Problem> {
    let failed = |error: DbError| Problem::ours("look for an earlier request", &error);
    let database = service.database().clone();
    if claim(&database, tenant, &asked).await.map_err(failed)? {
        let (tenant, key) = (tenant.to_owned(), asked.key);
        return Ok(Turn::First(Slot { database, tenant, key, filled: false }));
    }
    let earlier = earlier(&database, tenant, &asked.key).await.map_err(failed)?;
    let (fingerprint, answer) = earlier.ok_or_else(in_progress)?;
    if fingerprint != asked.fingerprint {
        let detail = "this Idempotency-Key came before with another request";
        return Err(Problem::unprocessable("idempotency_key_reused", detail));
    }
    Ok(Turn::Again(answer.ok_or_else(in_progress)?))
}

fn in_progress() -> Problem {
    let detail = "the request with this Idempotency-Key is still being carried out";
    Problem::new(StatusCode::CONFLICT, "idempotency_in_progress", detail)
        .retry_after(std::time::Duration::from_secs(1))
}

/// Whether nobody came with this key before.
async fn claim(database: &Database, tenant: &str, asked: &Repeatable) -> Result<bool, DbError> {
    let claimed = sqlx::query(
        "INSERT INTO idempotency (tenant, key, fingerprint, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
    )
    .bind(tenant)
    .bind(&asked.key)
    .bind(&asked.fingerprint)
    .bind(now())
    .execute(database.pool())
    .await?;
    Ok(claimed.rows_affected() == 1)
}

async fn earlier(
    database: &Database,
    tenant: &str,
    key: &str,
) -> Result<Option<(String, Option<Answer>)>, DbError> {
    let row = sqlx::query(
        "SELECT fingerprint, status, body FROM idempotency WHERE tenant = $1 AND key = $2",
    )
    .bind(tenant)
    .bind(key)
    .fetch_optional(database.pool())
    .await?;
    let Some(row) = row else { return Ok(None) };
    let status: Option<i64> = row.try_get("status")?;
    let status = status.and_then(|status| u16::try_from(status).ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    let body: Option<String> = row.try_get("body")?;
    let answer = status.zip(body).map(|(status, body)| Answer { status, body });
    Ok(Some((row.try_get("fingerprint")?, answer)))
}

/// Makes the keys free whose requests were not answered before the service ended.
pub(crate) async fn free_unanswered(database: &Database) -> Result<(), DbError> {
    let query = sqlx::query("DELETE FROM idempotency WHERE status IS NULL");
    query.execute(database.pool()).await?;
    Ok(())
}

impl Slot {
    /// Puts the answer down, before it is given.
    pub(crate) async fn fill(mut self, status: StatusCode, body: &str) -> Result<(), Problem> {
        let filled = sqlx::query(
            "UPDATE idempotency SET status = $1, body = $2 WHERE tenant = $3 AND key = $4",
        )
        .bind(i64::from(status.as_u16()))
        .bind(body)
        .bind(&self.tenant)
        .bind(&self.key)
        .execute(self.database.pool())
        .await
        .map_err(DbError::from);
        filled.map_err(|error| Problem::ours("put the answer down", &error))?;
        self.filled = true;
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.filled {
            return;
        }
        let (database, tenant, key) =
            (self.database.clone(), self.tenant.clone(), self.key.clone());
        let free = async move {
            let query = sqlx::query("DELETE FROM idempotency WHERE tenant = $1 AND key = $2");
            if let Err(error) = query.bind(tenant).bind(key).execute(database.pool()).await {
                tracing::warn!(%error, "an Idempotency-Key stays taken until it expires");
            }
        };
        // Without a runtime the process is ending, and the next start makes it free.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(free);
        }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let headers =
            [(CONTENT_TYPE.as_str(), "application/json"), ("idempotency-replayed", "true")];
        (self.status, headers, self.body).into_response()
    }
}
