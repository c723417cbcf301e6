//! What the interpreter that this library is loaded into offers beyond its stable interface.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::sync::OnceLock;

/// Is told of an audit event: its name, and the tuple of its arguments as the interpreter's object.
pub type Hook = fn(&CStr, *mut c_void);

type RawHook = extern "C" fn(*const c_char, *mut c_void, *mut c_void) -> c_int;
type AddHook = unsafe extern "C" fn(RawHook, *mut c_void) -> c_int;

static HOOK: OnceLock<Hook> = OnceLock::new();

/// Adds an audit hook (PEP 578) that no Python code can see or remove. The hook is called with the
/// interpreter's lock held, and stays for good; only the first one counts.
///
/// # Errors
/// `NotFound` in a process that is no interpreter.
pub fn add_audit_hook(hook: Hook) -> io::Result<()> {
    HOOK.get_or_init(|| hook);
    // SAFETY: the name is a C string; the handle stands for all that is loaded.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"PySys_AddAuditHook".as_ptr()) };
    if symbol.is_null() {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    // SAFETY: since Python 3.8 the symbol is a function of this type ("PySys_AddAuditHook" of the manual).
    let add = unsafe { std::mem::transmute::<*mut c_void, AddHook>(symbol) };
    // SAFETY: the hook is a function that stays, and it takes no data.
    match unsafe { add(heard, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::other("an audit hook refused another one")),
    }
}

extern "C" fn heard(event: *const c_char, arguments: *mut c_void, _data: *mut c_void) -> c_int {
    if let Some(hook) = HOOK.get() {
        // SAFETY: the interpreter passes the name of the event as a C string that outlives the call.
        hook(unsafe { CStr::from_ptr(event) }, arguments);
    }
    0
}
