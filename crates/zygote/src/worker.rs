//! A worker's life: enclose itself, get warm, wait for cells and run them.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};

use execute_python_sandbox::enter::MOUNT;
use execute_python_sandbox::plan::Plan;
use execute_python_sandbox::wire::{self, Cell, LENGTH_BYTES, LONGEST_FRAME};
use execute_python_sandbox::{Descriptors, Enclosed, EnterError, enter};
use execute_python_sys::seccomp::Instruction;
use execute_python_sys::{descriptor, process};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::native::{self, Pipes};

/// The exit code of a worker that could not be enclosed or lost the engine.
const FAILED: i32 = 125;

/// Why a worker ends without having been told to.
#[derive(Debug, thiserror::Error)]
enum LifeError {
    #[error("the order came without its descriptors")]
    Order,
    #[error(transparent)]
    Enter(#[from] EnterError),
    #[error(transparent)]
    Python(#[from] PyErr),
    #[error("the engine has gone")]
    Engine(#[from] io::Error),
}

/// Encloses this process and runs what the engine sends; never returns.
pub(crate) fn live(
    cell: &Bound<'_, PyModule>,
    plan: &Plan,
    descriptors: Option<Descriptors>,
    filter: &[Instruction],
) -> ! {
    let ended = begin(plan, descriptors, filter)
        .and_then(|(enclosed, listener)| serve(cell, plan, &enclosed, listener));
    if let Err(error) = ended {
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        // The engine reads it as the reason why this worker is not to be had.
        rustix::io::write(descriptor::borrow(2), text.as_bytes()).ok();
    }
    process::exit_now(FAILED)
}

fn begin(
    plan: &Plan,
    descriptors: Option<Descriptors>,
    filter: &[Instruction],
) -> Result<(Enclosed, Option<OwnedFd>), LifeError> {
    process::unblock_child_signals()?;
    let descriptors = descriptors.ok_or(LifeError::Order)?;
    Ok(enter(plan, descriptors, filter)?)
}

/// Gets warm, gives the engine the listener of the filter, then runs cells until the engine goes.
fn serve(
    cell: &Bound<'_, PyModule>,
    plan: &Plan,
    _enclosed: &Enclosed,
    listener: Option<OwnedFd>,
) -> Result<(), LifeError> {
    let number = listener.as_ref().map_or(-1, AsRawFd::as_raw_fd);
    cell.call_method0("after_fork")?;
    if plan.warm {
        cell.call_method0("warm")?;
    }
    let ready = wire::frame(number.to_string().as_bytes()).unwrap_or_default();
    native::write_frame(&ready)?;
    // The first frame says that the engine has copies of its own of the mount and of the listener. The
    // guest must not have them: with the listener it could let its own calls through.
    native::set_mark(&read_frame()?);
    drop(listener);
    drop(descriptor::inherit(MOUNT)?);
    loop {
        let bytes = read_frame()?;
        let Some(request) = Cell::from_bytes(&bytes) else {
            return Err(LifeError::Engine(io::Error::from(io::ErrorKind::InvalidData)));
        };
        let fields = PyDict::new(cell.py());
        fields.set_item("code", request.code)?;
        fields.set_item("name", request.name)?;
        fields.set_item("stdin", request.stdin)?;
        drop(bytes);
        cell.call_method1("run", (fields,))?;
    }
}

fn read_frame() -> io::Result<Vec<u8>> {
    let mut length = [0; LENGTH_BYTES];
    Pipes.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
    if length > LONGEST_FRAME {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    let mut content = vec![0; length];
    Pipes.read_exact(&mut content)?;
    Ok(content)
}
