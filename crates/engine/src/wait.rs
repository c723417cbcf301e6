//! Waiting for a worker's pipes, and reading what is there.

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
