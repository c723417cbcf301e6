//! Listening: connections, their limits, and the graceful stop.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

use crate::db::DbError;
use crate::router::router;
use crate::service::Service;

/// Why the service cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is taken, or not ours.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The folder for what is kept cannot be used.
    #[error("cannot use the folder `{}`", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The address is in reach of others, and there is no key.
    #[error("will not listen on `{address}` without keys: everybody who reaches it could run code")]
    NoKeys {
        /// The address.
        address: SocketAddr,
    },
}

impl Error {
    /// A word for programs; it never changes meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Listen { .. } => "address_not_usable",
            Error::Folder { .. } => "path_not_usable",
            Error::Database(_) => "database_not_usable",
            Error::NoKeys { .. } => "keys_missing",
        }
    }

    /// What to do about it, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Listen { .. } => Some("choose another one with `--listen`".into()),
            Error::Folder { .. } => Some("choose another one with `--data-dir`".into()),
            Error::Database(_) => Some("look at `server.database` in the settings".into()),
            Error::NoKeys { .. } => Some(
                "make one with `execute-python keys create NAME`, or listen on 127.0.0.1".into(),
            ),
        }
    }
}

/// Listens on the address of the configuration.
pub async fn bind(service: &Service) -> Result<TcpListener, Error> {
    let address = service.config().listen;
    if service.config().needs_key() && !service.keys().any().await? {
        return Err(Error::NoKeys { address });
    }
    TcpListener::bind(address).await.map_err(|source| Error::Listen { address, source })
}

/// Serves until `stop` is ready; then takes no more connections, and waits for the requests under
/// way until the time to drain is over.
pub async fn serve(listener: TcpListener, service: Service, stop: impl Future<Output = ()>) {
    let (say_stop, stopping) = watch::channel(false);
    let (alive, mut all_gone) = tokio::sync::mpsc::channel::<()>(1);
    let serving = Arc::new(Serving {
        router: router(service.clone()),
        places: Arc::new(Semaphore::new(service.config().connections)),
        header_timeout: Duration::from_secs(service.config().header_timeout_seconds),
        idle_timeout: Duration::from_secs(service.config().idle_timeout_seconds),
        stopping,
    });
    tokio::select! {
        () = stop => {}
        () = accept(listener, &serving, &alive) => {}
    }
    service.admission().close();
    say_stop.send_replace(true);
    drop(alive);
    let drained = tokio::time::timeout(service.config().drain(), all_gone.recv()).await;
    if drained.is_err() {
        service.live().cancel_all();
        // Cancelled runs still tell their outcome.
        drop(tokio::time::timeout(Duration::from_secs(5), all_gone.recv()).await);
    }
    service.recorder().flush().await;
    service.database().close().await;
}

#[derive(Debug)]
struct Serving {
    router: Router,
    places: Arc<Semaphore>,
    header_timeout: Duration,
    idle_timeout: Duration,
    stopping: watch::Receiver<bool>,
}

async fn accept(
    listener: TcpListener,
    serving: &Arc<Serving>,
    alive: &tokio::sync::mpsc::Sender<()>,
) {
    loop {
        // A connection that there is no place for waits in the kernel.
        let Ok(place) = Arc::clone(&serving.places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let (serving, alive) = (Arc::clone(serving), alive.clone());
                tokio::spawn(async move {
                    connection(stream, &serving).await;
                    drop((place, alive));
                });
            }
            Err(error) => {
                // Such as too many open files: it passes when others end.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, serving: &Serving) {
    // Small answers go out at once.
    drop(stream.set_nodelay(true));
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(serving.idle_timeout));
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(serving.header_timeout);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(256)
        .keep_alive_interval(serving.header_timeout)
        .keep_alive_timeout(serving.idle_timeout);
    let service = TowerToHyperService::new(serving.router.clone());
    let io = TokioIo::new(Box::pin(stream));
    let serve = builder.serve_connection_with_upgrades(io, service);
    tokio::pin!(serve);
    let mut stopping = serving.stopping.clone();
    let stopped = async {
        // The sender lives as long as the service.
        drop(stopping.wait_for(|stopping| *stopping).await);
    };
    tokio::select! {
        ended = serve.as_mut() => return told(ended),
        () = stopped => serve.as_mut().graceful_shutdown(),
    }
    told(serve.await);
}

/// A connection that broke is the client's affair.
fn told<E: std::fmt::Display>(ended: Result<(), E>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
