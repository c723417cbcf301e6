//! A service that belongs to the program that started it.
//!
//! Nobody else can use it: it listens on the loopback, and only its owner is told the key, through a
//! pipe. It ends when its standard input does, so it does not outlive an owner that was killed. What it
//! keeps is in a folder that goes with it.

use std::net::SocketAddr;

use execute_python_server::{Config, Database, Keys, NewKey, Scope, Telemetry};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, stdin};

use crate::failure::Failure;
use crate::output;

/// The tenant and the name of the key of the owner.
const OWNER: &str = "owner";

/// What belongs to an owned service.
pub(crate) struct Owned {
    folder: TempDir,
    key: String,
}

impl Owned {
    /// Makes a folder, and a key for the owner.
    pub(crate) async fn new() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("execute-python-").tempdir();
        let folder = folder.map_err(|source| Failure::System { doing: "make a folder", source })?;
        let mut owned = Self { folder, key: String::new() };
        let database = Database::open(&owned.config()).await?;
        let (name, tenant) = (OWNER.into(), OWNER.into());
        let new = NewKey { name, tenant, scopes: Scope::ALL.into(), lifetime: None };
        (_, owned.key) = Keys::new(database.clone()).create(new).await?;
        database.close().await;
        Ok(owned)
    }

    /// The configuration of the service. That of the settings is for a service that others use.
    pub(crate) fn config(&self) -> Config {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            data_dir: Some(self.folder.path().to_owned()),
            require_key: true,
            telemetry: Telemetry { filter: Some("warn".into()), ..Telemetry::default() },
            ..Config::default()
        }
    }

    /// Tells the owner where the service is.
    pub(crate) fn tell(&self, url: &str) -> Result<(), Failure> {
        output::result(&json!({ "url": url, "key": self.key }).to_string())
    }

    /// Waits until the owner is gone; for ever where there is none.
    pub(crate) async fn gone(owned: Option<&Self>) {
        if owned.is_none() {
            return std::future::pending().await;
        }
        let mut said = [0; 64];
        while stdin().read(&mut said).await.is_ok_and(|bytes| bytes > 0) {}
    }
}
