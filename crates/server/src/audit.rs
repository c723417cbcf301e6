//! The audit trail: entries are only ever added, and each one's hash covers the one before it, so
//! that none can be changed, left out or put in between without all that follow becoming wrong.
//!
//! What the trail cannot show by itself is that its end was cut off. Whoever notes the last hash
//! elsewhere can show that too.

use serde::Serialize;
use sqlx::{Any, Row, Transaction};

use crate::db::{Database, DbError, now};
use crate::store::sha256;

/// What the hash before the first one is.
const BEGINNING: &str = "";
/// How many entries are read at once.
const PAGE: i64 = 1_000;
/// How many faults are told of.
const MOST_FAULTS: usize = 100;

/// What happened, to be added to the trail.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    /// Whose it is.
    pub(crate) tenant: &'a str,
    /// What happened, in a word.
    pub(crate) kind: &'static str,
    /// The id of what it happened to.
    pub(crate) subject: &'a str,
    /// All about it, as JSON.
    pub(crate) body: &'a str,
}

/// Adds entries, within a transaction of [`Database::begin`].
pub(crate) async fn append(
    transaction: &mut Transaction<'static, Any>,
    entries: &[Entry<'_>],
) -> Result<(), DbError> {
    let head = sqlx::query("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
        .fetch_optional(&mut **transaction)
        .await?;
    let (mut seq, mut previous) = match head {
        Some(row) => (row.try_get::<i64, _>(0)?, row.try_get::<String, _>(1)?),
        None => (0, BEGINNING.to_owned()),
    };
    for entry in entries {
        seq += 1;
        let at = now();
        let (tenant, kind) = (entry.tenant, entry.kind);
        let hash =
            hash(&[&previous, &seq.to_string(), &at, tenant, kind, entry.subject, entry.body]);
        sqlx::query(
            "INSERT INTO audit (seq, at, tenant, kind, subject, body, previous, hash)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(seq)
        .bind(&at)
        .bind(tenant)
        .bind(kind)
        .bind(entry.subject)
        .bind(entry.body)
        .bind(&previous)
        .bind(&hash)
        .execute(&mut **transaction)
        .await?;
        previous = hash;
    }
    Ok(())
}

/// The hash of an entry: over its parts as a JSON list, so that no part can run into the next.
fn hash(parts: &[&str]) -> String {
    sha256(&serde_json::to_vec(parts).unwrap_or_default())
}

/// What a look at the whole trail found.
#[derive(Debug, Default, Serialize)]
pub struct Verification {
    /// Entries that were looked at.
    pub entries: u64,
    /// The hash of the last one.
    pub head: String,
    /// What is wrong; empty when the trail is whole.
    pub faults: Vec<String>,
}

/// Recomputes the whole trail, and compares the records of runs with it. A hash that was the last one
/// once has to be in it still.
pub async fn verify(database: &Database, known: Option<&str>) -> Result<Verification, DbError> {
    let mut found = Verification::default();
    let mut missing = known;
    let mut last = 0;
    loop {
        let rows = sqlx::query(
            "SELECT seq, at, tenant, kind, subject, body, previous, hash FROM audit
             WHERE seq > $1 ORDER BY seq LIMIT $2",
        )
        .bind(last)
        .bind(PAGE)
        .fetch_all(database.pool())
        .await?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let seq: i64 = row.try_get(0)?;
            let text = |at: usize| row.try_get::<String, _>(at);
            let parts =
                [text(6)?, seq.to_string(), text(1)?, text(2)?, text(3)?, text(4)?, text(5)?];
            let kept = text(7)?;
            if seq != last + 1 {
                found.fault(format!("entries {} to {} are missing", last + 1, seq - 1));
            }
            if parts[0] != found.head {
                found.fault(format!("entry {seq} does not follow the one before it"));
            }
            if hash(&parts.each_ref().map(String::as_str)) != kept {
                found.fault(format!("entry {seq} was changed"));
            }
            missing = missing.filter(|known| *known != kept);
            found.entries += 1;
            found.head = kept;
            last = seq;
        }
    }
    if let Some(known) = missing {
        found
            .fault(format!("the trail does not come by {known}: its end was cut off or rewritten"));
    }
    compare_runs(database, &mut found).await?;
    Ok(found)
}

async fn compare_runs(database: &Database, found: &mut Verification) -> Result<(), DbError> {
    let rows = sqlx::query(
        "SELECT runs.id FROM runs
         LEFT JOIN audit ON audit.subject = runs.id AND audit.kind = 'run'
         WHERE audit.body IS NULL OR audit.body <> runs.record LIMIT 100",
    )
    .fetch_all(database.pool())
    .await?;
    for row in rows {
        found.fault(format!(
            "the record of {} is not what the trail says",
            row.try_get::<String, _>(0)?
        ));
    }
    Ok(())
}

impl Verification {
    fn fault(&mut self, fault: String) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }
}
