//! Which modules a program imports, as far as its lines tell.

use std::collections::BTreeSet;

/// The longest text that is looked at, in bytes.
const LONGEST: usize = 16 << 20;

/// The top-level names of the modules that a program imports with a statement anywhere, such as
/// `numpy` for `from numpy.linalg import inv`.
///
/// The answer only chooses an environment, so it errs on the side of too much: a line of a text
/// literal that reads as an import counts as one. In return no text, however long or deeply nested,
/// can do harm: a parser of recursive descent would overflow its stack on 300,000 minus signs.
pub fn imports(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if source.len() > LONGEST {
        return found;
    }
    let joined = source.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines().filter(|line| line.contains("import")) {
        // `try: import x` and `a = 1; import x` hold a statement each behind the sign.
        for statement in line.split([';', ':']) {
            add(statement.trim_start(), &mut found);
        }
    }
    found
}

/// Adds what one statement imports.
fn add(statement: &str, found: &mut BTreeSet<String>) {
    if let Some(modules) = word_after("import", statement) {
        let modules = modules.split('#').next().unwrap_or(modules);
        found.extend(modules.split(',').filter_map(top));
    } else if let Some(rest) = word_after("from", statement)
        && let Some((module, rest)) = rest.split_once("import")
        && rest.starts_with([' ', '\t', '(', '*'])
    {
        found.extend(top(module));
    }
}

fn word_after<'a>(word: &str, statement: &'a str) -> Option<&'a str> {
    statement.strip_prefix(word).filter(|rest| rest.starts_with([' ', '\t']))
}

/// The first part of `a.b.c as d`, if it is a name.
fn top(module: &str) -> Option<String> {
    let dotted = module.split_whitespace().next()?;
    let name = dotted.split('.').next()?;
    let mut letters = name.chars();
    let first = letters.next()?;
    let is_name = (first == '_' || first.is_alphabetic())
        && letters.all(|letter| letter == '_' || letter.is_alphanumeric());
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        imports(source).into_iter().collect()
    }

    #[test]
    fn imports_are_found_wherever_they_stand() {
        let source = "
import os, numpy.linalg as la, \\
    sqlite3 # and no more, decoy
from pandas.api import types
from . import sibling
from .sibling import brother
from yaml import(load)
def f():
    try: import scipy; import json
    except ImportError:
        pass
x = 'import decoy'
# import decoy
important = 1
from_here = 2
";
        assert_eq!(found(source), ["json", "numpy", "os", "pandas", "scipy", "sqlite3", "yaml"]);
    }

    #[test]
    fn lines_of_notebooks_and_broken_text_do_not_hide_imports() {
        assert_eq!(found("%matplotlib inline\n!pip install x\nimport numpy"), ["numpy"]);
        assert_eq!(found("import json\ndef broken(:\n"), ["json"]);
        assert_eq!(found("\u{0}\u{ffff}import"), Vec::<String>::new());
    }

    #[test]
    fn long_and_nested_text_is_looked_at_in_time_that_grows_with_its_length_alone() {
        for piece in ["-", "(", "import a,", "from a import ", "import\\\n", "import :;"] {
            imports(&piece.repeat(200_000));
        }
    }
}
