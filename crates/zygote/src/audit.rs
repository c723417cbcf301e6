//! The sense for what a program is about to do: audit events of the interpreter (PEP 578), of which the
//! few that matter are told to the engine before they happen.
//!
//! It is for good messages only: a program that writes to its memory can blind it. What must not happen
//! is stopped by the kernel, which tells the engine by itself.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};

use execute_python_sandbox::wire;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};
use serde_json::{Value, json};

use crate::native;

/// The most attempts that are told of in a run.
const MOST: u32 = 200;
/// The most frames, items of a list and characters of a text that are told.
const MOST_FRAMES: usize = 20;
const MOST_ITEMS: usize = 20;
const MOST_TEXT: usize = 300;
/// The runner's own files.
const OURS: &str = "<execute-python>";

/// How many attempts may still be told of; zero while no program runs.
static LEFT: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Whether this thread is telling: what it does meanwhile is no attempt.
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

/// An event that matters.
struct Watched {
    name: &'static [u8],
    category: &'static str,
    /// The argument that says most, and what is said of it; without one the call is shown as it is.
    told: Told,
}

#[derive(Clone, Copy)]
enum Told {
    /// `name(argument)`, from this argument on as many as follow.
    Call { first: usize, count: usize },
    /// A host and a port at these places.
    Host(usize),
    /// An address, as a tuple.
    Address(usize),
    /// A web address.
    Url,
    /// A new socket: said only when nothing better is known.
    Socket,
    /// A file that is opened.
    Open,
}

const fn call(name: &'static [u8], first: usize, count: usize) -> Watched {
    Watched { name, category: "process", told: Told::Call { first, count } }
}

const fn network(name: &'static [u8], told: Told) -> Watched {
    Watched { name, category: "network", told }
}

/// The table of audit events in the library reference names them and their arguments.
const WATCHED: [Watched; 22] = [
    Watched { name: b"open", category: "filesystem", told: Told::Open },
    call(b"os.system", 0, 1),
    call(b"os.exec", 0, 2),
    call(b"os.fork", 0, 0),
    call(b"os.forkpty", 0, 0),
    call(b"os.posix_spawn", 0, 2),
    call(b"os.spawn", 1, 2),
    call(b"os.kill", 0, 2),
    call(b"os.killpg", 0, 2),
    call(b"pty.spawn", 0, 1),
    call(b"subprocess.Popen", 1, 1),
    network(b"socket.__new__", Told::Socket),
    network(b"socket.connect", Told::Address(1)),
    network(b"socket.bind", Told::Address(1)),
    network(b"socket.sendto", Told::Address(1)),
    network(b"socket.getaddrinfo", Told::Host(0)),
    network(b"socket.gethostbyname", Told::Host(0)),
    network(b"urllib.Request", Told::Url),
    network(b"http.client.connect", Told::Host(1)),
    network(b"ftplib.connect", Told::Host(1)),
    network(b"smtplib.connect", Told::Host(1)),
    network(b"telnetlib.Telnet.open", Told::Host(1)),
];

/// Begins to listen, once, in a zygote.
pub(crate) fn prepare() -> std::io::Result<()> {
    execute_python_sys::python::add_audit_hook(heard)
}

/// A program begins, or has ended.
pub(crate) fn watch(program_runs: bool) {
    LEFT.store(if program_runs { MOST } else { 0 }, Ordering::Relaxed);
}

fn heard(event: &CStr, arguments: *mut c_void) {
    if LEFT.load(Ordering::Relaxed) == 0 {
        return;
    }
    let name = event.to_bytes();
    // Most events begin otherwise.
    if !matches!(name.first(), Some(b'o' | b's' | b'p' | b'u' | b'h' | b'f' | b't')) {
        return;
    }
    let Some(watched) = WATCHED.iter().find(|watched| watched.name == name) else { return };
    if TELLING.replace(true) {
        return;
    }
    Python::attach(|py| {
        if let Some(arguments) = tuple(py, arguments)
            && let Some((text, weak)) = described(watched, &arguments)
        {
            LEFT.fetch_sub(1, Ordering::Relaxed);
            tell(py, watched, &text, weak);
        }
    });
    TELLING.set(false);
}

#[expect(unsafe_code, reason = "the interpreter hands its hooks a bare pointer")]
fn tuple(py: Python<'_>, arguments: *mut c_void) -> Option<Bound<'_, PyTuple>> {
    // SAFETY: the interpreter calls its hooks with its lock held and a pointer to an object, or null, which
    // outlives the call.
    unsafe { Bound::from_borrowed_ptr_or_opt(py, arguments.cast()) }?.cast_into::<PyTuple>().ok()
}

fn tell(py: Python<'_>, watched: &Watched, text: &str, weak: bool) {
    let message = json!({
        "type": "attempt",
        "category": watched.category,
        "text": text,
        "weak": weak,
        "frames": frames(py).unwrap_or_default(),
    });
    if let Some(frame) = wire::frame(message.to_string().as_bytes()) {
        // The engine may have gone.
        native::write_frame(&frame).ok();
    }
}

/// The program's frames, innermost first.
fn frames(py: Python<'_>) -> PyResult<Vec<Value>> {
    let mut found = Vec::new();
    let mut frame = py.import("sys")?.getattr("_getframe")?.call0()?;
    while !frame.is_none() && found.len() < MOST_FRAMES {
        let code = frame.getattr("f_code")?;
        let file = code.getattr("co_filename")?.extract::<String>()?;
        if file.starts_with(OURS) {
            break;
        }
        let line = frame.getattr("f_lineno")?.extract::<u32>().ok();
        let function = code.getattr("co_name")?.extract::<String>()?;
        found.push(json!({"file": file, "line": line, "function": function}));
        frame = frame.getattr("f_back")?;
    }
    Ok(found)
}

/// What an attempt is in words, and whether anything else says more. `None` for one that is none.
fn described(watched: &Watched, arguments: &Bound<'_, PyTuple>) -> Option<(String, bool)> {
    let at = |index: usize| arguments.get_item(index).ok();
    let text = match watched.told {
        Told::Call { first, count } => {
            let shown: Vec<String> =
                (first..first + count).filter_map(at).map(|item| shown(&item)).collect();
            format!("{}({})", String::from_utf8_lossy(watched.name), shown.join(", "))
        }
        Told::Host(first) => {
            let host = at(first).filter(|host| !host.is_none())?;
            if LOCAL.contains(&&*bare(&host)) {
                return None;
            }
            match at(first + 1).filter(PyAnyMethods::is_instance_of::<PyInt>) {
                Some(port) => format!("connect to {}:{}", bare(&host), bare(&port)),
                None => format!("look up {}", shown(&host)),
            }
        }
        Told::Address(index) => {
            let address = at(index)?.cast_into::<PyTuple>().ok()?;
            let (host, port) = (address.get_item(0).ok()?, address.get_item(1).ok()?);
            format!("connect to {}:{}", bare(&host), bare(&port))
        }
        Told::Url => format!("fetch {}", shown(&at(0)?)),
        Told::Socket => {
            // Only the internet's families; those of this machine are for programs to talk to themselves.
            let family = at(1)?.extract::<i32>().ok()?;
            return matches!(family, 2 | 10).then(|| ("open a network socket".to_owned(), true));
        }
        Told::Open => return opened(&at(0)?, at(1), at(2)).map(|text| (text, false)),
    };
    Some((text, false))
}

/// Names of this machine, which programs look up without meaning any other.
const LOCAL: [&str; 6] = ["", "localhost", "127.0.0.1", "::1", "0.0.0.0", "sandbox"];

/// Places that no program has business with, which do not exist in a sandbox.
const SECRET: [&str; 18] = [
    "/root",
    "/home/",
    "/boot",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/ssh",
    "/run/",
    "/var/run/",
    "/proc/1/",
    "/proc/kcore",
    "/proc/self/environ",
    "/proc/self/mem",
    "/dev/mem",
    "/dev/sd",
    "/dev/vd",
    "/dev/nvme",
    "/var/lib/",
];
const SECRET_PARTS: [&str; 6] = ["/.ssh", "/.aws", "/.kube", "/.gnupg", "/.docker", "id_rsa"];
/// Where a program may write.
const WRITABLE: [&str; 4] = ["/mnt/", "/tmp", "/dev/", "/proc/"];

/// A file that is opened where no program has business, or written outside the work folder.
fn opened(
    path: &Bound<'_, PyAny>,
    mode: Option<Bound<'_, PyAny>>,
    flags: Option<Bound<'_, PyAny>>,
) -> Option<String> {
    let path = path.cast::<PyString>().ok()?.to_cow().ok()?;
    if !path.contains('/') {
        return None;
    }
    let mode = mode.and_then(|mode| mode.extract::<String>().ok());
    let writes = match (&mode, flags.and_then(|flags| flags.extract::<i32>().ok())) {
        (Some(mode), _) => mode.contains(['w', 'a', 'x', '+']),
        (None, Some(flags)) => flags & 3 != 0,
        (None, None) => false,
    };
    let begins = |places: &[&str]| places.iter().any(|place| path.starts_with(place));
    let is_secret = begins(&SECRET) || SECRET_PARTS.iter().any(|part| path.contains(part));
    let is_outside = writes && path.starts_with('/') && !begins(&WRITABLE);
    (is_secret || is_outside)
        .then(|| format!("open {} for {}", cut(&path), if writes { "writing" } else { "reading" }))
}

/// A value as Python would show it, for the plain types; others are named, since their code is the
/// guest's.
fn shown(value: &Bound<'_, PyAny>) -> String {
    if let Ok(list) = value.cast::<PyList>() {
        return format!("[{}]", items(list.iter()));
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return format!("[{}]", items(tuple.iter()));
    }
    if value.is_instance_of::<PyInt>() { bare(value) } else { format!("{:?}", bare(value)) }
}

fn items<'py>(values: impl Iterator<Item = Bound<'py, PyAny>>) -> String {
    let shown: Vec<String> = values.take(MOST_ITEMS).map(|item| shown(&item)).collect();
    shown.join(", ")
}

/// The text of a string, of bytes or of a number; of anything else the name of its class.
fn bare(value: &Bound<'_, PyAny>) -> String {
    if let Ok(text) = value.cast_exact::<PyString>() {
        return cut(&text.to_string_lossy());
    }
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        return cut(&String::from_utf8_lossy(bytes.as_bytes()));
    }
    if value.is_instance_of::<PyInt>() {
        return value
            .extract::<i128>()
            .map_or_else(|_| "a number".into(), |number| number.to_string());
    }
    let mut text = String::from("<");
    match value.get_type().name() {
        Ok(name) => drop(write!(text, "{name}>")),
        Err(_) => text.push_str("object>"),
    }
    text
}

fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(MOST_TEXT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
