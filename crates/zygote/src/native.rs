//! What the Python half of the runner calls.

use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};

use execute_python_sandbox::enter::{COMMANDS, MESSAGES};
use execute_python_sandbox::outer::PROC_SELF;
use execute_python_sandbox::wire::{self, LENGTH_BYTES, LONGEST_FRAME, MARK_BYTES};
use execute_python_sys::descriptor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};

/// The module that is handed to the Python half as `native`.
pub(crate) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "native")?;
    module.add_function(wrap_pyfunction!(send, &module)?)?;
    module.add_function(wrap_pyfunction!(receive, &module)?)?;
    module.add_function(wrap_pyfunction!(watch, &module)?)?;
    module.add_function(wrap_pyfunction!(flush_c, &module)?)?;
    module.add_function(wrap_pyfunction!(show_maps, &module)?)?;
    Ok(module)
}

/// Sends one message to the engine.
#[pyfunction]
fn send(message: &[u8]) -> PyResult<()> {
    let frame = wire::frame(message).ok_or_else(|| PyValueError::new_err("message too long"))?;
    write_frame(&frame)?;
    Ok(())
}

/// Says that a program begins, or has ended: only what a program does is told of.
#[pyfunction]
fn watch(program_runs: bool) {
    crate::audit::watch(program_runs);
}

/// Waits for the next frame of the engine; one that is empty says that a message was taken. A signal
/// handler that raises ends the wait.
#[pyfunction]
fn receive(py: Python<'_>) -> PyResult<Vec<u8>> {
    let commands = descriptor::borrow(COMMANDS);
    loop {
        let mut waits = [PollFd::new(&commands, PollFlags::IN)];
        match py.detach(|| poll(&mut waits, None)) {
            Ok(_) => return Ok(py.detach(read_frame)?),
            Err(rustix::io::Errno::INTR) => py.check_signals()?,
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
}

/// Lays the list of the zygote's mappings where libraries look for it, as there is no `/proc`.
///
/// libffi makes the code of a callback in memory that is both written and executed, which no guest
/// has, unless it finds the page of code that it keeps for this in its own file, by this list.
#[pyfunction]
fn show_maps() -> PyResult<()> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let maps = rustix::fs::openat(descriptor::borrow(PROC_SELF), "maps", flags, Mode::empty());
    let text = io::read_to_string(std::fs::File::from(maps.map_err(io::Error::from)?))?;
    std::fs::create_dir_all(MAPS_FOLDER)?;
    std::fs::write(format!("{MAPS_FOLDER}/maps"), text)?;
    Ok(())
}

/// Where `/proc/self` of the root file system leads.
const MAPS_FOLDER: &str = "/mnt/self";

/// Writes out what C code has buffered for its standard streams.
#[pyfunction]
fn flush_c() {
    execute_python_sys::process::flush_streams();
}

/// What this worker's frames begin with; the engine says it before there is a guest.
static MARK: Mutex<Option<[u8; MARK_BYTES]>> = Mutex::new(None);

/// Takes the first frame of an engine's pipe, which is the mark. One that is none leaves the engine deaf.
pub(crate) fn set_mark(frame: &[u8]) {
    if let Ok(mark) = frame.try_into() {
        *MARK.lock().unwrap_or_else(PoisonError::into_inner) = Some(mark);
    }
}

/// Reads the next frame of the engine.
pub(crate) fn read_frame() -> io::Result<Vec<u8>> {
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

/// Writes a frame with the mark before it, all of it.
pub(crate) fn write_frame(frame: &[u8]) -> io::Result<()> {
    let mark = *MARK.lock().unwrap_or_else(PoisonError::into_inner);
    let mark = mark.as_ref().map_or(&[][..], <[u8; MARK_BYTES]>::as_slice);
    // In one write, so that frames of two threads do not mix as long as they are short.
    Pipes.write_all(&[mark, frame].concat())
}

/// The two pipes between a worker and the engine.
pub(crate) struct Pipes;

impl Write for Pipes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(descriptor::borrow(MESSAGES), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Read for Pipes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(descriptor::borrow(COMMANDS), buffer)?)
    }
}
