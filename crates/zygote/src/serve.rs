//! The zygote's life after it is warm: wait, fork, report.
//!
//! Nothing here touches the heap of the interpreter or allocates, so that frozen memory stays
//! frozen: a page that is written here would be copied for every worker after it.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use execute_python_sandbox::enter::Descriptors;
use execute_python_sandbox::filter;
use execute_python_sandbox::outer::{CONTROL, PROC_SELF};
use execute_python_sandbox::plan::Plan;
use execute_python_sandbox::wire::{MOST_GROUPS, ORDER_BYTES, Report, WORKER_DESCRIPTORS};
use execute_python_sys::memory;
use execute_python_sys::process::{self, Fork};
use execute_python_sys::seccomp::Instruction;
use execute_python_sys::{Pid, descriptor, namespace};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::process::PidfdFlags;

use crate::{audit, worker};

/// The most descriptors that come with one order.
const MOST_DESCRIPTORS: usize = WORKER_DESCRIPTORS + MOST_GROUPS;

/// Serves the engine until it goes away.
pub(crate) fn serve(cell: &Bound<'_, PyModule>, freeze: bool) -> PyResult<()> {
    let filter = filter::program().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    audit::prepare()?;
    if freeze {
        cell.call_method0("settle")?;
    }
    cell.call_method0("freeze")?;
    process::end_library_threads()?;
    let own = Own::open()?;
    let proc_self = descriptor::borrow(PROC_SELF);
    let sizes = sizes(proc_self)?;
    if freeze {
        memory::freeze(proc_self)?;
    }
    close_proc_self()?;
    execute_python_sandbox::prepare()
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    report(sizes, None)?;
    Ok(run(&Zygote { cell, own, filter })?)
}

/// What the loop needs.
struct Zygote<'a, 'py> {
    cell: &'a Bound<'py, PyModule>,
    own: Own,
    filter: Vec<Instruction>,
}

/// Closes the folder in `/proc` and leaves `/dev/null` at its number, as the launcher did at the numbers
/// that follow: a worker puts its own descriptors there, so none that it still needs may stand there.
fn close_proc_self() -> io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    descriptor::place(null, PROC_SELF)
}

/// What the zygote keeps open for itself.
struct Own {
    /// Its pid namespace, to come back to after each fork.
    pid_namespace: OwnedFd,
    /// Readable when a worker has ended.
    ended: OwnedFd,
}

impl Own {
    fn open() -> io::Result<Own> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let proc_self = descriptor::borrow(PROC_SELF);
        let pid_namespace = rustix::fs::openat(proc_self, "ns/pid", flags, Mode::empty())?;
        Ok(Own { pid_namespace, ended: process::child_signals()? })
    }
}

/// The sizes of the zygote's memory, from `/proc/self/statm`: pages of address space come first,
/// pages of data sixth (`proc_pid_statm(5)`).
fn sizes(proc_self: BorrowedFd<'_>) -> io::Result<Report> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(proc_self, "statm", flags, Mode::empty())?;
    let text = io::read_to_string(std::fs::File::from(file))?;
    let pages = |index: usize| {
        text.split_ascii_whitespace().nth(index).and_then(|field| field.parse::<u64>().ok())
    };
    let (all, data) = (pages(0).unwrap_or(0), pages(5).unwrap_or(0));
    Ok(Report::Warm { data_bytes: data * 4096, address_bytes: all * 4096 })
}

/// Waits for orders and for ends of workers until the engine closes its side.
fn run(zygote: &Zygote<'_, '_>) -> io::Result<()> {
    let own = &zygote.own;
    loop {
        let control = descriptor::borrow(CONTROL);
        let mut waits =
            [PollFd::new(&control, PollFlags::IN), PollFd::new(&own.ended, PollFlags::IN)];
        match poll(&mut waits, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let (order, end) = (waits[0].revents(), waits[1].revents());
        if !end.is_empty() {
            report_ends(own)?;
        }
        if !order.is_empty() && !take_order(zygote)? {
            return Ok(());
        }
    }
}

/// Reports every worker that has ended.
fn report_ends(own: &Own) -> io::Result<()> {
    let mut signals = [0_u8; 1024];
    match rustix::io::read(&own.ended, &mut signals) {
        Ok(_) | Err(rustix::io::Errno::AGAIN) => {}
        Err(error) => return Err(error.into()),
    }
    loop {
        match process::reap() {
            Ok(Some(exit)) => {
                let cpu_time_us = u64::try_from(exit.cpu_time.as_micros()).unwrap_or(u64::MAX);
                let slot = SLOTS.take(exit.pid);
                report(Report::Ended { slot, status: exit.status, cpu_time_us }, None)?;
            }
            Ok(None) => return Ok(()),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::CHILD.raw_os_error()) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
}

/// Takes one order and forks the worker. Gives `false` when the engine has gone.
fn take_order(zygote: &Zygote<'_, '_>) -> io::Result<bool> {
    let mut bytes = [0; ORDER_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        descriptor::borrow(CONTROL),
        &mut [IoSliceMut::new(&mut bytes)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    if received.bytes != ORDER_BYTES {
        return Ok(false);
    }
    let mut passed: [Option<OwnedFd>; MOST_DESCRIPTORS] = [const { None }; MOST_DESCRIPTORS];
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            for (place, descriptor) in passed.iter_mut().zip(descriptors) {
                *place = Some(descriptor);
            }
        }
    }
    let plan = Plan::from_bytes(&bytes);
    match fork_worker(&zygote.own, plan.slot) {
        Ok(Forked::Worker) => worker::live(zygote.cell, &plan, passed_on(passed), &zygote.filter),
        Ok(Forked::Zygote { pidfd }) => report(Report::Forked { slot: plan.slot }, Some(&pidfd))?,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(libc_eio());
            report(Report::Refused { slot: plan.slot, errno }, None)?;
        }
    }
    Ok(true)
}

fn libc_eio() -> i32 {
    rustix::io::Errno::IO.raw_os_error()
}

fn passed_on(passed: [Option<OwnedFd>; MOST_DESCRIPTORS]) -> Option<Descriptors> {
    let [commands, messages, stdout, stderr, trace, groups @ ..] = passed;
    Some(Descriptors {
        commands: commands?,
        messages: messages?,
        stdout: stdout?,
        stderr: stderr?,
        trace: trace?,
        groups: groups.into_iter().flatten().collect(),
    })
}

enum Forked {
    Worker,
    Zygote { pidfd: OwnedFd },
}

/// Forks a child into a pid namespace of its own, whose process 1 it is.
///
/// `clone(2)` could do both at once, but then the C library of the child would know a wrong thread
/// id: so the namespace is set for the next child, and set back.
fn fork_worker(own: &Own, slot: u32) -> io::Result<Forked> {
    namespace::unshare(namespace::PID)?;
    let forked = process::fork();
    if let Ok(Fork::Child) = forked {
        return Ok(Forked::Worker);
    }
    namespace::children_into(&own.pid_namespace)?;
    let Fork::Parent { child } = forked? else { return Ok(Forked::Worker) };
    SLOTS.put(child, slot);
    let pid = rustix::process::Pid::from_raw(child.as_raw())
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    Ok(Forked::Zygote { pidfd: rustix::process::pidfd_open(pid, PidfdFlags::empty())? })
}

fn report(report: Report, pidfd: Option<&OwnedFd>) -> io::Result<()> {
    let bytes = report.to_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let passed = pidfd.map(|pidfd| [pidfd.as_fd()]);
    if let Some(passed) = &passed {
        ancillary.push(SendAncillaryMessage::ScmRights(passed));
    }
    sendmsg(
        descriptor::borrow(CONTROL),
        &[io::IoSlice::new(&bytes)],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

/// Which worker has which slot: process ids by slot, in memory of its own page.
static SLOTS: Slots = Slots::new();

struct Slots([std::sync::atomic::AtomicI32; Slots::COUNT]);

impl Slots {
    const COUNT: usize = execute_python_sandbox::plan::MAX_WORKERS as usize;

    const fn new() -> Self {
        Self([const { std::sync::atomic::AtomicI32::new(0) }; Slots::COUNT])
    }

    fn put(&self, pid: Pid, slot: u32) {
        if let Some(place) = usize::try_from(slot).ok().and_then(|slot| self.0.get(slot)) {
            place.store(pid.as_raw(), std::sync::atomic::Ordering::Relaxed);
        }
    }

    /// Gives the slot of a process and frees it. One that has none gets a number that is no slot.
    fn take(&self, pid: Pid) -> u32 {
        let order = std::sync::atomic::Ordering::Relaxed;
        let found = self.0.iter().position(|place| place.load(order) == pid.as_raw());
        let Some(slot) = found else { return u32::MAX };
        self.0[slot].store(0, order);
        u32::try_from(slot).unwrap_or(u32::MAX)
    }
}
