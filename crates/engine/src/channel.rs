//! The engine's side of a worker's control socket: frames from a process that may be hostile.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use execute_python_sandbox::wire;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send};
use tokio::io::unix::AsyncFd;

/// How much is read at once, in bytes.
const PIECE: usize = 64 << 10;

/// A stream of frames.
#[derive(Debug)]
pub(crate) struct Channel {
    socket: AsyncFd<OwnedFd>,
    buffer: Vec<u8>,
}

/// What came.
#[derive(Debug)]
pub(crate) enum Received {
    /// The content of a frame.
    Frame(Vec<u8>),
    /// The other side closed the socket.
    Closed,
    /// Something that cannot be a frame; nothing that follows can be trusted to be one.
    Garbage,
}

impl Channel {
    /// Takes a socket that does not block.
    pub(crate) fn new(socket: OwnedFd) -> io::Result<Self> {
        Ok(Self { socket: watch(socket)?, buffer: Vec::new() })
    }

    /// Waits for the next frame. Cancel safe: what was read stays in the buffer.
    pub(crate) async fn receive(&mut self) -> io::Result<Received> {
        loop {
            if let Some(received) = self.receive_now() {
                return received;
            }
            let mut ready = self.socket.readable().await?;
            if !has_bytes(self.socket.get_ref()) {
                ready.clear_ready();
            }
        }
    }

    /// The next frame, if it has come; asks the kernel, whatever the runtime knows yet.
    pub(crate) fn receive_now(&mut self) -> Option<io::Result<Received>> {
        loop {
            if let Some(received) = self.take_frame() {
                return Some(Ok(received));
            }
            match read_more(self.socket.get_ref(), &mut self.buffer) {
                Ok(0) | Err(rustix::io::Errno::CONNRESET) => return Some(Ok(Received::Closed)),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return None,
                Err(error) => return Some(Err(error.into())),
            }
        }
    }

    fn take_frame(&mut self) -> Option<Received> {
        match wire::split_frame(&self.buffer) {
            Ok(None) => None,
            Err(_) => Some(Received::Garbage),
            Ok(Some((content, taken))) => {
                let content = content.to_vec();
                self.buffer.drain(..taken);
                Some(Received::Frame(content))
            }
        }
    }

    /// Sends one frame whole.
    pub(crate) async fn send(&self, content: &[u8]) -> io::Result<()> {
        let frame = wire::frame(content)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "frame too long"))?;
        let mut rest = &frame[..];
        while !rest.is_empty() {
            match send(self.socket.get_ref(), rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(rustix::io::Errno::AGAIN) => {
                    self.socket.writable().await?.clear_ready();
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Sends an empty frame if there is room for it. A worker that waits for it has room.
    pub(crate) fn acknowledge(&self) {
        send(self.socket.get_ref(), &[0; wire::LENGTH_BYTES], SendFlags::NOSIGNAL).ok();
    }

    /// Waits for one byte and the descriptor that comes with it; `None` when the socket is closed.
    pub(crate) async fn receive_descriptor(&self) -> io::Result<Option<OwnedFd>> {
        loop {
            let mut ready = self.socket.readable().await?;
            match receive_packet(self.socket.as_fd(), &mut [0]) {
                Ok((0, _)) | Err(rustix::io::Errno::CONNRESET) => return Ok(None),
                Ok((_, descriptor)) => return Ok(descriptor),
                Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Whether a socket has bytes to read, or its end.
fn has_bytes(socket: &OwnedFd) -> bool {
    let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
    !matches!(rustix::net::recv(socket, &mut [0], flags), Err(rustix::io::Errno::AGAIN))
}

fn read_more(socket: &OwnedFd, buffer: &mut Vec<u8>) -> rustix::io::Result<usize> {
    let start = buffer.len();
    buffer.resize(start + PIECE, 0);
    let read = rustix::io::read(socket, &mut buffer[start..]);
    buffer.truncate(start + read.unwrap_or(0));
    read
}

/// Receives bytes and at most one descriptor from a socket.
pub(crate) fn receive_packet(
    socket: impl AsFd,
    bytes: &mut [u8],
) -> rustix::io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let pieces = &mut [IoSliceMut::new(bytes)];
    let received = recvmsg(socket, pieces, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut passed = None;
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            passed = descriptors.last();
        }
    }
    Ok((received.bytes, passed))
}

/// Has the runtime watch a descriptor.
#[expect(
    deprecated,
    reason = "the replacement is an unsafe function; an `OwnedFd` keeps its promise"
)]
pub(crate) fn watch(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(descriptor)
}
