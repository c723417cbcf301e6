//! The engine's side of the pipes to and from a worker: frames from a process that may be hostile.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use execute_python_sandbox::wire::{self, MARK_BYTES};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::unix::AsyncFd;

/// How much is read at once, in bytes.
const PIECE: usize = 8 << 10;

/// The most bytes of noise that are skipped: reading it takes the time of everybody.
const MOST_NOISE: usize = 4 << 20;

/// Frames to and from a worker.
#[derive(Debug)]
pub(crate) struct Channel {
    commands: AsyncFd<OwnedFd>,
    messages: AsyncFd<OwnedFd>,
    buffer: Vec<u8>,
    /// What each frame of the worker begins with, once it was told; what comes between is noise.
    mark: Option<[u8; MARK_BYTES]>,
    /// Bytes of noise so far.
    noise: usize,
    /// What is to be sent when there is room.
    outbox: Vec<u8>,
}

/// What came.
#[derive(Debug)]
pub(crate) enum Received {
    /// The content of a frame.
    Frame(Vec<u8>),
    /// The other side closed its pipe.
    Closed,
    /// Something that cannot be a frame; nothing that follows can be trusted to be one.
    Garbage,
}

impl Channel {
    /// Takes the ends of two pipes that do not block.
    pub(crate) fn new(commands: OwnedFd, messages: OwnedFd) -> io::Result<Self> {
        let (commands, messages) = (watch(commands)?, watch(messages)?);
        Ok(Self {
            commands,
            messages,
            buffer: Vec::new(),
            mark: None,
            noise: 0,
            outbox: Vec::new(),
        })
    }

    /// The same for a process that knows the mark of `other` already.
    pub(crate) fn beside(
        other: &Channel,
        commands: OwnedFd,
        messages: OwnedFd,
    ) -> io::Result<Self> {
        Ok(Self { mark: other.mark, ..Self::new(commands, messages)? })
    }

    /// Draws the mark and tells it to the worker, before there is a guest.
    pub(crate) async fn mark(&mut self) -> io::Result<()> {
        let mark = uuid::Uuid::new_v4().into_bytes();
        self.send(&mark).await?;
        self.mark = Some(mark);
        Ok(())
    }

    /// Tells the same mark to another process that goes on with these pipes.
    pub(crate) async fn mark_again(&mut self) -> io::Result<()> {
        match self.mark {
            Some(mark) => self.send(&mark).await,
            None => Ok(()),
        }
    }

    /// Forgets what a process that ended had still said.
    pub(crate) fn forget(&mut self) {
        while let Some(Ok(Received::Frame(_) | Received::Garbage)) = self.receive_now() {
            self.noise = 0;
        }
        self.buffer.clear();
        self.outbox.clear();
        self.noise = 0;
    }

    /// Waits for the next frame. Cancel safe: what was read stays in the buffer.
    pub(crate) async fn receive(&mut self) -> io::Result<Received> {
        self.talk(true).await
    }

    /// The next frame, if it has come; asks the kernel, whatever the runtime knows yet.
    pub(crate) fn receive_now(&mut self) -> Option<io::Result<Received>> {
        loop {
            if let Some(received) = self.take_frame() {
                return Some(Ok(received));
            }
            match read_more(self.messages.get_ref(), &mut self.buffer) {
                Ok(0) => return Some(Ok(Received::Closed)),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return None,
                Err(error) => return Some(Err(error.into())),
            }
        }
    }

    fn take_frame(&mut self) -> Option<Received> {
        loop {
            let before = match &self.mark {
                Some(mark) => {
                    self.noise += self.buffer.drain(..wire::noise(&self.buffer, mark)).len();
                    if self.noise > MOST_NOISE {
                        return Some(Received::Garbage);
                    }
                    MARK_BYTES
                }
                None => 0,
            };
            return match wire::split_frame(self.buffer.get(before..)?) {
                Ok(None) => None,
                // A guest that knows the mark; what follows may still be a frame.
                Err(_) if before > 0 => {
                    self.noise += self.buffer.drain(..before).len();
                    continue;
                }
                Err(_) => Some(Received::Garbage),
                Ok(Some((content, taken))) => {
                    let content = content.to_vec();
                    self.buffer.drain(..before + taken);
                    Some(Received::Frame(content))
                }
            };
        }
    }

    /// Sends one frame whole.
    pub(crate) async fn send(&self, content: &[u8]) -> io::Result<()> {
        let frame = wire::frame(content)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "frame too long"))?;
        let mut rest = &frame[..];
        while !rest.is_empty() {
            match rustix::io::write(self.commands.get_ref(), rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(rustix::io::Errno::AGAIN) => {
                    self.commands.writable().await?.clear_ready();
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Has a frame sent when there is room, by [`Channel::talk`].
    pub(crate) fn put(&mut self, content: &[u8]) {
        self.outbox.extend(wire::frame(content).unwrap_or_default());
    }

    /// Sends what waits to be sent, and waits for the next frame if the other side is `open`. Cancel safe.
    pub(crate) async fn talk(&mut self, open: bool) -> io::Result<Received> {
        loop {
            if open && let Some(received) = self.receive_now() {
                return received;
            }
            let waits = !self.outbox.is_empty();
            tokio::select! {
                ready = self.messages.readable(), if open => {
                    let mut ready = ready?;
                    if !has_bytes(self.messages.get_ref()) {
                        ready.clear_ready();
                    }
                }
                ready = self.commands.writable(), if waits => {
                    let mut ready = ready?;
                    match rustix::io::write(self.commands.get_ref(), &self.outbox) {
                        Ok(sent) => drop(self.outbox.drain(..sent)),
                        Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                        Err(rustix::io::Errno::INTR) => {}
                        // Nobody reads any more: the end of the process is near.
                        Err(_) => self.outbox.clear(),
                    }
                }
                else => std::future::pending().await,
            }
        }
    }

    /// Sends an empty frame if there is room for it. A worker that waits for it has room.
    pub(crate) fn acknowledge(&mut self) {
        if self.outbox.is_empty() {
            rustix::io::write(self.commands.get_ref(), &[0; wire::LENGTH_BYTES]).ok();
        } else {
            self.put(&[]);
        }
    }
}

/// Whether a pipe has bytes to read, or its end.
fn has_bytes(pipe: &OwnedFd) -> bool {
    let mut waits = [PollFd::new(pipe, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut waits, Some(&now)).is_ok() && !waits[0].revents().is_empty()
}

fn read_more(pipe: &OwnedFd, buffer: &mut Vec<u8>) -> rustix::io::Result<usize> {
    let start = buffer.len();
    buffer.resize(start + PIECE, 0);
    let read = rustix::io::read(pipe, &mut buffer[start..]);
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
