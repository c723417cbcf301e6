//! A service to talk to.

use std::path::PathBuf;
use std::time::Duration;

use execute_python_engine::Engine;
use execute_python_server::{Config, Database, Keys, NewKey, Scope, Service, bind, serve};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A service that was started for a test.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) client: Client,
    pub(crate) service: Service,
    engine: Engine,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

/// The folder of what a service keeps, which outlives it.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// What most tests want, on a free port.
pub(crate) fn config(folder: &TempDir) -> Config {
    Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        data_dir: Some(folder.path().to_owned()),
        pool: 1,
        drain_seconds: 5,
        ..Config::default()
    }
}

impl Server {
    /// Starts a service with what most tests want.
    pub(crate) async fn start(folder: &TempDir) -> Self {
        Self::with(config(folder)).await
    }

    /// Starts a service.
    pub(crate) async fn with(config: Config) -> Self {
        let cache_dir = std::env::var_os("EXECUTE_PYTHON_TEST_CACHE").map(PathBuf::from);
        let pool = config.pool;
        let engine =
            Engine::new(execute_python_engine::Config { pool, cache_dir, ..Default::default() });
        let engine = engine.unwrap();
        let service = Service::new(engine.clone(), config).await.unwrap();
        let bound = bind(&service).await.unwrap();
        let url = bound.url().replace("0.0.0.0", "127.0.0.1");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn({
            let service = service.clone();
            async move { serve(bound, service, async { drop(stopped.await) }).await.unwrap() }
        });
        let client = Client::builder().no_proxy().timeout(Duration::from_mins(1)).build().unwrap();
        Self { url, client, service, engine, stop, served }
    }

    /// Stops it gracefully.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.served.await.unwrap();
        self.engine.shutdown().await;
    }

    /// A path of it.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.at(path))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.client.post(self.at(path)).json(body)
    }

    /// Runs code to its outcome.
    pub(crate) async fn run(&self, code: &str) -> Value {
        self.post("/v1/runs", &json!({ "code": code })).answer(200).await
    }
}

/// Sends a request and looks at the answer.
pub(crate) trait Answer {
    /// The answer, whose status has to be this.
    async fn response(self, status: u16) -> Response;
    /// The answer as JSON.
    async fn answer(self, status: u16) -> Value;
}

impl Answer for RequestBuilder {
    async fn response(self, status: u16) -> Response {
        let response = self.send().await.unwrap();
        if response.status() == status {
            return response;
        }
        let told = response.status();
        assert_eq!(told, status, "{}", response.text().await.unwrap());
        unreachable!("the statuses differ")
    }

    async fn answer(self, status: u16) -> Value {
        self.response(status).await.json().await.unwrap()
    }
}

/// Makes a key in the database of a service.
pub(crate) async fn key(config: &Config, tenant: &str, scopes: &[Scope]) -> String {
    let database = Database::open(config).await.unwrap();
    let new = NewKey {
        name: format!("key of {tenant}"),
        tenant: tenant.into(),
        scopes: scopes.to_vec(),
        lifetime: None,
    };
    let (_, secret) = Keys::new(database.clone()).create(new).await.unwrap();
    database.close().await;
    secret
}
