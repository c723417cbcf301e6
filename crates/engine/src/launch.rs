//! Starting a zygote: the launcher as a child process, with nothing of ours but one socket.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Command, Stdio};

use execute_python_sandbox::OuterPlan;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use tokio::sync::oneshot;

use crate::embedded;

/// The most of the launcher's standard error that is kept, in bytes.
const MOST_ERROR_TEXT: u64 = 64 << 10;

/// A launcher that was started.
pub(crate) struct Launched {
    /// Packets to and from the zygote.
    pub(crate) control: OwnedFd,
    /// What it wrote to standard error, once it has ended.
    pub(crate) ended: oneshot::Receiver<String>,
}

/// Starts the launcher from a thread of its own, which lives as long as the launcher does: the
/// kernel ends the launcher when the thread that started it ends.
pub(crate) fn start(plan: &OuterPlan) -> io::Result<Launched> {
    let flags = SocketFlags::CLOEXEC;
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    let argument = serde_json::to_string(plan)?;
    let (say_ended, ended) = oneshot::channel();
    let (say_started, started) = std::sync::mpsc::channel();
    std::thread::Builder::new().name("zygote".into()).spawn(move || {
        match spawn(&argument, theirs) {
            Ok(child) => {
                // Either side may be gone already, which changes nothing.
                drop(say_started.send(Ok(())));
                drop(say_ended.send(wait(child)));
            }
            Err(error) => drop(say_started.send(Err(error))),
        }
    })?;
    started.recv().map_err(io::Error::other)??;
    Ok(Launched { control: ours, ended })
}

#[expect(clippy::disallowed_methods, reason = "this starts the launcher, which sets the limits")]
fn spawn(argument: &str, control: OwnedFd) -> io::Result<std::process::Child> {
    let launcher = embedded::launcher()?;
    Command::new(format!("/proc/self/fd/{}", launcher.as_raw_fd()))
        .arg(argument)
        .env_clear()
        .stdin(Stdio::from(control))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
}

/// Reads standard error to its end and reaps the child; gives the text.
fn wait(mut child: std::process::Child) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = child.stderr.take() {
        let mut kept = pipe.take(MOST_ERROR_TEXT);
        // Text that cannot be read is missing from a message, no more.
        drop(kept.read_to_end(&mut bytes));
        drop(io::copy(&mut kept.into_inner(), &mut io::sink()));
    }
    drop(child.wait());
    String::from_utf8_lossy(&bytes).trim().to_owned()
}
