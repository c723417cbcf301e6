//! The keeper of a session, from outside: it bears the process that runs the cells and tells how
//! processes ended.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use execute_python_sandbox::filter;
use execute_python_sandbox::wire::Command;
use execute_python_sys::process::FORK_FLAGS;
use execute_python_sys::seccomp::{self, HOLD};
use execute_python_sys::{Pid, seccomp::Notification};
use tokio::sync::{Mutex, oneshot};

use crate::calls::{Calls, Whose};
use crate::channel::{Channel, Received, watch};
use crate::session::part::{self, Held};
use crate::worker::{Process, Worker};
use crate::zygote::Ended;

/// How long a process may take to be born, or the keeper to answer.
const WITHIN: Duration = Duration::from_secs(5);

/// Process 1 of a session. It runs no guest code, so it can be believed.
#[derive(Debug)]
pub(crate) struct Keeper {
    process: Process,
    pid: Pid,
    talk: Mutex<Talk>,
}

#[derive(Debug)]
struct Talk {
    channel: Channel,
    /// How processes ended that nobody has asked about yet, by their number in the session.
    ended: HashMap<i32, Ended>,
}

impl Keeper {
    /// Makes a worker that has run nothing the keeper of a session, and has it bear a process. Gives the
    /// keeper and the worker that the new process is.
    pub(crate) async fn found(worker: Worker) -> io::Result<(Arc<Keeper>, Worker, i32)> {
        let calls = worker.calls.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
        let pid = worker.process.pid().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let mut channel = worker.channel;
        channel.send(&Command::Bear.to_bytes()).await?;
        let numbers = frame(&mut channel).await?;
        let [commands, messages, stdout, stderr, trace] = take(&worker.process, &numbers)?;
        channel.acknowledge();
        let talk = Mutex::new(Talk { channel, ended: HashMap::new() });
        let keeper = Arc::new(Keeper { process: worker.process, pid, talk });
        let held = keeper.birth(&calls).await?;
        held.go_on(calls.listener())?;
        let mut channel = Channel::new(commands, messages)?;
        channel.mark().await?;
        let born = Worker {
            channel,
            stdout: watch(stdout)?,
            stderr: watch(stderr)?,
            trace: watch(trace)?,
            ended: keeper.watch_end(&held)?,
            process: held.process,
            calls: Some(calls),
            work_folder: worker.work_folder,
            group: worker.group,
        };
        Ok((keeper, born, held.own_number))
    }

    /// Bears a process in place of one that is lost; it has the same pipes.
    pub(crate) async fn bear_again(&self, calls: &Calls) -> io::Result<Held> {
        self.talk.lock().await.channel.send(&Command::Bear.to_bytes()).await?;
        self.birth(calls).await
    }

    /// Lets the keeper fork once and waits for the new process.
    async fn birth(&self, calls: &Calls) -> io::Result<Held> {
        let mut forked = false;
        let born = async {
            loop {
                let call = calls.next(Whose::Of(&[self.pid])).await;
                let caller = i32::try_from(call.pid).ok().and_then(Pid::from_raw);
                if !forked && caller == Some(self.pid) && is_fork(&call) {
                    forked = true;
                    seccomp::allow(calls.listener(), call.id)?;
                } else if forked
                    && filter::name_of(call.number) == "seccomp"
                    && call.arguments[0] == u64::from(HOLD)
                    && let Some(held) = caller.and_then(|pid| part::hold(pid, call.id))
                {
                    return Ok(held);
                } else {
                    let errno = rustix::io::Errno::PERM.raw_os_error();
                    drop(seccomp::refuse(calls.listener(), call.id, errno));
                }
            }
        };
        in_time(born).await
    }

    /// Will tell how a process ends.
    pub(crate) fn watch_end(self: &Arc<Self>, held: &Held) -> io::Result<oneshot::Receiver<Ended>> {
        let (say, ended) = oneshot::channel();
        let pidfd = held.process.watch_end()?;
        let (keeper, number) = (Arc::clone(self), held.own_number);
        tokio::spawn(async move {
            if pidfd.readable().await.is_ok()
                && let Ok(Some(end)) = in_time(keeper.end_of(number)).await
            {
                // Nobody asks where the session is closed.
                say.send(end).ok();
            }
        });
        Ok(ended)
    }

    async fn end_of(&self, number: i32) -> io::Result<Option<Ended>> {
        let mut talk = self.talk.lock().await;
        if !talk.ended.contains_key(&number) {
            talk.channel.send(&Command::Reap.to_bytes()).await?;
            let told = frame(&mut talk.channel).await?;
            talk.ended.extend(told.lines().filter_map(ending));
        }
        Ok(talk.ended.remove(&number))
    }

    /// Its process id, as this process's pid namespace numbers it.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Ends it, and every process of the session with it.
    pub(crate) fn end(&self) {
        self.process.signal(rustix::process::Signal::KILL);
    }

    /// Whether the session can still be helped.
    pub(crate) fn is_alive(&self) -> bool {
        self.process.is_alive()
    }
}

fn is_fork(call: &Notification) -> bool {
    filter::name_of(call.number) == "clone" && call.arguments[0] == FORK_FLAGS
}

/// A line of the keeper: number, status word, microseconds of processor time.
fn ending(line: &str) -> Option<(i32, Ended)> {
    let mut words = line.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let status = words.next()?.parse().ok()?;
    let cpu_time = Duration::from_micros(words.next()?.parse().ok()?);
    Some((number, Ended { status, cpu_time }))
}

/// The engine's ends of five pipes, by their numbers in the process.
fn take(process: &Process, numbers: &str) -> io::Result<[OwnedFd; 5]> {
    let ends: io::Result<Vec<OwnedFd>> = numbers
        .split_ascii_whitespace()
        .map(|number| process.take(number.parse().map_err(io::Error::other)?))
        .collect();
    let ends: [OwnedFd; 5] =
        ends?.try_into().map_err(|_other_number| io::Error::from(io::ErrorKind::InvalidData))?;
    for end in &ends {
        rustix::io::ioctl_fionbio(end, true)?;
    }
    Ok(ends)
}

async fn frame(channel: &mut Channel) -> io::Result<String> {
    let received = async {
        match channel.receive().await? {
            Received::Frame(content) => String::from_utf8(content).map_err(io::Error::other),
            Received::Closed | Received::Garbage => {
                Err(io::Error::from(io::ErrorKind::UnexpectedEof))
            }
        }
    };
    in_time(received).await
}

async fn in_time<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    tokio::time::timeout(WITHIN, work)
        .await
        .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut)))
}
