//! Branches: copies of a session's process that go on by themselves, each with a work folder, pipes and
//! control groups of its own.
//!
//! A copy is in the kernel, in the call that holds it, when the engine puts its descriptors in place. It
//! then makes two calls that a guest may not make, `unshare` into new user and mount namespaces and
//! `capset` to none, each let through once, from this process, the first by the value of its
//! argument. In the next call that holds it the launcher mounts its work folder, and the engine looks
//! whether it has no capability left. Only then does it go on.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use execute_python_sandbox::branch::{BRANCH, FIRST_GROUP, NAMESPACES, Order};
use execute_python_sandbox::enter::{COMMANDS, MESSAGES, TRACE};
use execute_python_sandbox::filter;
use execute_python_sys::Pid;
use execute_python_sys::seccomp::{self, HOLD, Notification};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::time::timeout;

use crate::calls::{Calls, Whose};
use crate::channel::{Channel, receive_packet, watch};
use crate::embedded;
use crate::groups::Lease;
use crate::session::part::Held;
use crate::work_folder::Snapshot;
use crate::worker::Worker;

/// How long a copy may take to become a branch, and the launcher to mount.
const WITHIN: Duration = Duration::from_secs(5);

/// A copy on its way.
struct Becoming {
    held: Held,
    pipes: Pipes,
    group: Option<Arc<Lease>>,
    /// What it has done already.
    unshared: bool,
    dropped: bool,
    /// Whether it is held again.
    ready: bool,
}

/// The engine's ends of a branch's pipes.
struct Pipes {
    commands: OwnedFd,
    messages: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
    trace: OwnedFd,
}

/// What the branches are made of.
pub(crate) struct Trunk<'a> {
    /// The session's process, which has left the copies.
    pub(crate) worker: &'a Worker,
    pub(crate) keeper: &'a Arc<super::keeper::Keeper>,
    pub(crate) disk_bytes: u64,
    pub(crate) files: u64,
    /// What each work folder holds.
    pub(crate) snapshot: &'a Snapshot,
}

/// Makes a branch of each copy: its worker, stopped where it waits for its first command, and its number.
pub(crate) async fn make(trunk: Trunk<'_>, copies: Vec<Held>) -> io::Result<Vec<(Worker, i32)>> {
    let calls = trunk.worker.calls.clone().ok_or(io::ErrorKind::Unsupported)?;
    let mut becoming = Vec::new();
    for held in copies {
        becoming.push(begin(&calls, trunk.worker, held)?);
    }
    timeout(WITHIN, enclosed(&calls, &mut becoming)).await??;
    let mounts = furnish(&trunk, &becoming).await?;
    let mut branches = Vec::new();
    for (branch, mount) in becoming.into_iter().zip(mounts) {
        branches.push(finish(&trunk, &calls, branch, mount).await?);
    }
    Ok(branches)
}

/// Puts a copy's descriptors in place and has it become a branch.
fn begin(calls: &Calls, worker: &Worker, held: Held) -> io::Result<Becoming> {
    let (commands, to_commands) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_messages, messages) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_stdout, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_stderr, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_trace, trace) = pipe_with(PipeFlags::CLOEXEC)?;
    for ours in [&to_commands, &from_messages, &from_stdout, &from_stderr, &from_trace] {
        rustix::io::ioctl_fionbio(ours, true)?;
    }
    let group = match &worker.group {
        Some(group) => Some(Arc::new(group.another().map_err(io::Error::other)?)),
        None => None,
    };
    let lists = match group.as_deref().and_then(Lease::group) {
        Some(group) => group.process_lists().map_err(io::Error::other)?,
        None => Vec::new(),
    };
    let put = |descriptor: &OwnedFd, number: i32| {
        seccomp::add_descriptor(calls.listener(), held.call, descriptor, number.unsigned_abs())
    };
    for (end, number) in
        [(&commands, COMMANDS), (&messages, MESSAGES), (&stdout, 1), (&stderr, 2), (&trace, TRACE)]
    {
        put(end, number)?;
    }
    for (list, number) in lists.iter().zip(FIRST_GROUP..) {
        put(list, number)?;
    }
    let groups = u32::try_from(lists.len()).map_err(io::Error::other)?;
    seccomp::answer(calls.listener(), held.call, BRANCH + groups)?;
    let pipes = Pipes {
        commands: to_commands,
        messages: from_messages,
        stdout: from_stdout,
        stderr: from_stderr,
        trace: from_trace,
    };
    Ok(Becoming { held, pipes, group, unshared: false, dropped: false, ready: false })
}

/// Lets each copy make its two calls and waits until all are held again.
async fn enclosed(calls: &Calls, becoming: &mut [Becoming]) -> io::Result<()> {
    let own: Vec<Pid> = becoming.iter().filter_map(|branch| branch.held.process.pid()).collect();
    while becoming.iter().any(|branch| !branch.ready) {
        let call = calls.next(Whose::Of(&own)).await;
        let caller = i32::try_from(call.pid).ok().and_then(Pid::from_raw);
        let branch = becoming.iter_mut().find(|branch| branch.held.process.pid() == caller);
        if !branch.is_some_and(|branch| branch.permits(calls.listener(), &call)) {
            let errno = rustix::io::Errno::PERM.raw_os_error();
            drop(seccomp::refuse(calls.listener(), call.id, errno));
        }
    }
    Ok(())
}

impl Becoming {
    /// Answers a call of the copy if it is the one that comes next.
    fn permits(&mut self, listener: &OwnedFd, call: &Notification) -> bool {
        let step = match filter::name_of(call.number) {
            "unshare" if call.arguments[0] == NAMESPACES => &mut self.unshared,
            // It may only lose what it has got by the first; whether it did is looked at afterwards.
            "capset" if self.unshared => &mut self.dropped,
            "seccomp" if call.arguments[0] == u64::from(HOLD) && self.dropped => {
                self.held.call = call.id;
                return !std::mem::replace(&mut self.ready, true);
            }
            _ => return false,
        };
        if std::mem::replace(step, true) {
            return false;
        }
        drop(seccomp::allow(listener, call.id));
        true
    }
}

/// Has the launcher mount a work folder in each branch; gives their mounts.
async fn furnish(trunk: &Trunk<'_>, becoming: &[Becoming]) -> io::Result<Vec<OwnedFd>> {
    let trunk_pid = trunk.worker.process.pid().ok_or(io::ErrorKind::NotFound)?;
    let pids = becoming.iter().filter_map(|branch| branch.held.process.pid());
    let order = Order {
        keeper: trunk.keeper.pid().as_raw(),
        trunk: trunk_pid.as_raw(),
        branches: pids.map(Pid::as_raw).collect(),
        disk_bytes: trunk.disk_bytes,
        files: trunk.files,
        own_ids: trunk.worker.work_folder.has_own_ids(),
        guest: trunk.worker.work_folder.guest_inside(),
    };
    let order = serde_json::to_string(&order)?;
    let count = becoming.len();
    let mounts = tokio::task::spawn_blocking(move || launch(&order, count));
    mounts.await.map_err(io::Error::other)?
}

#[expect(clippy::disallowed_methods, reason = "this starts the launcher, which leaves at once")]
fn launch(order: &str, count: usize) -> io::Result<Vec<OwnedFd>> {
    let flags = SocketFlags::CLOEXEC;
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    let launcher = embedded::launcher()?;
    let output = Command::new(format!("/proc/self/fd/{}", launcher.as_raw_fd()))
        .args(["branch", order])
        .env_clear()
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(io::Error::other(format!("the work folders could not be mounted: {said}")));
    }
    let mount = |_| {
        let (_, mount) = receive_packet(ours.as_fd(), &mut [0; 1])?;
        mount.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))
    };
    (0..count).map(mount).collect()
}

/// Fills the work folder and has the branch go on to where it waits for commands.
async fn finish(
    trunk: &Trunk<'_>,
    calls: &Arc<Calls>,
    branch: Becoming,
    mount: OwnedFd,
) -> io::Result<(Worker, i32)> {
    let Becoming { held, pipes, group, .. } = branch;
    let pid = held.process.pid().ok_or(io::ErrorKind::NotFound)?;
    if !has_no_capability(pid)? {
        return Err(io::Error::other("a branch kept capabilities"));
    }
    let work_folder = Arc::new(trunk.worker.work_folder.of_branch(mount));
    work_folder.set_back(trunk.snapshot)?;
    let ended = trunk.keeper.watch_end(&held)?;
    let mut channel = Channel::beside(&trunk.worker.channel, pipes.commands, pipes.messages)?;
    held.go_on(calls.listener())?;
    timeout(WITHIN, channel.receive()).await??;
    let Held { process, own_number, .. } = held;
    process.signal(rustix::process::Signal::STOP);
    let worker = Worker {
        channel,
        stdout: watch(pipes.stdout)?,
        stderr: watch(pipes.stderr)?,
        trace: watch(pipes.trace)?,
        process,
        calls: Some(Arc::clone(calls)),
        work_folder,
        group,
        ended,
    };
    Ok((worker, own_number))
}

/// Whether a process holds no capability and can inherit none.
fn has_no_capability(pid: Pid) -> io::Result<bool> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw()))?;
    let sets = ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"];
    let is_empty = |set: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(set));
        value.is_some_and(|value| value.trim().trim_start_matches('0').is_empty())
    };
    Ok(sets.into_iter().all(is_empty))
}
