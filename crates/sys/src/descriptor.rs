//! Descriptors by number: at the two ends of an exec, and for the places that a worker's are put.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Takes ownership of an inherited descriptor by its number.
///
/// # Errors
/// When no descriptor with this number is open, and for the standard streams 0 to 2, which std
/// already owns.
pub fn inherit(number: RawFd) -> io::Result<OwnedFd> {
    if number <= 2 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // SAFETY: `fcntl` with F_GETFD takes no pointer; a bad number gives an error.
    check(unsafe { libc::fcntl(number, libc::F_GETFD) })?;
    // SAFETY: the number is open, as just checked. The danger is a second owner that closes it as
    // well; callers take the numbers that the program that executed this one says it passes, once.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Puts a descriptor at a number, over whatever is there, without close-on-exec.
///
/// The caller gives away its descriptor; the new one has no owner in Rust and stays open.
pub fn place(descriptor: OwnedFd, number: RawFd) -> io::Result<()> {
    if descriptor.as_raw_fd() == number {
        let kept = std::os::fd::IntoRawFd::into_raw_fd(descriptor);
        // SAFETY: `fcntl` with F_SETFD takes an integer; the number is open.
        check(unsafe { libc::fcntl(kept, libc::F_SETFD, 0) })?;
        return Ok(());
    }
    // SAFETY: `dup2` takes no pointers. Its danger is closing a number that something else in this
    // process owns: it is called only in a process that is about to exec or to become a worker,
    // where the low numbers belong to the plan.
    check(unsafe { libc::dup2(descriptor.as_raw_fd(), number) })?;
    Ok(())
}

/// Closes every descriptor from `first` on.
pub fn close_from(first: RawFd) -> io::Result<()> {
    let first = libc::c_uint::try_from(first).map_err(io::Error::other)?;
    // SAFETY: `close_range(2)` takes no pointers. Its danger is an `OwnedFd` that is dropped later
    // and closes a number that is in use again; a worker calls this once, when every descriptor
    // that it still uses has a number below `first`, and opens no other through a stale owner.
    check(unsafe { libc::close_range(first, libc::c_uint::MAX, 0) })?;
    Ok(())
}

/// Turns the −1 of a system call into the error it stands for.
pub(crate) fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer == -1 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// Turns the −1 of `syscall` into the error it stands for.
pub(crate) fn check_long(answer: libc::c_long) -> io::Result<libc::c_long> {
    if answer == -1 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// A descriptor that this process has at a fixed number for as long as it lives. Using it when
/// nothing is open there gives `EBADF`.
pub fn borrow(number: RawFd) -> BorrowedFd<'static> {
    // SAFETY: the number is not −1, which is all the type's layout asks; whether something is open
    // there is checked by the kernel at each use. Guest code may have put something else there: then
    // the guest talks to itself.
    unsafe { BorrowedFd::borrow_raw(number.max(0)) }
}
