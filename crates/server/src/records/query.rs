//! Looking records up.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::Record;
use crate::db::{Database, DbError};

/// How many records a page has, unless asked otherwise, and at most.
const USUAL_PAGE: u32 = 50;
pub(crate) const LARGEST_PAGE: u32 = 1_000;

/// Which records are looked for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// At most so many, up to 1,000; 50 when not given.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Those before this run, as `next` of the page before says.
    pub before: Option<String>,
    /// Those that ended so.
    pub status: Option<String>,
    /// Those of this session.
    pub session: Option<String>,
    /// Those whose record has this text somewhere, such as a digest, an environment or an exception.
    pub q: Option<String>,
}

/// Some records, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Page {
    /// The records.
    pub runs: Vec<Record>,
    /// What `before` is for the next page; none on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A record with what else is kept of the run.
#[derive(Debug, Serialize)]
pub struct Kept {
    /// The record.
    pub record: Record,
    /// The code, where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The outcome, where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Box<RawValue>>,
}

/// The records in a database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Records {
    database: Database,
}

impl Records {
    /// The records in a database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// The records of one tenant, or of all where none is given.
    pub async fn list(&self, tenant: Option<&str>, filter: &Filter) -> Result<Page, DbError> {
        let limit = filter.limit.unwrap_or(USUAL_PAGE).clamp(1, LARGEST_PAGE);
        let pattern = filter.q.as_deref().map(like);
        let asked = [
            ("tenant =", tenant),
            ("id <", filter.before.as_deref()),
            ("status =", filter.status.as_deref()),
            ("session =", filter.session.as_deref()),
            ("record LIKE", pattern.as_deref()),
        ];
        let given: Vec<_> =
            asked.into_iter().filter_map(|(what, value)| Some((what, value?))).collect();
        let mut query = sqlx::query(AssertSqlSafe(statement(&given)));
        for (_, value) in &given {
            query = query.bind((*value).to_owned());
        }
        let rows = query.bind(i64::from(limit) + 1).fetch_all(self.database.pool()).await?;
        let mut runs = rows.iter().map(record).collect::<Result<Vec<_>, _>>()?;
        let more = runs.len() > limit as usize;
        runs.truncate(limit as usize);
        let next = runs.last().filter(|_| more).map(|last| last.id.clone());
        Ok(Page { runs, next })
    }

    /// One record, of one tenant, or of any where none is given.
    pub async fn get(&self, tenant: Option<&str>, id: &str) -> Result<Option<Kept>, DbError> {
        let row = sqlx::query("SELECT record, code, outcome, tenant FROM runs WHERE id = $1")
            .bind(id)
            .fetch_optional(self.database.pool())
            .await?;
        let Some(row) = row else { return Ok(None) };
        let owner: String = row.try_get("tenant")?;
        if tenant.is_some_and(|tenant| tenant != owner) {
            return Ok(None);
        }
        let outcome: Option<String> = row.try_get("outcome")?;
        Ok(Some(Kept {
            record: record(&row)?,
            code: row.try_get("code")?,
            outcome: outcome.and_then(|text| RawValue::from_string(text).ok()),
        }))
    }
}

/// The statement for these conditions, each with a value to be bound. It is made of our own words alone.
fn statement(given: &[(&'static str, &str)]) -> String {
    let mut statement = "SELECT record FROM runs WHERE 1 = 1".to_owned();
    for (at, (condition, _)) in given.iter().enumerate() {
        let escape = if condition.ends_with("LIKE") { " ESCAPE '\\'" } else { "" };
        // Writing to a text cannot fail.
        write!(statement, " AND {condition} ${}{escape}", at + 1).ok();
    }
    write!(statement, " ORDER BY id DESC LIMIT ${}", given.len() + 1).ok();
    statement
}

/// A pattern that finds a text as it is.
fn like(text: &str) -> String {
    let plain = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{plain}%")
}

fn record(row: &AnyRow) -> Result<Record, DbError> {
    let text: String = row.try_get("record")?;
    serde_json::from_str(&text).map_err(|error| sqlx::Error::Decode(Box::new(error)).into())
}
