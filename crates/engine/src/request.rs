//! Whether code can be run at all, and in which environment.

use std::collections::BTreeSet;

use crate::environment::Definition;
use crate::error::Error;

/// The longest source text, in bytes.
const LONGEST_CODE: usize = 10 << 20;
/// The longest file name that tracebacks show, in bytes.
const LONGEST_NAME: usize = 255;

/// Refuses code that no interpreter could be given; `name` is the file name that tracebacks show.
///
/// # Errors
/// When the code is empty, longer than 10 MiB or has a null byte, or the name is no file name.
pub fn check_code(code: &str, name: &str) -> Result<(), Error> {
    if code.len() > LONGEST_CODE {
        return Err(Error::Code(format!(
            "is {} MiB long, more than the {} MiB that are taken; put data into an input file",
            code.len() >> 20,
            LONGEST_CODE >> 20
        )));
    }
    if let Some(at) = code.find('\0') {
        let line = code[..at].matches('\n').count() + 1;
        return Err(Error::Code(format!(
            "has a null byte in line {line}, which Python does not take; remove it"
        )));
    }
    if code.trim().is_empty() {
        return Err(Error::Code("is empty; there is nothing to run".into()));
    }
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains(char::is_control) {
        return Err(Error::Code("has a name that is no file name".into()));
    }
    Ok(())
}

/// The environment for code that asks for none: `base`, unless it imports something that another
/// one provides. Of several that do, the one that provides most, and of these the first.
pub(crate) fn choose<'a>(
    definitions: &'a [Definition],
    imports: &BTreeSet<String>,
) -> Option<&'a Definition> {
    let provided = |definition: &Definition| {
        definition.provides.iter().filter(|name| imports.contains(*name)).count()
    };
    let most = definitions.iter().map(provided).max()?;
    definitions.iter().find(|definition| provided(definition) == most)
}
