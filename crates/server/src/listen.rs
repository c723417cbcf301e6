//! Listening: connections, their limits, and the graceful stop.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::router::router;
use crate::runs;
use crate::service::Service;
use crate::tls::{self, Acceptor};

/// How long cancelled runs may take to tell their outcomes.
const TELL_WITHIN: Duration = Duration::from_secs(5);

/// A service that listens and does not serve yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    tls: Option<Acceptor>,
}

impl Bound {
    /// Where it can be reached.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        match self.listener.local_addr() {
            Ok(address) => format!("{scheme}://{address}"),
            Err(error) => format!("{scheme}: {error}"),
        }
    }
}

/// Listens on the address of the configuration.
pub async fn bind(service: &Service) -> Result<Bound, Error> {
    let config = service.config();
    let address = config.listen;
    if config.needs_key() && !service.keys().any().await? {
        return Err(Error::NoKeys { address });
    }
    let tls = config.tls.as_ref().map(tls::acceptor).transpose()?;
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|source| Error::Listen { address, source })?;
    Ok(Bound { listener, tls })
}

/// Serves until `stop` is ready. Then nothing new is taken, what goes on has the time to drain, and
/// background runs that are not over by then are left for the next start.
pub async fn serve(
    bound: Bound,
    service: Service,
    stop: impl Future<Output = ()>,
) -> Result<(), Error> {
    runs::pick_up(&service).await?;
    let helpers = [
        tokio::spawn(service.webhooks().clone().deliver_all()),
        tokio::spawn(crate::keep::clear_away(service.clone())),
    ];
    let serving = Arc::new(Serving {
        router: router(service.clone()),
        tls: bound.tls,
        places: Arc::new(Semaphore::new(service.config().connections)),
        header_timeout: Duration::from_secs(service.config().header_timeout_seconds),
        idle_timeout: Duration::from_secs(service.config().idle_timeout_seconds),
        stopping: service.stopping().clone(),
    });
    tokio::select! {
        () = stop => {}
        () = accept(bound.listener, &serving, &service) => {}
    }
    service.admission().close();
    service.stopping().cancel();
    drain(&service).await;
    for helper in helpers {
        helper.abort();
    }
    service.recorder().flush().await;
    service.database().close().await;
    Ok(())
}

async fn drain(service: &Service) {
    let tasks = service.tasks();
    tasks.close();
    if timeout(service.config().drain(), tasks.wait()).await.is_err() {
        service.live().end_all();
        if timeout(TELL_WITHIN, tasks.wait()).await.is_err() {
            tracing::warn!(left = tasks.len(), "connections are cut off");
        }
    }
}

#[derive(Debug)]
struct Serving {
    router: Router,
    tls: Option<Acceptor>,
    places: Arc<Semaphore>,
    header_timeout: Duration,
    idle_timeout: Duration,
    stopping: CancellationToken,
}

async fn accept(listener: TcpListener, serving: &Arc<Serving>, service: &Service) {
    loop {
        // A connection that there is no place for waits in the kernel.
        let Ok(place) = Arc::clone(&serving.places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let serving = Arc::clone(serving);
                service.tasks().spawn(async move {
                    serving.greet(stream).await;
                    drop(place);
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

impl Serving {
    async fn greet(&self, stream: TcpStream) {
        // Small answers go out at once.
        drop(stream.set_nodelay(true));
        let Some(tls) = &self.tls else { return self.connection(stream).await };
        match timeout(self.header_timeout, tls.accept(stream)).await {
            Ok(Ok(stream)) => self.connection(stream).await,
            Ok(Err(error)) => tracing::debug!(%error, "a connection did not come to TLS"),
            Err(_) => tracing::debug!("a connection took too long to come to TLS"),
        }
    }

    async fn connection(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.idle_timeout));
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(self.header_timeout);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(256)
            .keep_alive_interval(self.header_timeout)
            .keep_alive_timeout(self.idle_timeout);
        let service = TowerToHyperService::new(self.router.clone());
        let io = TokioIo::new(Box::pin(stream));
        let serve = builder.serve_connection_with_upgrades(io, service);
        tokio::pin!(serve);
        let ended = tokio::select! {
            ended = serve.as_mut() => ended,
            () = self.stopping.cancelled() => {
                serve.as_mut().graceful_shutdown();
                serve.await
            }
        };
        if let Err(error) = ended {
            // A connection that broke is the client's affair.
            tracing::debug!(%error, "a connection ended early");
        }
    }
}
