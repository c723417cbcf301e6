//! Making a process, leaving one, waiting for one, and the clock of one.

use std::io;
use std::time::Duration;

use crate::descriptor::{check, check_long};

/// A process id, as the caller's pid namespace numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pid(libc::pid_t);

impl Pid {
    /// The number.
    pub fn as_raw(self) -> i32 {
        self.0
    }

    /// The process with this number, if it can be one.
    pub fn from_raw(number: i32) -> Option<Pid> {
        (number > 0).then_some(Pid(number))
    }
}

/// The two sides of a fork.
#[derive(Debug)]
pub enum Fork {
    /// The new process.
    Child,
    /// The process that forked.
    Parent {
        /// The new process.
        child: Pid,
    },
}

/// Forks the calling process, which must have no thread but the caller's.
///
/// # Errors
/// `EINVAL` when the process has another thread; else what the kernel says.
pub fn fork() -> io::Result<Fork> {
    only_thread()?;
    // SAFETY: `fork` takes no pointers. Its danger is a lock that another thread holds and that the
    // child gets locked for ever; this is the only thread, as just established, and it cannot have
    // started another in between.
    let pid = check(unsafe { libc::fork() })?;
    Ok(if pid == 0 { Fork::Child } else { Fork::Parent { child: Pid(pid) } })
}

/// The flags with which the C library's `fork` calls `clone(2)`, the signal included.
pub const FORK_FLAGS: u64 =
    (libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID | libc::SIGCHLD).unsigned_abs() as u64;

/// Forks the calling process under a filter whose supervisor lets the call through only when the process
/// has no other thread: a process under such a filter cannot find that out by itself.
///
/// # Errors
/// What the supervisor answers instead.
pub fn fork_with_leave() -> io::Result<Fork> {
    // SAFETY: `fork` takes no pointers. Its danger is a lock that another thread holds and that the
    // child gets locked for ever; with another thread there is no child, as the supervisor refuses.
    let pid = check(unsafe { libc::fork() })?;
    Ok(if pid == 0 { Fork::Child } else { Fork::Parent { child: Pid(pid) } })
}

/// Succeeds when the calling thread is the only one of its process.
///
/// `unshare(2)`: "`CLONE_THREAD` can be specified if the caller is single threaded"; it then does
/// nothing. Unlike counting in `/proc` this needs no mount.
fn only_thread() -> io::Result<()> {
    // SAFETY: `unshare` takes no pointers, and this flag changes nothing.
    check(unsafe { libc::unshare(libc::CLONE_THREAD) })?;
    Ok(())
}

/// Clones the calling process into new namespaces, given as `CLONE_NEW…` flags.
///
/// The thread id that the C library caches is stale in the child, so the child may only make
/// system calls and must then execute a program or leave.
///
/// # Errors
/// `EINVAL` when the process has another thread; else what the kernel says.
pub fn clone_into(namespaces: u64) -> io::Result<Fork> {
    only_thread()?;
    let args = CloneArgs {
        flags: namespaces,
        exit_signal: libc::SIGCHLD.unsigned_abs().into(),
        ..CloneArgs::default()
    };
    // SAFETY: `args` outlives the call and its size is passed with it. Without CLONE_VM the child
    // gets a copy of this memory, so nothing is shared; there is no other thread whose locks could
    // be copied.
    let pid = check_long(unsafe {
        libc::syscall(libc::SYS_clone3, &raw const args, size_of::<CloneArgs>())
    })?;
    match i32::try_from(pid).map_err(io::Error::other)? {
        0 => Ok(Fork::Child),
        pid => Ok(Fork::Parent { child: Pid(pid) }),
    }
}

/// What `clone3(2)` takes.
#[repr(C, align(8))]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// Leaves the process at once: no destructors, no exit handlers, no flushing.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` takes an integer and does not return.
    unsafe { libc::_exit(code) }
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Which one.
    pub pid: Pid,
    /// The status word of `wait(2)`.
    pub status: i32,
    /// User and system time of the child and of what it waited for.
    pub cpu_time: Duration,
}

/// Waits for a child that has ended; `None` when there are children but none has ended.
///
/// # Errors
/// `ECHILD` when there is no child.
pub fn reap() -> io::Result<Option<Exit>> {
    wait(-1, libc::WNOHANG)
}

/// As [`reap`], with options that no program has a use for, so that a filter can tell it from theirs: the
/// first argument of `wait4(2)` is −1 and the third `__WALL | WNOHANG`.
pub fn reap_by_filter() -> io::Result<Option<Exit>> {
    wait(-1, libc::__WALL | libc::WNOHANG)
}

/// Has the kernel forget the children of this process as they end, so that nobody must wait for them.
pub fn forget_children() -> io::Result<()> {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: all zero bytes are a valid `sigaction`: the default handler, an empty mask, no flags.
    let action = unsafe { action.assume_init_mut() };
    action.sa_flags = libc::SA_NOCLDWAIT;
    // SAFETY: `action` is a valid local; no old action is asked for.
    check(unsafe { libc::sigaction(libc::SIGCHLD, &raw const *action, std::ptr::null_mut()) })?;
    Ok(())
}

/// Blocks every signal that can be blocked, or none.
pub fn block_signals(blocked: bool) -> io::Result<()> {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    if blocked {
        // SAFETY: the pointer is to a local set, which the call initialises.
        unsafe { libc::sigfillset(set.as_mut_ptr()) };
    } else {
        // SAFETY: the pointer is to a local set, which the call initialises.
        unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    }
    // SAFETY: initialised by either call.
    let set = unsafe { set.assume_init() };
    mask(libc::SIG_SETMASK, &set)
}

/// Waits until this child has ended.
pub fn wait_for(child: Pid) -> io::Result<Exit> {
    loop {
        match wait(child.0, 0) {
            Ok(Some(exit)) => return Ok(exit),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn wait(which: libc::pid_t, options: libc::c_int) -> io::Result<Option<Exit>> {
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to locals that outlive the call and have the types it writes.
    let pid = check(unsafe { libc::wait4(which, &raw mut status, options, usage.as_mut_ptr()) })?;
    if pid == 0 {
        return Ok(None);
    }
    // SAFETY: all zero bytes are a valid `rusage`, and the kernel has filled it.
    let usage = unsafe { usage.assume_init() };
    let cpu_time = duration(usage.ru_utime) + duration(usage.ru_stime);
    Ok(Some(Exit { pid: Pid(pid), status, cpu_time }))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// The processor time that all threads of a process have used, also of one that is not a child.
///
/// The clock of a process is `(~pid << 3) | 2` (`CPUCLOCK_SCHED`, see `clock_getcpuclockid(3)`).
///
/// # Errors
/// `EINVAL` when there is no such process.
pub fn cpu_time(process: Pid) -> io::Result<Duration> {
    let clock = (!process.0 << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local of the type that the call writes.
    check(unsafe { libc::clock_gettime(clock, &raw mut time) })?;
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    Ok(Duration::from_secs(seconds) + Duration::from_nanos(nanos))
}

/// Blocks `SIGCHLD` and gives a descriptor that is readable when a child has ended.
pub fn child_signals() -> io::Result<std::os::fd::OwnedFd> {
    let set = signal_set(libc::SIGCHLD);
    mask(libc::SIG_BLOCK, &set)?;
    // SAFETY: `set` is an initialised signal set; −1 asks for a new descriptor.
    let number = check(unsafe {
        libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    })?;
    crate::descriptor::inherit(number)
}

/// Lets `SIGCHLD` through again, in a child of a process that called [`child_signals`].
pub fn unblock_child_signals() -> io::Result<()> {
    mask(libc::SIG_UNBLOCK, &signal_set(libc::SIGCHLD))
}

fn signal_set(signal: libc::c_int) -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: the pointer is to a local set, which the call initialises.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: the set is initialised; the call fails only for numbers that are no signal.
    unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
    // SAFETY: initialised by `sigemptyset`.
    unsafe { set.assume_init() }
}

fn mask(how: libc::c_int, set: &libc::sigset_t) -> io::Result<()> {
    // SAFETY: `set` is an initialised set; no old mask is asked for.
    check(unsafe { libc::sigprocmask(how, set, std::ptr::null_mut()) })?;
    Ok(())
}

/// Asks for `SIGKILL` when the thread that made this process ends.
///
/// A change of user id takes it back (`prctl(2)`), so this comes after that.
pub fn die_with_parent() -> io::Result<()> {
    // SAFETY: `prctl` with this option takes an integer.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    Ok(())
}

/// Executes a program by path with exactly these arguments and environment; returns only an error.
pub fn execute(
    path: &std::ffi::CStr,
    arguments: &[std::ffi::CString],
    environment: &[std::ffi::CString],
) -> io::Error {
    let pointers = |strings: &[std::ffi::CString]| {
        strings.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: both arrays end with a null pointer and point to strings that outlive the call.
    unsafe { libc::execve(path.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Writes out what the C library has buffered for all its open streams.
pub fn flush_streams() {
    // SAFETY: a null pointer means all streams; each is locked by the call itself.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Sends a signal by number, real-time ones included, to the process of a pidfd.
pub fn signal(pidfd: impl std::os::fd::AsFd, number: i32) -> io::Result<()> {
    let pidfd = std::os::fd::AsRawFd::as_raw_fd(&pidfd.as_fd());
    let none = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: a null pointer asks the kernel to fill in the information itself; the descriptor is
    // open.
    check_long(unsafe { libc::syscall(libc::SYS_pidfd_send_signal, pidfd, number, none, 0) })?;
    Ok(())
}

/// Sends a signal by number to one thread of a process.
pub fn signal_thread(process: Pid, thread: Pid, number: i32) -> io::Result<()> {
    // SAFETY: the call takes integers.
    check_long(unsafe { libc::syscall(libc::SYS_tgkill, process.0, thread.0, number) })?;
    Ok(())
}

/// Has libraries end the threads that they start anew after a fork, as OpenBLAS does: their handlers
/// for a fork (`pthread_atfork(3)`) run here.
///
/// # Errors
/// `EINVAL` when a thread is left.
pub fn end_library_threads() -> io::Result<()> {
    // SAFETY: `fork` takes no pointers. The child of a process with threads may only do what a
    // signal handler may; this one leaves at once.
    match check(unsafe { libc::fork() })? {
        0 => exit_now(0),
        child => wait_for(Pid(child))?,
    };
    only_thread()
}

/// The user and group whose files the calling thread makes; given back on drop.
///
/// A file system that was mounted in a user namespace takes new files only from ids that are mapped
/// there, and the host's root is not.
#[derive(Debug)]
pub struct FileOwner {
    user: libc::uid_t,
    group: libc::gid_t,
    /// The setting is of one thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl FileOwner {
    /// Makes files of this user and group from here on. The caller's own rights over files are gone
    /// as long as it lives.
    ///
    /// # Errors
    /// `EPERM` when the caller may not.
    pub fn become_this(user: u32, group: u32) -> io::Result<FileOwner> {
        let before = (set_file_user(user), set_file_group(group));
        let owner =
            FileOwner { user: before.0, group: before.1, _thread: std::marker::PhantomData };
        // `setfsuid(2)` reports no error; asking for an impossible id changes nothing and tells.
        if (set_file_user(u32::MAX), set_file_group(u32::MAX)) == (user, group) {
            Ok(owner)
        } else {
            Err(io::Error::from(io::ErrorKind::PermissionDenied))
        }
    }
}

impl Drop for FileOwner {
    fn drop(&mut self) {
        // The group first: once the user is root again nothing more is needed, and before it
        // the group may be changed because the capability for it stays.
        set_file_group(self.group);
        set_file_user(self.user);
    }
}

fn set_file_user(user: u32) -> u32 {
    // SAFETY: the system call takes an integer and concerns this thread alone; libc's wrapper does
    // the same.
    unsafe { libc::setfsuid(user) }.cast_unsigned()
}

fn set_file_group(group: u32) -> u32 {
    // SAFETY: as for the user.
    unsafe { libc::setfsgid(group) }.cast_unsigned()
}
