//! The extension inside CPython: warms an interpreter up, forks it, encloses each fork, and runs
//! cells in it.
//!
//! It is loaded by an interpreter that already stands in the outer sandbox. `serve` loads the
//! Python half of the runner (the folder `python`), imports what is to be preloaded and then only
//! ever forks. A fork becomes a worker: see `worker`.

mod audit;
mod frozen;
mod keeper;
mod modules;
mod native;
mod serve;
mod worker;

use pyo3::prelude::*;

/// The module `_zygote`.
#[pymodule(name = "_zygote")]
mod module {
    #[pymodule_export]
    use super::serve_engine;
}

/// Warms the interpreter up and serves the engine until it goes away.
///
/// `preload` names the modules to import; `freeze` says whether memory is frozen, which costs some
/// milliseconds once and makes every fork cheap.
#[pyfunction(name = "serve")]
fn serve_engine(py: Python<'_>, preload: Vec<String>, freeze: bool) -> PyResult<()> {
    let cell = modules::load(py)?;
    let native = native::module(py)?;
    cell.call_method1("prepare", (native, preload))?;
    serve::serve(&cell, freeze)
}
