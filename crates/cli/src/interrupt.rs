//! Being told to end: Ctrl-C, or `kill`. The first time the run is cancelled and its outcome still
//! comes; the second time we leave at once, and what is left of the run ends with us.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Waits for being told to end. Each waiter hears of each time.
#[derive(Debug)]
pub(crate) struct Interrupts {
    keyboard: Signal,
    kill: Signal,
}

impl Interrupts {
    /// From now on the signals do not end the process by themselves.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|source| Failure::System { doing: "listen for signals", source })
        };
        Ok(Self {
            keyboard: listen(SignalKind::interrupt())?,
            kill: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for the next time.
    pub(crate) async fn next(&mut self) {
        let heard = tokio::select! {
            heard = self.keyboard.recv() => heard,
            heard = self.kill.recv() => heard,
        };
        if heard.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits for two times.
    pub(crate) async fn twice(mut self) {
        self.next().await;
        self.next().await;
    }
}
