//! What all requests share.

use std::sync::Arc;

use execute_python_engine::Engine;

use crate::config::Config;
use crate::listen::Error;
use crate::runs::Live;
use crate::store::Store;

/// The service: an engine and what is kept about its runs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Service(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    engine: Engine,
    store: Store,
    live: Live,
}

impl Service {
    /// Sets the service up; it does not listen yet.
    pub async fn new(engine: Engine, config: Config) -> Result<Self, Error> {
        let data_dir = config.data_dir();
        let store =
            Store::open(&data_dir).map_err(|source| Error::Folder { path: data_dir, source })?;
        Ok(Self(Arc::new(Inner { config, engine, store, live: Live::default() })))
    }

    /// What it was set up with.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The engine that runs everything.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn live(&self) -> &Live {
        &self.0.live
    }
}
