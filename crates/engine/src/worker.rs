//! One enclosed worker, held by the engine; ended on drop.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::Duration;

use execute_python_protocol::Limits;
use execute_python_sandbox::enter::MOUNT;
use execute_python_sandbox::plan::FIRST_GUEST_ID;
use execute_python_sandbox::wire::Command;
use execute_python_sys::Pid;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdGetfdFlags, Signal};
use tokio::io::unix::AsyncFd;
use tokio::sync::oneshot;

use crate::calls::Calls;
use crate::channel::{Channel, Received, watch};
use crate::error::Error;
use crate::groups::Lease;
use crate::work_folder::WorkFolder;
use crate::zygote::{Ended, Purpose, Shared, WorkerEnds};

/// How long a worker may take to enclose itself.
const ENCLOSED_WITHIN: Duration = Duration::from_secs(20);

/// An enclosed worker that waits for code, or runs it. Dropping it kills its process.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) channel: Channel,
    pub(crate) stdout: AsyncFd<OwnedFd>,
    pub(crate) stderr: AsyncFd<OwnedFd>,
    /// Where the answer to "where are you" comes.
    pub(crate) trace: AsyncFd<OwnedFd>,
    pub(crate) process: Process,
    pub(crate) calls: Option<Arc<Calls>>,
    pub(crate) work_folder: Arc<WorkFolder>,
    pub(crate) group: Option<Arc<Lease>>,
    pub(crate) ended: oneshot::Receiver<Ended>,
}

/// The process of a worker; killed on drop.
#[derive(Debug)]
pub(crate) struct Process {
    pidfd: AsyncFd<OwnedFd>,
    /// Its process id as the engine's pid namespace numbers it.
    pid: Option<Pid>,
}

impl Worker {
    /// Has a worker forked and waits until it is enclosed.
    pub(crate) async fn start(
        zygote: &Shared,
        limits: &Limits,
        purpose: Purpose,
    ) -> Result<Worker, Error> {
        let refuse =
            |reason: String| Error::Worker { environment: zygote.environment().to_owned(), reason };
        match tokio::time::timeout(ENCLOSED_WITHIN, enclosed(zygote, limits, purpose)).await {
            Ok(Ok(worker)) => Ok(worker),
            Ok(Err(StartError::Engine(error))) => Err(error),
            Ok(Err(StartError::System(error))) => Err(refuse(error.to_string())),
            Ok(Err(StartError::Said(said))) => Err(refuse(said)),
            Err(_) => Err(refuse(format!("not ready within {} s", ENCLOSED_WITHIN.as_secs()))),
        }
    }

    /// Gives a command.
    pub(crate) async fn command(&self, command: Command<'_>) -> io::Result<()> {
        self.channel.send(&command.to_bytes()).await
    }
}

impl Process {
    /// The process with this id, as this process's pid namespace numbers it; not a mere thread.
    pub(crate) fn open(pid: Pid) -> io::Result<Process> {
        let raw = rustix::process::Pid::from_raw(pid.as_raw())
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let pidfd = rustix::process::pidfd_open(raw, rustix::process::PidfdFlags::empty())?;
        Ok(Process { pidfd: watch(pidfd)?, pid: Some(pid) })
    }

    /// A second handle to it, which does not kill it on drop.
    pub(crate) fn watch_end(&self) -> io::Result<AsyncFd<OwnedFd>> {
        watch(rustix::io::fcntl_dupfd_cloexec(self.pidfd.get_ref(), 0)?)
    }

    /// Its id, as this process's pid namespace numbers it.
    pub(crate) fn pid(&self) -> Option<Pid> {
        self.pid
    }

    /// Whether there still is such a process.
    pub(crate) fn is_alive(&self) -> bool {
        execute_python_sys::process::signal(self.pidfd.get_ref(), 0).is_ok()
    }

    /// How many threads it has: its folder of threads has a link for each beside its own two
    /// (`proc_pid_task(5)`).
    pub(crate) fn threads(&self) -> Option<u64> {
        let folder = format!("/proc/{}/task", self.pid?.as_raw());
        std::fs::metadata(folder).ok()?.nlink().checked_sub(2)
    }

    /// A copy of its descriptor with this number.
    pub(crate) fn take(&self, number: i32) -> io::Result<OwnedFd> {
        take(self.pidfd.get_ref(), number)
    }

    /// Sends a signal to it; one that is dead already stays dead.
    pub(crate) fn signal(&self, signal: Signal) {
        rustix::process::pidfd_send_signal(self.pidfd.get_ref(), signal).ok();
    }

    /// Sends a real-time signal to it by number.
    pub(crate) fn signal_numbered(&self, number: i32) {
        execute_python_sys::process::signal(self.pidfd.get_ref(), number).ok();
    }

    /// Waits until it is stopped, after it was sent the signal for that, or dead. One that is not may still
    /// take what is in a pipe, even when it was killed meanwhile.
    pub(crate) async fn stopped(&self) {
        while let Some(pid) = self.pid
            && let Ok(status) = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw()))
            // The name before it is in brackets (`proc_pid_stat(5)`).
            && let Some((_, rest)) = status.rsplit_once(") ")
            && !rest.starts_with(['T', 'Z', 'X'])
        {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until it is dead. Cancel safe.
    pub(crate) async fn dead(&self) {
        // A pidfd that cannot be waited for has no process behind it.
        self.pidfd.readable().await.ok();
    }

    /// Processor time that it has used since it was forked.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        execute_python_sys::process::cpu_time(self.pid?).ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Why a worker could not be had.
enum StartError {
    Engine(Error),
    System(io::Error),
    Said(String),
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        StartError::System(error)
    }
}

impl From<rustix::io::Errno> for StartError {
    fn from(error: rustix::io::Errno) -> Self {
        StartError::System(error.into())
    }
}

async fn enclosed(
    zygote: &Shared,
    limits: &Limits,
    purpose: Purpose,
) -> Result<Worker, StartError> {
    let (their_commands, commands) = pipe_with(PipeFlags::CLOEXEC)?;
    let (messages, their_messages) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let (trace, their_trace) = pipe_with(PipeFlags::CLOEXEC)?;
    for ours in [&commands, &messages, &stdout, &stderr, &trace] {
        rustix::io::ioctl_fionbio(ours, true)?;
    }
    let ends = WorkerEnds {
        commands: their_commands,
        messages: their_messages,
        stdout: their_stdout,
        stderr: their_stderr,
        trace: their_trace,
    };
    let birth = zygote.fork(limits, purpose, ends).await.map_err(StartError::Engine)?;
    let mut channel = Channel::new(commands, messages)?;
    let listener = match channel.receive().await? {
        Received::Frame(content) => take_listener(&birth.pidfd, &content)?,
        Received::Closed | Received::Garbage => return Err(StartError::Said(last_words(&stderr))),
    };
    let mount = take(&birth.pidfd, MOUNT)?;
    channel.mark().await?;
    let first = zygote.first_host_id();
    let guest = first.map(|first| first + FIRST_GUEST_ID + birth.slot);
    Ok(Worker {
        channel,
        stdout: watch(stdout)?,
        stderr: watch(stderr)?,
        trace: watch(trace)?,
        process: Process { pid: pid_of(&birth.pidfd), pidfd: watch(birth.pidfd)? },
        calls: listener.map(Calls::new).transpose()?.map(Arc::new),
        work_folder: Arc::new(WorkFolder::new(mount, guest, first)),
        group: birth.group,
        ended: birth.ended,
    })
}

/// Takes the engine's own copy of the listener whose number in the worker is `content`. The worker
/// has not run guest code yet, so what it says can be trusted.
fn take_listener(pidfd: &OwnedFd, content: &[u8]) -> io::Result<Option<OwnedFd>> {
    let number = str::from_utf8(content).ok().and_then(|text| text.parse::<i32>().ok());
    match number {
        Some(number) if number >= 0 => {
            Ok(Some(rustix::process::pidfd_getfd(pidfd, number, PidfdGetfdFlags::empty())?))
        }
        _ => Ok(None),
    }
}

/// A copy of a worker's descriptor.
fn take(pidfd: &OwnedFd, number: i32) -> io::Result<OwnedFd> {
    Ok(rustix::process::pidfd_getfd(pidfd, number, PidfdGetfdFlags::empty())?)
}

/// The process id behind a pidfd, as this process's pid namespace numbers it.
fn pid_of(pidfd: &OwnedFd) -> Option<Pid> {
    let number = std::os::fd::AsRawFd::as_raw_fd(pidfd);
    let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("Pid:"))?;
    Pid::from_raw(line.trim().parse().ok()?)
}

/// What a worker that failed wrote to its standard error.
fn last_words(stderr: &OwnedFd) -> String {
    let mut bytes = [0; 4096];
    let length = rustix::io::read(stderr, &mut bytes).unwrap_or(0);
    let text = String::from_utf8_lossy(&bytes[..length]).trim().to_owned();
    if text.is_empty() { "it ended without a word".into() } else { text }
}
