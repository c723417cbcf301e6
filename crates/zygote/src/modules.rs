//! The Python half of the runner, embedded.

use std::ffi::CString;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The name of the package.
const PACKAGE: &str = "_execute_python";

/// Its modules, each before those that import it.
const MODULES: [(&str, &str); 17] = [
    ("errors", include_str!("../python/errors.py")),
    ("streams", include_str!("../python/streams.py")),
    ("messages", include_str!("../python/messages.py")),
    ("displays", include_str!("../python/displays.py")),
    ("magics", include_str!("../python/magics.py")),
    ("source", include_str!("../python/source.py")),
    ("charts", include_str!("../python/charts.py")),
    ("plotly", include_str!("../python/plotly.py")),
    ("tables", include_str!("../python/tables.py")),
    ("figures", include_str!("../python/figures.py")),
    ("notebook", include_str!("../python/notebook.py")),
    ("fork", include_str!("../python/fork.py")),
    ("warmup", include_str!("../python/warmup.py")),
    ("branch", include_str!("../python/branch.py")),
    ("tools", include_str!("../python/tools.py")),
    ("session", include_str!("../python/session.py")),
    ("cell", include_str!("../python/cell.py")),
];

/// Loads the package and gives the module `cell`.
pub(crate) fn load(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let loaded = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let package = PyModule::new(py, PACKAGE)?;
    package.setattr("__path__", Vec::<String>::new())?;
    loaded.set_item(PACKAGE, &package)?;
    let mut last = package.clone();
    for (name, source) in MODULES {
        let full = CString::new(format!("{PACKAGE}.{name}"))?;
        let file = CString::new(format!("<execute-python>/{name}.py"))?;
        last = PyModule::from_code(py, &CString::new(source)?, &file, &full)?;
        package.setattr(name, &last)?;
    }
    Ok(last)
}
