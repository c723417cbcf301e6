//! What is done about a forbidden system call that the kernel reports, and what is said of it.
//!
//! The decision rests on the category of the call and the policy alone: never on what a pointer
//! argument points to, which the guest can change at any time.

use std::collections::BTreeMap;

use execute_python_protocol::{Action, Category, Layer, Policy, Violation};
use execute_python_sandbox::filter;
use execute_python_sys::seccomp::Notification;

/// The most violations that an outcome holds; the rest are counted.
pub(crate) const MOST_KEPT: usize = 20;

/// What is done about each category of danger in a run.
#[derive(Debug, Clone)]
pub(crate) struct Actions {
    policy: Policy,
    single: BTreeMap<Category, Action>,
}

impl Actions {
    /// What a request asks for. Where the operator has said what is done, a request can only be stricter.
    pub(crate) fn new(
        policy: Policy,
        asked: &BTreeMap<Category, Action>,
        operator: &BTreeMap<Category, Action>,
    ) -> Actions {
        let mut single = asked.clone();
        for (category, action) in operator {
            let strict = single.get(category) == Some(&Action::Interrupt);
            single.insert(*category, if strict { Action::Interrupt } else { *action });
        }
        Actions { policy, single }
    }

    /// What is done about a category.
    pub(crate) fn of(&self, category: Category) -> Action {
        self.single.get(&category).copied().unwrap_or_else(|| preset(self.policy, category))
    }
}

/// What a policy says about a category: the table of the design.
fn preset(policy: Policy, category: Category) -> Action {
    match (policy, category) {
        (Policy::Strict, _) | (Policy::Standard, Category::Process | Category::Privilege) => {
            Action::Interrupt
        }
        (Policy::Standard, Category::Network | Category::Filesystem) | (Policy::Lenient, _) => {
            Action::Deny
        }
    }
}

/// The violation that a call stands for, as the kernel tells it.
pub(crate) fn violation(call: &Notification, actions: &Actions, at_ms: f64) -> Violation {
    let category = filter::category_of(call.number);
    let name = filter::name_of(call.number);
    let attempt = attempt(name, category, call);
    Violation {
        category,
        hint: hint(category, &attempt).to_owned(),
        attempt,
        system_call: Some(name.to_owned()),
        arguments: call.arguments.to_vec(),
        layer: Layer::Seccomp,
        action: actions.of(category),
        at_ms,
        frames: Vec::new(),
    }
}

/// Whether a call is a question that innocent libraries ask and can do without: libuuid opens a datagram
/// socket to look for a network card. It is refused without a word.
pub(crate) fn is_probe(call: &Notification) -> bool {
    const INTERNET: u64 = 2;
    const DATAGRAM: u64 = 2;
    // Close on exec, and not to block.
    const FLAGS: u64 = 0o2_000_000 | 0o4000;
    let [family, kind, protocol, ..] = call.arguments;
    filter::name_of(call.number) == "socket"
        && (family, kind & !FLAGS, protocol) == (INTERNET, DATAGRAM, 0)
}

fn attempt(name: &str, category: Category, call: &Notification) -> String {
    let [first, second, third, ..] = call.arguments;
    let what = match (category, name) {
        (Category::Process, "execve" | "execveat") => "execute a program".to_owned(),
        (Category::Process, "kill" | "tkill") => {
            format!("send signal {} to process {}", low(second), low(first))
        }
        (Category::Process, "tgkill") => {
            format!("send signal {} to process {}", low(third), low(first))
        }
        (Category::Process, "pidfd_send_signal" | "rt_sigqueueinfo" | "rt_tgsigqueueinfo") => {
            "send a signal to another process".to_owned()
        }
        (Category::Process, "clone" | "fork" | "vfork") => "start a process".to_owned(),
        (Category::Process, _) => "reach into another process".to_owned(),
        (Category::Privilege, _) => "use a privileged interface of the kernel".to_owned(),
        (Category::Network, "socket" | "socketpair") => {
            format!("open a network socket of family {first}")
        }
        (Category::Network, _) => "use the network".to_owned(),
        (Category::Filesystem, _) => "reach a file outside the work folder".to_owned(),
    };
    format!("{what} ({name})")
}

/// The low half of a register, which is what the kernel takes for an `int`.
fn low(register: u64) -> i32 {
    let [a, b, c, d, ..] = register.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// What to do instead: the first line whose word is in the attempt, else that of the category.
const HINTS: [(&str, &str); 14] = [
    ("\"ls", "list files with os.listdir() or pathlib.Path.iterdir()"),
    ("\"cat ", "read files with open(path).read()"),
    ("\"rm ", "remove files with os.remove() or shutil.rmtree(), in the work folder"),
    ("\"cp ", "copy files with shutil.copy()"),
    ("\"mv ", "move files with shutil.move()"),
    ("\"mkdir", "make folders with os.makedirs()"),
    ("pip", "packages cannot be installed here: ask for an environment that has them"),
    ("\"curl", "this sandbox has no network: pass the data as an input file instead"),
    ("\"wget", "this sandbox has no network: pass the data as an input file instead"),
    ("git ", "this sandbox has no network and no git: pass the files as input files instead"),
    ("python", "run the code in this program: import it, or use runpy or exec"),
    ("os.fork", "use threads, asyncio or concurrent.futures.ThreadPoolExecutor"),
    ("clone", "use threads, asyncio or concurrent.futures.ThreadPoolExecutor"),
    ("kill", "a program may only signal itself: end threads by a flag or an Event"),
];

/// What to do instead of an attempt.
pub(crate) fn hint(category: Category, attempt: &str) -> &'static str {
    let special = HINTS.iter().find(|(word, _)| attempt.contains(word)).map(|(_, hint)| *hint);
    match category {
        Category::Process => special.unwrap_or(
            "this sandbox starts no processes: use Python itself, such as os.listdir, shutil or pathlib",
        ),
        Category::Privilege => "this sandbox has no such interface: do it in plain Python",
        Category::Network => "this sandbox has no network: pass the data as an input file instead",
        Category::Filesystem => "read and write files in the work folder, /mnt/data",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Action::{Deny, Interrupt};
    use Category::{Filesystem, Network, Privilege, Process};

    #[test]
    fn each_preset_does_what_the_table_says() {
        for (policy, actions) in [
            (Policy::Standard, [Interrupt, Interrupt, Deny, Deny]),
            (Policy::Strict, [Interrupt; 4]),
            (Policy::Lenient, [Deny; 4]),
        ] {
            let own = Actions::new(policy, &BTreeMap::new(), &BTreeMap::new());
            let found = [Process, Privilege, Network, Filesystem].map(|c| own.of(c));
            assert_eq!(found, actions, "{policy:?}");
        }
    }

    #[test]
    fn a_request_is_never_less_strict_than_the_operator() {
        let operator = BTreeMap::from([(Network, Interrupt), (Process, Deny)]);
        let asked =
            BTreeMap::from([(Network, Deny), (Process, Interrupt), (Filesystem, Interrupt)]);
        let own = Actions::new(Policy::Standard, &asked, &operator);
        let found = [Process, Privilege, Network, Filesystem].map(|c| own.of(c));
        assert_eq!(found, [Interrupt, Interrupt, Interrupt, Interrupt]);
        let own = Actions::new(Policy::Lenient, &BTreeMap::new(), &operator);
        assert_eq!([Process, Network].map(|c| own.of(c)), [Deny, Interrupt]);
    }

    #[test]
    fn what_to_do_instead_fits_the_attempt() {
        for (attempt, word) in [
            ("os.system(\"ls -l\")", "listdir"),
            ("os.system(\"rm -rf /\")", "rmtree"),
            ("subprocess.Popen([\"pip\", \"install\", \"x\"])", "environment"),
            ("start a process (clone)", "threads"),
            ("os.system(\"date\")", "starts no processes"),
        ] {
            assert!(hint(Process, attempt).contains(word), "{attempt}");
        }
    }
}
