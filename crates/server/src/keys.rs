//! API keys: made and revoked by the operator, kept as hashes.
//!
//! A key is more than 240 random bits, so a plain hash of it can be neither guessed nor looked up in a list.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::{Row, any::AnyRow};

use crate::audit::{self, Entry};
use crate::db::{Database, DbError, now};
use crate::store::sha256;

/// How every key begins, so that scanners for leaked secrets know one.
const PREFIX: &str = "epk_";
/// How long a key that was found good is taken for good, so how late a revocation is seen.
const TRUSTED_FOR: Duration = Duration::from_secs(5);
/// How many keys are remembered.
const MOST_KNOWN: usize = 10_000;

/// What a key allows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// To run code, with sessions, files and artifacts.
    Run,
    /// To read the records of the tenant.
    Records,
    /// To build environments.
    Environments,
    /// To read the metrics of the whole service.
    Metrics,
}

impl Scope {
    /// All of them.
    pub const ALL: [Scope; 4] = [Scope::Run, Scope::Records, Scope::Environments, Scope::Metrics];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Run => "run",
            Scope::Records => "records",
            Scope::Environments => "environments",
            Scope::Metrics => "metrics",
        }
    }
}

/// What is known of a key; the key itself is known to its holder alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Its id, as `key_…`.
    pub id: String,
    /// What the operator calls it.
    pub name: String,
    /// Whose runs, files and records it reaches.
    pub tenant: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// When it was made, RFC 3339 in UTC.
    pub created_at: String,
    /// From when on it is refused.
    pub expires_at: Option<String>,
    /// When it was revoked.
    pub revoked_at: Option<String>,
}

/// Whether this can be the name of a tenant: it is the name of a folder too.
pub fn is_tenant(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What the operator calls it.
    pub name: String,
    /// Whose it is.
    pub tenant: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// How long it is good for; for ever when not given.
    pub lifetime: Option<Duration>,
}

/// The keys of a service.
#[derive(Debug)]
pub struct Keys {
    database: Database,
    known: Mutex<HashMap<String, (Key, Instant)>>,
}

impl Keys {
    /// The keys in a database.
    pub fn new(database: Database) -> Self {
        Self { database, known: Mutex::default() }
    }

    /// Makes a key; gives what is known of it, and the key itself, which is shown this once.
    pub async fn create(&self, new: NewKey) -> Result<(Key, String), DbError> {
        let secret = secret();
        let lifetime = new.lifetime.and_then(|time| Timestamp::now().checked_add(time).ok());
        let key = Key {
            id: format!("key_{}", uuid::Uuid::new_v4().simple()),
            name: new.name,
            tenant: new.tenant,
            scopes: new.scopes,
            created_at: now(),
            expires_at: lifetime.map(|until| until.to_string()),
            revoked_at: None,
        };
        let mut transaction = self.database.begin().await?;
        sqlx::query(
            "INSERT INTO keys (id, name, tenant, scopes, hash, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(&key.id)
        .bind(&key.name)
        .bind(&key.tenant)
        .bind(json(&key.scopes))
        .bind(sha256(secret.as_bytes()))
        .bind(&key.created_at)
        .bind(key.expires_at.as_deref())
        .execute(&mut *transaction)
        .await?;
        audit::append(&mut transaction, &[entry("key_created", &key, &json(&key))]).await?;
        transaction.commit().await?;
        Ok((key, secret))
    }

    /// All keys, the newest first.
    pub async fn list(&self) -> Result<Vec<Key>, DbError> {
        let rows = sqlx::query(
            "SELECT id, name, tenant, scopes, created_at, expires_at, revoked_at FROM keys
             ORDER BY created_at DESC",
        )
        .fetch_all(self.database.pool())
        .await?;
        rows.iter().map(key).collect()
    }

    /// Revokes the keys with this id or name; gives those that it found.
    pub async fn revoke(&self, named: &str) -> Result<Vec<Key>, DbError> {
        let mut revoked = Vec::new();
        for mut key in self.list().await? {
            if key.revoked_at.is_some() || (key.id != named && key.name != named) {
                continue;
            }
            key.revoked_at = Some(now());
            let mut transaction = self.database.begin().await?;
            sqlx::query("UPDATE keys SET revoked_at = $1 WHERE id = $2")
                .bind(key.revoked_at.as_deref())
                .bind(&key.id)
                .execute(&mut *transaction)
                .await?;
            audit::append(&mut transaction, &[entry("key_revoked", &key, &json(&key))]).await?;
            transaction.commit().await?;
            revoked.push(key);
        }
        Ok(revoked)
    }

    /// Whether there is a key that is good now.
    pub(crate) async fn any(&self) -> Result<bool, DbError> {
        Ok(self.list().await?.iter().any(Key::is_good))
    }

    /// What is known of this key, if it is good now.
    pub(crate) async fn look_up(&self, secret: &str) -> Result<Option<Key>, DbError> {
        let hash = sha256(secret.as_bytes());
        if let Some(key) = self.known(&hash) {
            return Ok(Some(key).filter(Key::is_good));
        }
        let row = sqlx::query(
            "SELECT id, name, tenant, scopes, created_at, expires_at, revoked_at FROM keys
             WHERE hash = $1",
        )
        .bind(&hash)
        .fetch_optional(self.database.pool())
        .await?;
        let key = row.as_ref().map(key).transpose()?.filter(Key::is_good);
        if let Some(key) = &key {
            self.remember(hash, key.clone());
        }
        Ok(key)
    }

    fn known(&self, hash: &str) -> Option<Key> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(hash).filter(|(_, at)| at.elapsed() < TRUSTED_FOR).map(|(key, _)| key.clone())
    }

    fn remember(&self, hash: String, key: Key) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(hash, (key, Instant::now()));
    }
}

impl Key {
    fn is_good(&self) -> bool {
        let expired = self.expires_at.as_ref().is_some_and(|until| {
            // A time that cannot be read is no time in the future.
            until.parse::<Timestamp>().map_or(true, |until| until <= Timestamp::now())
        });
        self.revoked_at.is_none() && !expired
    }
}

/// Random bits of two UUIDs as text.
fn secret() -> String {
    let mut bytes = [0; 32];
    for half in bytes.chunks_mut(16) {
        half.copy_from_slice(uuid::Uuid::new_v4().as_bytes());
    }
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))
}

fn entry<'a>(kind: &'static str, key: &'a Key, body: &'a str) -> Entry<'a> {
    Entry { tenant: &key.tenant, kind, subject: &key.id, body }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn key(row: &AnyRow) -> Result<Key, DbError> {
    let scopes: String = row.try_get("scopes")?;
    Ok(Key {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        tenant: row.try_get("tenant")?,
        scopes: serde_json::from_str(&scopes).unwrap_or_default(),
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        revoked_at: row.try_get("revoked_at")?,
    })
}
