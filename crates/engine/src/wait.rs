//! Waiting for a worker's pipes and for the calls that its filter hands over, and reading what is there.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::unix::AsyncFd;

/// How much is read from a pipe at once, in bytes.
const PIECE: usize = 8 << 10;

/// Waits until a descriptor can be read; for ever if it cannot be waited for.
pub(crate) async fn readable(descriptor: &AsyncFd<OwnedFd>) {
    if descriptor.readable().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Waits until a forbidden call waits for its answer; for ever when nobody can make one any more.
pub(crate) async fn forbidden(listener: Option<&AsyncFd<OwnedFd>>) {
    let Some(listener) = listener else { return std::future::pending().await };
    while let Ok(mut ready) = listener.readable().await {
        match notification_now(listener.get_ref()) {
            Some(true) => return,
            Some(false) => ready.clear_ready(),
            // The runtime says for ever that a closed descriptor is ready.
            None => break,
        }
    }
    std::future::pending::<()>().await;
}

/// Whether a listener has a notification now: receiving one blocks when there is none. `None` when
/// its processes are gone.
fn notification_now(listener: &OwnedFd) -> Option<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut waits = [PollFd::new(listener, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut waits, Some(&now)).ok()?;
    let events = waits[0].revents();
    if events.intersects(PollFlags::HUP | PollFlags::ERR) {
        return None;
    }
    Some(events.contains(PollFlags::IN))
}

/// Reads once, whatever the runtime knows of the descriptor: it may not have been told yet that there
/// is something. When there is nothing it is made to wait for the next time.
pub(crate) fn read_some(pipe: &AsyncFd<OwnedFd>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; PIECE];
    let mut read = |pipe: &OwnedFd| Ok(rustix::io::read(pipe, &mut bytes)?);
    let length = match read(pipe.get_ref()) {
        Err(error) if is_empty(&error) => pipe.try_io(tokio::io::Interest::READABLE, read)?,
        other => other?,
    };
    bytes.truncate(length);
    Ok(bytes)
}

pub(crate) fn is_empty(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}
