//! A worker's life: enclose itself, get warm, wait for cells and run them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use execute_python_sandbox::enter::MOUNT;
use execute_python_sandbox::plan::Plan;
use execute_python_sandbox::wire::{self, Cell, Command};
use execute_python_sandbox::{Descriptors, Enclosed, EnterError, enter};
use execute_python_sys::seccomp::Instruction;
use execute_python_sys::{descriptor, process};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{frozen, keeper, native};

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
    native::set_mark(&native::read_frame()?);
    drop(listener);
    drop(descriptor::inherit(MOUNT)?);
    loop {
        let bytes = native::read_frame()?;
        if !bytes.is_empty() {
            let command = Command::from_bytes(&bytes)
                .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
            obey(cell, command)?;
        }
    }
}

fn obey(cell: &Bound<'_, PyModule>, command: Command<'_>) -> Result<(), LifeError> {
    match command {
        Command::Run(program) => {
            cell.call_method1("run", (fields(cell, program)?,))?;
        }
        Command::RunOn(program) => {
            cell.call_method1("run_on", (fields(cell, program)?,))?;
        }
        Command::Ask(question) => {
            cell.call_method1("ask", (question,))?;
        }
        Command::Equip(offer) => {
            cell.call_method1("equip", (offer,))?;
        }
        Command::Freeze => frozen::freeze(cell)?,
        Command::Reap => keeper::reap()?,
        Command::Bear => {
            if let keeper::Side::Born = keeper::bear()? {
                cell.call_method0("after_birth")?;
            }
        }
    }
    Ok(())
}

fn fields<'py>(cell: &Bound<'py, PyModule>, program: Cell<'_>) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(cell.py());
    fields.set_item("code", program.code)?;
    fields.set_item("name", program.name)?;
    fields.set_item("stdin", program.stdin)?;
    Ok(fields)
}
