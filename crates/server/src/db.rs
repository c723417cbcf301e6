//! The database: SQLite in a file of ours, or PostgreSQL by its address, with the same statements.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use sqlx::any::{AnyPoolOptions, install_default_drivers};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{Any, AnyPool, Executor, SqlSafeStr, SqlStr, Transaction};

use crate::config::Config;

/// How long a connection is waited for.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// What stands unescaped in the address of a file.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

/// A failure of the database.
#[derive(Debug, thiserror::Error)]
#[error("the database does not do it")]
pub struct DbError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        Self(Box::new(error))
    }
}

/// The database of a service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Database {
    pool: AnyPool,
    sqlite: bool,
}

impl Database {
    /// Opens the database of the configuration and brings its tables up to date.
    pub async fn open(config: &Config) -> Result<Self, DbError> {
        install_default_drivers();
        let url = match &config.database {
            Some(url) => url.clone(),
            None => own_file(&config.data_dir()).map_err(|error| DbError(Box::new(error)))?,
        };
        let sqlite = url.starts_with("sqlite:");
        let options = AnyPoolOptions::new()
            .max_connections(if sqlite { 4 } else { 8 })
            .acquire_timeout(CONNECT_WITHIN)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if sqlite {
                        // Readers do not wait for the writer, and what is committed stays.
                        connection.execute("PRAGMA journal_mode = WAL").await?;
                        connection.execute("PRAGMA synchronous = FULL").await?;
                        connection.execute("PRAGMA busy_timeout = 10000").await?;
                    }
                    Ok(())
                })
            });
        let pool = options.connect(&url).await?;
        let migrated = migrator(sqlite).run(&pool).await;
        migrated.map_err(|error| DbError(Box::new(error)))?;
        Ok(Self { pool, sqlite })
    }

    /// For single statements.
    pub(crate) fn pool(&self) -> &AnyPool {
        &self.pool
    }

    /// Begins to write; nobody else writes to the audit trail meanwhile.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Any>, DbError> {
        if self.sqlite {
            return Ok(self.pool.begin_with("BEGIN IMMEDIATE").await?);
        }
        let mut transaction = self.pool.begin().await?;
        transaction.execute("LOCK TABLE audit IN EXCLUSIVE MODE").await?;
        Ok(transaction)
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// The address of the file of ours, whose folder is made.
fn own_file(data_dir: &Path) -> io::Result<String> {
    private_folder(data_dir)?;
    let path = std::path::absolute(data_dir.join("records.db"))?;
    let path = percent_encode(path.as_os_str().as_bytes(), PATH);
    Ok(format!("sqlite://{path}?mode=rwc"))
}

/// Makes a folder that nobody else can look into.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn migrator(sqlite: bool) -> Migrator {
    let append_only = if sqlite {
        include_str!("../migrations/0002_append_only.sqlite.sql").into_sql_str()
    } else {
        include_str!("../migrations/0002_append_only.postgres.sql").into_sql_str()
    };
    let tables = include_str!("../migrations/0001_tables.sql").into_sql_str();
    let migration = |version, name: &'static str, sql: SqlStr| {
        Migration::new(version, name.into(), MigrationType::Simple, sql, false)
    };
    Migrator::with_migrations(vec![
        migration(1, "tables", tables),
        migration(2, "append only", append_only),
    ])
}

/// Now, as it is kept and told.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().to_string()
}
