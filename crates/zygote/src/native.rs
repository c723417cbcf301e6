//! What the Python half of the runner calls.

use std::io::{self, Write};

use execute_python_sandbox::enter::CONTROL;
use execute_python_sandbox::wire;
use execute_python_sys::descriptor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The module that is handed to the Python half as `native`.
pub(crate) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "native")?;
    module.add_function(wrap_pyfunction!(send, &module)?)?;
    module.add_function(wrap_pyfunction!(flush_c, &module)?)?;
    Ok(module)
}

/// Sends one message to the engine.
#[pyfunction]
fn send(message: &[u8]) -> PyResult<()> {
    let frame = wire::frame(message).ok_or_else(|| PyValueError::new_err("message too long"))?;
    write_all(&frame)?;
    Ok(())
}

/// Writes out what C code has buffered for its standard streams.
#[pyfunction]
fn flush_c() {
    execute_python_sys::process::flush_streams();
}

/// Writes to the control socket until all is written.
pub(crate) fn write_all(bytes: &[u8]) -> io::Result<()> {
    Control.write_all(bytes)
}

/// The control socket of a worker.
pub(crate) struct Control;

impl Write for Control {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(descriptor::borrow(CONTROL), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Read for Control {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(descriptor::borrow(CONTROL), buffer)?)
    }
}
