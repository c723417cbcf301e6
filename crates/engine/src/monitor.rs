//! What is done about a forbidden system call that the kernel reports.
//!
//! The decision rests on the category of the call and the policy alone: never on what a pointer
//! argument points to, which the guest can change at any time.

use execute_python_protocol::{Action, Category, Layer, Policy, Violation};
use execute_python_sandbox::filter;
use execute_python_sys::seccomp::Notification;

/// The most violations that an outcome holds; the rest are counted.
pub(crate) const MOST_KEPT: usize = 20;

/// What the policy says about a category: the table of the design.
pub(crate) fn action(policy: Policy, category: Category) -> Action {
    match (policy, category) {
        (Policy::Strict, _) | (Policy::Standard, Category::Process | Category::Privilege) => {
            Action::Interrupt
        }
        (Policy::Standard, Category::Network | Category::Filesystem) | (Policy::Lenient, _) => {
            Action::Deny
        }
    }
}

/// The violation that a notification stands for.
pub(crate) fn violation(notification: &Notification, policy: Policy, at_ms: f64) -> Violation {
    let category = filter::category_of(notification.number);
    let name = filter::name_of(notification.number);
    Violation {
        category,
        attempt: attempt(name, category),
        system_call: Some(name.to_owned()),
        arguments: notification.arguments.to_vec(),
        layer: Layer::Seccomp,
        action: action(policy, category),
        at_ms,
        frames: Vec::new(),
        hint: hint(category).to_owned(),
    }
}

fn attempt(name: &str, category: Category) -> String {
    let what = match (category, name) {
        (Category::Process, "execve" | "execveat") => "execute a program",
        (Category::Process, "kill" | "tkill" | "tgkill" | "pidfd_send_signal") => {
            "send a signal to another process"
        }
        (Category::Process, _) => "start a process",
        (Category::Privilege, _) => "use a privileged interface of the kernel",
        (Category::Network, _) => "use the network",
        (Category::Filesystem, _) => "reach a file outside the work folder",
    };
    format!("{what} ({name})")
}

fn hint(category: Category) -> &'static str {
    match category {
        Category::Process => {
            "this sandbox starts no processes: use Python itself, such as os.listdir, shutil or pathlib"
        }
        Category::Privilege => "this sandbox has no such interface: do it in plain Python",
        Category::Network => "this sandbox has no network: pass the data as an input file instead",
        Category::Filesystem => "read and write files in the work folder, /mnt/data",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_does_what_the_table_says() {
        use Action::{Deny, Interrupt};
        use Category::{Filesystem, Network, Privilege, Process};
        for (policy, actions) in [
            (Policy::Standard, [Interrupt, Interrupt, Deny, Deny]),
            (Policy::Strict, [Interrupt; 4]),
            (Policy::Lenient, [Deny; 4]),
        ] {
            let found = [Process, Privilege, Network, Filesystem].map(|c| action(policy, c));
            assert_eq!(found, actions, "{policy:?}");
        }
    }
}
