//! One environment's warm interpreter, and the workers it forks.

use std::collections::HashMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use execute_python_protocol::{Limits, Waiver};
use execute_python_sandbox::cgroup::Death;
use execute_python_sandbox::plan::{Identity, MAX_WORKERS, OuterPlan, Plan};
use execute_python_sandbox::wire::{self, REPORT_BYTES, Report};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tokio::io::unix::AsyncFd;
use tokio::sync::oneshot;

use crate::channel::{receive_packet, watch};
use crate::error::Error;
use crate::groups::{Groups, Lease, Size};
use crate::launch;

/// How long an interpreter may take to get warm. Importing everything on a cold disk is slow.
const WARM_WITHIN: Duration = Duration::from_mins(2);
/// How long a launcher may take to end when it is told to.
const END_WITHIN: Duration = Duration::from_secs(2);
/// What a worker needs beyond its memory limit for page tables and the like, in bytes.
const KERNEL_MEMORY: u64 = 8 << 20;

/// What a zygote is started with.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    /// The name of the environment, for messages.
    pub(crate) environment: String,
    /// The plan of the outer sandbox.
    pub(crate) outer: OuterPlan,
    /// The layers that the operator gave up.
    pub(crate) waived: Vec<Waiver>,
}

/// A warm interpreter that only ever forks.
#[derive(Debug)]
pub(crate) struct Zygote {
    shared: Arc<Shared>,
    reader: tokio::task::JoinHandle<()>,
    ended: Mutex<Option<oneshot::Receiver<String>>>,
}

/// What the workers of a zygote share with it.
#[derive(Debug)]
pub(crate) struct Shared {
    setting: Setting,
    control: AsyncFd<OwnedFd>,
    groups: Option<Arc<Groups>>,
    data_bytes: u64,
    address_bytes: u64,
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    live: HashMap<u32, Live>,
    next: u32,
    gone: bool,
}

/// A slot that is taken.
#[derive(Debug)]
struct Live {
    /// Removed when this and the worker's own hold are dropped.
    group: Option<Arc<Lease>>,
    forked: Option<oneshot::Sender<io::Result<OwnedFd>>>,
    ended: Option<oneshot::Sender<Ended>>,
}

/// What a worker is forked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Code waits for it already.
    Run,
    /// It will wait for code.
    Pool,
    /// It becomes the keeper of a session.
    Session,
}

/// The most processes of a session beside the one that runs the cells.
pub(crate) const MOST_COPIES: u64 = 128;

/// How a worker ended, as the kernel told the zygote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The status word of `wait(2)`.
    pub(crate) status: i32,
    /// Processor time of all its threads.
    pub(crate) cpu_time: Duration,
}

/// A worker that was forked and is enclosing itself.
#[derive(Debug)]
pub(crate) struct Birth {
    pub(crate) slot: u32,
    pub(crate) pidfd: OwnedFd,
    pub(crate) group: Option<Arc<Lease>>,
    pub(crate) ended: oneshot::Receiver<Ended>,
}

/// The descriptors that go to a worker.
#[derive(Debug)]
pub(crate) struct WorkerEnds {
    pub(crate) commands: OwnedFd,
    pub(crate) messages: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) trace: OwnedFd,
}

impl Zygote {
    /// Starts one and waits until it is warm.
    pub(crate) async fn start(
        setting: Setting,
        groups: Option<Arc<Groups>>,
    ) -> Result<Self, Error> {
        let not_started =
            |reason: String| Error::Zygote { environment: setting.environment.clone(), reason };
        let launched =
            launch::start(&setting.outer).map_err(|error| not_started(error.to_string()))?;
        rustix::io::ioctl_fionbio(&launched.control, true)
            .map_err(|error| not_started(error.to_string()))?;
        let control = watch(launched.control).map_err(|error| not_started(error.to_string()))?;
        let warm = tokio::time::timeout(WARM_WITHIN, next_report(&control)).await;
        let (data_bytes, address_bytes) = match warm {
            Ok(Ok(Some((Report::Warm { data_bytes, address_bytes }, _)))) => {
                (data_bytes, address_bytes)
            }
            Ok(Ok(None)) => {
                let said = tokio::time::timeout(END_WITHIN, launched.ended).await;
                let said = said.ok().and_then(Result::ok).unwrap_or_default();
                return Err(not_started(last_line(&said)));
            }
            Ok(Ok(Some(_))) => return Err(not_started("it spoke out of turn".into())),
            Ok(Err(error)) => return Err(not_started(error.to_string())),
            Err(_) => {
                return Err(not_started(format!("not warm within {} s", WARM_WITHIN.as_secs())));
            }
        };
        let shared = Arc::new(Shared {
            setting,
            control,
            groups,
            data_bytes,
            address_bytes,
            slots: Mutex::default(),
        });
        let reader = tokio::spawn(read_reports(Arc::clone(&shared)));
        Ok(Self { shared, reader, ended: Mutex::new(Some(launched.ended)) })
    }

    /// Whether it can still fork.
    pub(crate) fn is_alive(&self) -> bool {
        !self.shared.slots().gone
    }

    /// What its workers share.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Ends it and all its workers, and waits until they are gone.
    pub(crate) async fn stop(&self) {
        // The zygote ends when its control socket does, and its workers with it.
        rustix::net::shutdown(self.shared.control.get_ref(), rustix::net::Shutdown::Both).ok();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(ended) = ended {
            drop(tokio::time::timeout(END_WITHIN, ended).await);
        }
        self.shared.slots().give_up();
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        rustix::net::shutdown(self.shared.control.get_ref(), rustix::net::Shutdown::Both).ok();
        self.reader.abort();
        self.shared.slots().give_up();
    }
}

impl Slots {
    fn give_up(&mut self) {
        self.gone = true;
        self.live.clear();
    }

    /// The next free slot. They are handed out in turn, so that a user id rests before it is used
    /// again.
    fn free(&mut self) -> Option<u32> {
        for _ in 0..MAX_WORKERS {
            let slot = self.next;
            self.next = (self.next + 1) % MAX_WORKERS;
            if !self.live.contains_key(&slot) {
                return Some(slot);
            }
        }
        None
    }
}

impl Shared {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of the environment.
    pub(crate) fn environment(&self) -> &str {
        &self.setting.environment
    }

    /// The first id on the host of the range that the inside has, where it has one.
    pub(crate) fn first_host_id(&self) -> Option<u32> {
        match self.setting.outer.identity {
            Identity::Range { first, .. } => Some(first),
            Identity::Own => None,
        }
    }

    /// The plan of a worker with these limits in this slot.
    fn plan(&self, limits: &Limits, slot: u32, purpose: Purpose) -> Plan {
        Plan {
            slot,
            own_id: self.first_host_id().is_some(),
            landlock: !self.setting.waived.contains(&Waiver::Landlock),
            limit_addresses: self.groups.is_none(),
            warm: purpose == Purpose::Pool,
            session: purpose == Purpose::Session,
            memory_bytes: limits.memory_bytes,
            threads: threads(limits, purpose),
            disk_bytes: limits.disk_bytes,
            files: limits.files,
            cpu_seconds: match purpose {
                // The engine ends the run at the millisecond; this is the wall behind it.
                Purpose::Run | Purpose::Pool => limits.cpu_time_ms.div_ceil(1000).saturating_add(2),
                // A process of a session has as many runs as it lives.
                Purpose::Session => u64::MAX,
            },
            zygote_data_bytes: self.data_bytes,
            zygote_address_bytes: self.address_bytes,
        }
    }

    fn not_made(&self, reason: &dyn std::fmt::Display) -> Error {
        Error::Worker { environment: self.environment().to_owned(), reason: reason.to_string() }
    }

    /// Has a worker forked.
    pub(crate) async fn fork(
        &self,
        limits: &Limits,
        purpose: Purpose,
        ends: WorkerEnds,
    ) -> Result<Birth, Error> {
        let (say_forked, forked) = oneshot::channel();
        let (say_ended, ended) = oneshot::channel();
        let slot = {
            let mut slots = self.slots();
            if slots.gone {
                return Err(self.not_made(&"its zygote has ended"));
            }
            let slot = slots.free().ok_or(Error::Full(MAX_WORKERS))?;
            let live = Live { group: None, forked: Some(say_forked), ended: Some(say_ended) };
            slots.live.insert(slot, live);
            slot
        };
        let mut claim = Claim { shared: self, slot, keep: false };
        let group = self.group(limits, purpose)?;
        if let Some(live) = self.slots().live.get_mut(&slot) {
            live.group.clone_from(&group);
        }
        let lists = match group.as_deref().and_then(Lease::group) {
            Some(group) => group.process_lists()?,
            None => Vec::new(),
        };
        self.order(&self.plan(limits, slot, purpose), ends, &lists)
            .await
            .map_err(|e| self.not_made(&e))?;
        // From here on the slot is free when the zygote says that the worker ended.
        claim.keep = true;
        let pidfd = match forked.await {
            Ok(Ok(pidfd)) => pidfd,
            Ok(Err(error)) => {
                claim.keep = false;
                return Err(self.not_made(&error));
            }
            Err(_) => return Err(self.not_made(&"its zygote has ended")),
        };
        Ok(Birth { slot, pidfd, group, ended })
    }

    fn group(&self, limits: &Limits, purpose: Purpose) -> Result<Option<Arc<Lease>>, Error> {
        let Some(groups) = &self.groups else { return Ok(None) };
        let own = limits.memory_bytes + limits.disk_bytes + KERNEL_MEMORY;
        let size = match purpose {
            Purpose::Run | Purpose::Pool => {
                Size { memory_bytes: own, threads: limits.threads, death: Death::OfAll }
            }
            // Its copies hold as much again; which of them are kept is seen to before each run.
            Purpose::Session => Size {
                memory_bytes: own + limits.memory_bytes + 8 * KERNEL_MEMORY,
                threads: threads(limits, purpose),
                death: Death::OfOne,
            },
        };
        Ok(Some(Arc::new(groups.lease(size)?)))
    }

    /// Sends one order with its descriptors.
    async fn order(&self, plan: &Plan, ends: WorkerEnds, lists: &[OwnedFd]) -> io::Result<()> {
        let bytes = wire::order(plan);
        let mut passed = vec![
            ends.commands.as_fd(),
            ends.messages.as_fd(),
            ends.stdout.as_fd(),
            ends.stderr.as_fd(),
            ends.trace.as_fd(),
        ];
        passed.extend(lists.iter().map(AsFd::as_fd));
        loop {
            let mut ready = self.control.writable().await?;
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            ancillary.push(SendAncillaryMessage::ScmRights(&passed));
            let pieces = [io::IoSlice::new(&bytes)];
            match sendmsg(&self.control, &pieces, &mut ancillary, SendFlags::NOSIGNAL) {
                Ok(_) => return Ok(()),
                Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// How many threads there may be, those of all processes together.
fn threads(limits: &Limits, purpose: Purpose) -> u64 {
    match purpose {
        Purpose::Run | Purpose::Pool => limits.threads,
        Purpose::Session => limits.threads + MOST_COPIES,
    }
}

/// A slot that is freed on drop unless its worker keeps it.
struct Claim<'a> {
    shared: &'a Shared,
    slot: u32,
    keep: bool,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if !self.keep {
            self.shared.slots().live.remove(&self.slot);
        }
    }
}

/// Hands the zygote's reports to those who wait for them, until it has gone.
async fn read_reports(shared: Arc<Shared>) {
    while let Ok(Some((report, pidfd))) = next_report(&shared.control).await {
        let mut slots = shared.slots();
        match report {
            Report::Warm { .. } => {}
            Report::Forked { slot } => {
                let waiting = slots.live.get_mut(&slot).and_then(|live| live.forked.take());
                if let (Some(waiting), Some(pidfd)) = (waiting, pidfd) {
                    // Nobody waits any more: then the worker finds its socket closed and ends.
                    drop(waiting.send(Ok(pidfd)));
                }
            }
            Report::Refused { slot, errno } => {
                let waiting = slots.live.get_mut(&slot).and_then(|live| live.forked.take());
                if let Some(waiting) = waiting {
                    drop(waiting.send(Err(io::Error::from_raw_os_error(errno))));
                }
            }
            Report::Ended { slot, status, cpu_time_us } => {
                let ended = Ended { status, cpu_time: Duration::from_micros(cpu_time_us) };
                if let Some(waiting) = slots.live.remove(&slot).and_then(|live| live.ended) {
                    waiting.send(ended).ok();
                }
            }
        }
    }
    shared.slots().give_up();
}

/// The zygote's next report and the descriptor that came with it; `None` when it has gone.
async fn next_report(control: &AsyncFd<OwnedFd>) -> io::Result<Option<(Report, Option<OwnedFd>)>> {
    loop {
        let mut ready = control.readable().await?;
        let mut bytes = [0; REPORT_BYTES];
        match receive_packet(control.get_ref(), &mut bytes) {
            Ok((0, _)) | Err(rustix::io::Errno::CONNRESET) => return Ok(None),
            Ok((length, passed)) => {
                return Ok(Report::from_bytes(&bytes[..length]).map(|report| (report, passed)));
            }
            Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The last line of what a zygote said, which is the error of a Python traceback.
fn last_line(said: &str) -> String {
    said.lines().last().unwrap_or("it said nothing").trim().to_owned()
}

/// The arguments with which CPython becomes a zygote.
pub(crate) fn arguments(
    python: &Path,
    extension: &Path,
    preload: &[String],
    freeze: bool,
) -> Vec<String> {
    let boot = "\
import sys
from importlib.machinery import ExtensionFileLoader as loader, ModuleSpec as spec
from importlib.util import module_from_spec
path, freeze, *preload = sys.argv[1:]
sys.argv[:] = ['']
zygote = module_from_spec(spec('_zygote', loader('_zygote', path), origin=path))
zygote.__spec__.loader.exec_module(zygote)
zygote.serve(preload, freeze == 'freeze')";
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let freeze = if freeze { "freeze" } else { "plain" };
    let mut arguments: Vec<String> =
        [&text(python), "-I", "-X", "utf8", "-c", boot, &text(extension), freeze]
            .map(str::to_owned)
            .to_vec();
    arguments.extend_from_slice(preload);
    arguments
}
