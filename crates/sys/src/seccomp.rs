//! System-call filters and the notifications of one.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use crate::descriptor::{check, check_long};

/// One instruction of a filter, laid out as the kernel's `sock_filter`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// The operation.
    pub code: u16,
    /// How many instructions to skip when it is true.
    pub jt: u8,
    /// How many instructions to skip when it is false.
    pub jf: u8,
    /// The operand.
    pub k: u32,
}

const NEW_LISTENER: libc::c_uint = 1 << 3;

/// Installs a filter on the calling thread, which must have set `no_new_privs`.
///
/// A signal interrupts a call that waits for its answer; the kernel then begins it anew and the reader sees
/// it a second time (`seccomp_unotify(2)`). The engine uses that to ask a thread where it is.
///
/// With `listener` the calls that the filter hands over wait for the reader of the descriptor that
/// is returned.
pub fn install(program: &[Instruction], listener: Listener) -> io::Result<Option<OwnedFd>> {
    let len = u16::try_from(program.len()).map_err(io::Error::other)?;
    let filter = libc::sock_fprog { len, filter: program.as_ptr().cast_mut().cast() };
    let set = |flags: libc::c_uint| {
        // SAFETY: `filter` points to `len` instructions of the kernel's layout, which it only
        // reads.
        check_long(unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const filter,
            )
        })
    };
    match listener {
        Listener::None => set(0).map(|_| None),
        Listener::New => {
            let number = set(NEW_LISTENER)?;
            let number = i32::try_from(number).map_err(io::Error::other)?;
            crate::descriptor::inherit(number).map(Some)
        }
    }
}

/// Whether a filter gets a descriptor for the calls that it hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// No; such calls then fail with `ENOSYS`.
    None,
    /// Yes.
    New,
}

/// A system call that waits for an answer. All of it is what the kernel saw in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notification {
    /// The number to answer with.
    pub id: u64,
    /// The thread, as the reader's pid namespace numbers it.
    pub pid: u32,
    /// The number of the system call.
    pub number: i32,
    /// Its arguments; some may be addresses, which are never to be followed for a decision.
    pub arguments: [u64; 6],
}

#[repr(C)]
#[derive(Default)]
struct RawNotification {
    id: u64,
    pid: u32,
    flags: u32,
    nr: i32,
    arch: u32,
    instruction_pointer: u64,
    args: [u64; 6],
}

#[repr(C)]
struct RawAnswer {
    id: u64,
    val: i64,
    error: i32,
    flags: u32,
}

const fn ioctl_number(direction: u64, size: usize, number: u64) -> u64 {
    (direction << 30) | ((size as u64) << 16) | ((b'!' as u64) << 8) | number
}
const RECEIVE: u64 = ioctl_number(3, size_of::<RawNotification>(), 0);
const SEND: u64 = ioctl_number(3, size_of::<RawAnswer>(), 1);
const ID_VALID: u64 = ioctl_number(1, size_of::<u64>(), 2);

/// Takes the next notification. Blocks while there is none, so poll the descriptor first.
///
/// # Errors
/// `ENOENT` when the process died in between, which is ordinary.
pub fn receive(listener: impl AsFd) -> io::Result<Notification> {
    let mut raw = RawNotification::default();
    // SAFETY: the kernel writes one notification of exactly this size, which is part of the request
    // number, into a zeroed local.
    check(unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), RECEIVE, &raw mut raw) })?;
    Ok(Notification { id: raw.id, pid: raw.pid, number: raw.nr, arguments: raw.args })
}

/// Answers a notification: the call fails with this error number.
///
/// # Errors
/// `ENOENT` when the process died in between, which is ordinary; `EINVAL` for the number 0, which
/// would tell the program that the call succeeded.
pub fn refuse(listener: impl AsFd, id: u64, errno: i32) -> io::Result<()> {
    if errno <= 0 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    send(listener, &RawAnswer { id, val: 0, error: -errno, flags: 0 })
}

/// Answers a notification: the call happens as if there were no filter.
///
/// The kernel then takes the arguments from the registers as they were, but what pointers among them
/// point to can have changed: so this is only for calls without pointers that matter
/// (`seccomp_unotify(2)`, `SECCOMP_USER_NOTIF_FLAG_CONTINUE`).
///
/// # Errors
/// `ENOENT` when the process died in between, which is ordinary.
pub fn allow(listener: impl AsFd, id: u64) -> io::Result<()> {
    const CONTINUE: u32 = 1;
    send(listener, &RawAnswer { id, val: 0, error: 0, flags: CONTINUE })
}

/// Answers a notification: the call does not happen and gives this value.
///
/// # Errors
/// `ENOENT` when the process died in between, which is ordinary.
pub fn answer(listener: impl AsFd, id: u64, value: u32) -> io::Result<()> {
    send(listener, &RawAnswer { id, val: value.into(), error: 0, flags: 0 })
}

fn send(listener: impl AsFd, answer: &RawAnswer) -> io::Result<()> {
    let answer = std::ptr::from_ref(answer);
    // SAFETY: the kernel reads one answer of exactly this size, which outlives the call.
    check(unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), SEND, answer) })?;
    Ok(())
}

/// Puts a copy of a descriptor at a number of the process whose call waits, over whatever is there.
///
/// # Errors
/// `ENOENT` when the process died in between; `EMFILE` for a number beyond its limit of open files.
pub fn add_descriptor(
    listener: impl AsFd,
    id: u64,
    descriptor: impl AsFd,
    number: u32,
) -> io::Result<()> {
    const ADD: u64 = ioctl_number(1, size_of::<RawDescriptor>(), 3);
    const AT_NUMBER: u32 = 1;
    let source = u32::try_from(descriptor.as_fd().as_raw_fd()).map_err(io::Error::other)?;
    let raw = RawDescriptor { id, flags: AT_NUMBER, source, number, number_flags: 0 };
    // SAFETY: the kernel reads one structure of exactly this size from a local.
    check(unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), ADD, &raw const raw) })?;
    Ok(())
}

/// Laid out as the kernel's `seccomp_notif_addfd`.
#[repr(C)]
struct RawDescriptor {
    id: u64,
    flags: u32,
    source: u32,
    number: u32,
    number_flags: u32,
}

/// The first argument of the call that [`hold`] makes: no operation of `seccomp(2)`.
pub const HOLD: u32 = 0x686f_6c64;

/// Waits, as a process under a filter, until the reader of its listener answers; gives the answer.
///
/// It is a `seccomp(2)` call with an operation that the kernel does not know, which the filter hands over.
/// While it waits nothing of the process runs, not even a signal handler.
///
/// # Errors
/// What the reader answers instead; `EINVAL` where there is no filter.
pub fn hold() -> io::Result<u32> {
    let none = std::ptr::null::<u8>();
    // SAFETY: the kernel does not look at the pointer for an operation that it does not know.
    let answer = check_long(unsafe { libc::syscall(libc::SYS_seccomp, HOLD, 0, none) })?;
    u32::try_from(answer).map_err(io::Error::other)
}

/// Whether the call still waits: what was read of the process after the notification is about it
/// only if this holds.
pub fn still_waits(listener: impl AsFd, id: u64) -> bool {
    // SAFETY: the kernel reads one 64-bit number from a local.
    unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), ID_VALID, &raw const id) != -1 }
}

/// The version of Landlock that the kernel speaks, if it does (`landlock_create_ruleset(2)` with the
/// flag for it).
pub fn landlock_version() -> Option<u32> {
    const VERSION: libc::c_uint = 1;
    let none = std::ptr::null::<u8>();
    // SAFETY: with this flag the pointer must be null and the size zero, as here.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, VERSION) };
    u32::try_from(answer).ok().filter(|version| *version > 0)
}
