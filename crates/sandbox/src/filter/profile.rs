//! The profile as a person writes it, line by line.
//!
//! ```text
//! allow  NAME …  [if TEST and …]  -- REASON
//! errno  ENAME  NAME …  [if …]    -- REASON
//! notify CATEGORY  NAME …  [if …] -- REASON
//! ```
//!
//! A test is `aN`, or `aN:32` for an argument that the kernel cuts to its low half, optionally
//! `& MASK`, then `==` or `!=` and values parted by commas: one of them, or none of them. Of several
//! lines about one call the first that fits counts; a call that no line fits fails with `EPERM`.
//!
//! What would mean something else than it seems to is refused: a test that is left empty, one that
//! looks at no bit, a value that its mask cuts, and a line that an earlier one leaves nothing to.

use std::collections::BTreeMap;

use execute_python_protocol::Category;

use super::{Arch, table};

/// What is done about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The kernel carries it out.
    Allow,
    /// It fails with this error number, which is never 0.
    Errno(u16),
    /// It waits for the engine's answer.
    Notify(Category),
}

/// One line about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What is done.
    pub action: Action,
    /// All of these must hold.
    pub conditions: Vec<Condition>,
}

/// A test of one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Which argument, from 0.
    pub argument: u8,
    /// The bits that are looked at; the upper half is 0 for an argument that the kernel cuts.
    pub mask: u64,
    /// How they are compared.
    pub test: Test,
    /// With what.
    pub values: Vec<u64>,
}

/// How an argument is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// With one of the values.
    OneOf,
    /// With none of the values.
    NoneOf,
}

/// What is allowed and refused on one architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    arch: Arch,
    rules: BTreeMap<u32, Vec<Rule>>,
}

/// A line that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the profile {problem}")]
pub struct ProfileError {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl Profile {
    /// Parses a profile for an architecture. Calls that only the other one has are left out.
    pub fn parse(text: &str, arch: Arch) -> Result<Profile, ProfileError> {
        let mut profile = Profile { arch, rules: BTreeMap::new() };
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                profile
                    .line(line)
                    .map_err(|problem| ProfileError { line: line_number, problem })?;
            }
        }
        Ok(profile)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (rule, reason) = line.split_once(" -- ").ok_or("gives no reason")?;
        if reason.trim().is_empty() {
            return Err("gives no reason".into());
        }
        let (head, tests) = match rule.split_once(" if ") {
            Some((head, tests)) => (head, Some(tests)),
            None => (rule, None),
        };
        let mut words = head.split_whitespace();
        let action = action(&mut words)?;
        // An empty part is an error: skipped, an `if` without a test would hold for every call.
        let parts = tests.into_iter().flat_map(|tests| tests.split(" and "));
        let conditions = parts.map(condition).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<&str> = words.collect();
        if names.is_empty() {
            return Err("names no system call".into());
        }
        for name in names {
            self.add(name, Rule { action, conditions: conditions.clone() })?;
        }
        Ok(())
    }

    fn add(&mut self, name: &str, rule: Rule) -> Result<(), String> {
        let on = |arch| table::number_of(arch, name);
        if on(Arch::X86_64).is_none() && on(Arch::Aarch64).is_none() {
            return Err(format!("names `{name}`, which is no system call"));
        }
        let Some(number) = on(self.arch) else { return Ok(()) };
        let rules = self.rules.entry(number).or_default();
        if rules.iter().any(|earlier| earlier.conditions.is_empty()) {
            return Err(format!("is about `{name}`, of which an earlier line says all"));
        }
        if rules.iter().any(|earlier| earlier.conditions == rule.conditions) {
            return Err(format!("repeats the tests of an earlier line about `{name}`"));
        }
        rules.push(rule);
        Ok(())
    }

    /// The architecture that it is for.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// The rules about a call, in their order.
    pub fn rules(&self, number: u32) -> &[Rule] {
        self.rules.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The category under which a call is handed over, if any of its rules does that.
    pub fn category_of(&self, number: u32) -> Option<Category> {
        self.rules(number).iter().find_map(|rule| match rule.action {
            Action::Notify(category) => Some(category),
            Action::Allow | Action::Errno(_) => None,
        })
    }

    /// The numbers of the calls that it says something about.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.rules.keys().copied()
    }
}

fn action<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Action, String> {
    match words.next() {
        Some("allow") => Ok(Action::Allow),
        Some("errno") => {
            let name = words.next().unwrap_or_default();
            let known = ERRNOS.iter().find(|(known, _)| *known == name);
            known
                .map(|(_, number)| Action::Errno(*number))
                .ok_or(format!("has the unknown error `{name}`"))
        }
        Some("notify") => match words.next() {
            Some("process") => Ok(Action::Notify(Category::Process)),
            Some("privilege") => Ok(Action::Notify(Category::Privilege)),
            Some("network") => Ok(Action::Notify(Category::Network)),
            Some("filesystem") => Ok(Action::Notify(Category::Filesystem)),
            other => Err(format!("has the unknown category `{}`", other.unwrap_or_default())),
        },
        other => Err(format!("begins with `{}`", other.unwrap_or_default())),
    }
}

/// The errors that a profile may name; the numbers are those of both architectures.
const ERRNOS: [(&str, u16); 8] = [
    ("EPERM", 1),
    ("ECHILD", 10),
    ("EACCES", 13),
    ("EINVAL", 22),
    ("ENOTTY", 25),
    ("ENOSYS", 38),
    ("EOPNOTSUPP", 95),
    ("EAFNOSUPPORT", 97),
];

/// One test, such as `a1:32 & 0x7f == 0, 1`.
fn condition(condition: &str) -> Result<Condition, String> {
    let bad = || format!("has the test `{}`, which is none", condition.trim());
    let (left, test, right) = if let Some((left, right)) = condition.split_once("==") {
        (left, Test::OneOf, right)
    } else {
        let (left, right) = condition.split_once("!=").ok_or_else(bad)?;
        (left, Test::NoneOf, right)
    };
    let (argument, mask) = left.split_once('&').map_or((left, None), |(a, mask)| (a, Some(mask)));
    let argument = argument.trim().strip_prefix('a').ok_or_else(bad)?;
    let (argument, width) = match argument.strip_suffix(":32") {
        Some(argument) => (argument, u64::from(u32::MAX)),
        None => (argument, u64::MAX),
    };
    let argument = match argument.as_bytes() {
        [digit @ b'0'..=b'5'] => digit - b'0',
        _ => return Err(bad()),
    };
    let mask = mask.map_or(Some(u64::MAX), number).ok_or_else(bad)? & width;
    let values = right.split(',').map(number).collect::<Option<Vec<_>>>().ok_or_else(bad)?;
    if mask == 0 {
        return Err(format!("has the test `{}`, which looks at no bit", condition.trim()));
    }
    if values.iter().any(|value| value & !mask != 0) {
        return Err(format!("has the test `{}`, whose mask cuts a value", condition.trim()));
    }
    Ok(Condition { argument, mask, test, values })
}

fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    // The standard library would take a sign too.
    let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if plain { u64::from_str_radix(digits, radix).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> String {
        Profile::parse(line, Arch::X86_64).unwrap_err().to_string()
    }

    #[test]
    fn a_line_becomes_a_rule() {
        let text = "# comment\n\nallow read if a0:32 & 0xf == 1, 0x2 and a1 != 0 -- why\n";
        let profile = Profile::parse(text, Arch::X86_64).unwrap();
        let low = Condition { argument: 0, mask: 0xf, test: Test::OneOf, values: vec![1, 2] };
        let whole = Condition { argument: 1, mask: u64::MAX, test: Test::NoneOf, values: vec![0] };
        let rule = Rule { action: Action::Allow, conditions: vec![low, whole] };
        assert_eq!(profile.rules(0), [rule]);
    }

    #[test]
    fn a_line_that_cannot_be_understood_is_named_with_its_number() {
        for (line, wanted) in [
            ("allow read", "gives no reason"),
            ("allow read -- ", "gives no reason"),
            ("permit read -- x", "begins with `permit`"),
            ("allow -- x", "names no system call"),
            ("allow raed -- x", "names `raed`, which is no system call"),
            ("errno SUCCESS read -- x", "has the unknown error `SUCCESS`"),
            ("notify fun read -- x", "has the unknown category `fun`"),
            ("allow read if a6 == 1 -- x", "has the test `a6 == 1`, which is none"),
            ("allow read if a0 = 1 -- x", "has the test `a0 = 1`, which is none"),
            ("allow read if a+1 == 1 -- x", "has the test `a+1 == 1`, which is none"),
            ("allow read if a0 == +1 -- x", "has the test `a0 == +1`, which is none"),
            ("allow read if a0 == 0x -- x", "has the test `a0 == 0x`, which is none"),
            ("allow read if  -- x", "has the test ``, which is none"),
            ("allow read if a0 == 1 and  -- x", "has the test ``, which is none"),
            ("allow read if a0 == 1 and -- x", "has the test `a0 == 1 and`, which is none"),
            ("allow read if a0 & 0 == 0 -- x", "has the test `a0 & 0 == 0`, which looks at no bit"),
            (
                "allow read if a0:32 & 0x100000000 == 0 -- x",
                "has the test `a0:32 & 0x100000000 == 0`, which looks at no bit",
            ),
            (
                "allow read if a0:32 == 0x100000001 -- x",
                "has the test `a0:32 == 0x100000001`, whose mask cuts a value",
            ),
            (
                "allow read if a0 & 0xf == 1, 0x10 -- x",
                "has the test `a0 & 0xf == 1, 0x10`, whose mask cuts a value",
            ),
            ("allow read read -- x", "is about `read`, of which an earlier line says all"),
            (
                "allow read if a0 == 1 -- x\nerrno EPERM read if a0 == 1 -- y",
                "repeats the tests of an earlier line about `read`",
            ),
            (
                "allow read -- x\nallow read -- y",
                "is about `read`, of which an earlier line says all",
            ),
        ] {
            let number = line.lines().count();
            assert_eq!(problem(line), format!("line {number} of the profile {wanted}"));
        }
    }

    #[test]
    fn a_call_that_only_the_other_architecture_has_is_left_out() {
        let profile = Profile::parse("allow open -- x", Arch::Aarch64).unwrap();
        assert_eq!(profile.numbers().count(), 0);
    }
}
