//! The kernel's side of a filter, for tests: an interpreter of the programs, and a plain reading of
//! a profile to compare them with.

use std::fmt::Write;

use execute_python_sys::seccomp::{Instruction, Listener};

use super::profile::{Action, Condition, Profile, Test};
use super::{Arch, CompileError, compile, number_of, table};

/// A system call as a filter sees it.
#[derive(Debug, Clone, Copy)]
struct Call {
    number: u32,
    architecture: u32,
    arguments: [u64; 6],
}

/// Runs a program as the kernel does; panics where the kernel would have refused it.
fn run(program: &[Instruction], call: &Call) -> u32 {
    let word = |offset: u32| match offset {
        0 => call.number,
        4 => call.architecture,
        16..64 => {
            let argument = call.arguments[(offset as usize - 16) / 8];
            u32::try_from(argument >> (offset % 8 * 8) & 0xffff_ffff).unwrap()
        }
        _ => panic!("load of offset {offset}"),
    };
    let (mut at, mut a) = (0, 0_u32);
    loop {
        let step = program[at];
        at += 1;
        let mut branch = |holds: bool| at += usize::from(if holds { step.jt } else { step.jf });
        match step.code {
            0x20 => a = word(step.k),
            0x54 => a &= step.k,
            0x05 => at += step.k as usize,
            0x15 => branch(a == step.k),
            0x35 => branch(a >= step.k),
            0x45 => branch(a & step.k != 0),
            0x06 => return step.k,
            other => panic!("operation {other:#x}"),
        }
    }
}

fn holds(condition: &Condition, arguments: &[u64; 6]) -> bool {
    let seen = arguments[usize::from(condition.argument)] & condition.mask;
    let found = condition.values.contains(&seen);
    found == (condition.test == Test::OneOf)
}

/// What the profile says, read line by line.
fn expected(profile: &Profile, listener: Listener, call: &Call) -> u32 {
    if call.number > table(profile.arch()).last().unwrap().0 {
        return 0x0005_0000 + 38;
    }
    let rule = profile
        .rules(call.number)
        .iter()
        .find(|rule| rule.conditions.iter().all(|condition| holds(condition, &call.arguments)));
    match rule.map(|rule| rule.action) {
        Some(Action::Allow) => 0x7fff_0000,
        Some(Action::Errno(number)) => 0x0005_0000 | u32::from(number),
        Some(Action::Notify(_)) if listener == Listener::New => 0x7fc0_0000,
        Some(Action::Notify(_)) | None => 0x0005_0000 + 1,
    }
}

fn shipped(arch: Arch) -> Profile {
    Profile::parse(super::PYTHON, arch).unwrap()
}

/// What the kernel checks before it takes a program (`seccomp_check_filter`, `bpf_check_classic`).
fn kernel_would_take(program: &[Instruction]) -> bool {
    let inside = |at: usize, skip: usize| at + 1 + skip < program.len();
    program.len() <= 4096
        && program.last().is_some_and(|last| last.code == 0x06)
        && program.iter().enumerate().all(|(at, step)| match step.code {
            0x20 => step.k < 64 && step.k % 4 == 0,
            0x05 => inside(at, step.k as usize),
            0x15 | 0x35 | 0x45 => inside(at, step.jt.into()) && inside(at, step.jf.into()),
            0x54 | 0x06 => true,
            _ => false,
        })
}

const LISTENERS: [Listener; 2] = [Listener::New, Listener::None];

const ARCHES: [(Arch, u32); 2] = [(Arch::X86_64, 0xc000_003e), (Arch::Aarch64, 0xc000_00b7)];

/// Arguments that tell the tests of the profile apart, and a few hundred drawn at random.
fn argument_sets(profile: &Profile, number: u32) -> Vec<[u64; 6]> {
    let mut sets = vec![[0; 6], [u64::MAX; 6], [1; 6], [1 << 32; 6]];
    for condition in profile.rules(number).iter().flat_map(|rule| &rule.conditions) {
        for value in &condition.values {
            for near in [0, 1, u64::MAX, 1 << 32, 1 << 63] {
                let mut arguments = [0; 6];
                arguments[usize::from(condition.argument)] = value.wrapping_add(near);
                sets.push(arguments);
            }
        }
    }
    let mut draw = draws(u64::from(number) + 1);
    for _ in 0..50 {
        sets.push(std::array::from_fn(|_| match draw() {
            state if state & 1 == 0 => state,
            state => state & 0xff,
        }));
    }
    sets
}

/// Numbers drawn at random, the same at every run of the tests (xorshift64).
fn draws(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// Asserts that the program of a profile is one the kernel takes and does what the profile says.
fn assert_faithful(profile: &Profile, architecture: u32) {
    for listener in LISTENERS {
        let program = compile(profile, listener).unwrap();
        assert!(kernel_would_take(&program));
        for number in 0..=600 {
            for arguments in argument_sets(profile, number) {
                let call = Call { number, architecture, arguments };
                assert_eq!(run(&program, &call), expected(profile, listener, &call), "{call:x?}");
            }
        }
    }
}

#[test]
fn the_program_does_what_the_profile_says_for_every_call() {
    for (arch, architecture) in ARCHES {
        let profile = shipped(arch);
        assert!(compile(&profile, Listener::New).unwrap().len() < 1500);
        assert_faithful(&profile, architecture);
    }
}

/// A profile drawn at random, line by line; a line that the parser refuses is left out.
fn drawn_profile(arch: Arch, seed: u64) -> Profile {
    let mut draw = draws(seed);
    let mut below = |end: usize| usize::try_from(draw() % end as u64).unwrap();
    // Few names, so that many get several rules; values with bits in either half, or both.
    let names: Vec<&str> = (0..40).map(|_| table(arch)[below(table(arch).len())].1).collect();
    let mut pick = |from: &[&'static str]| from[below(from.len())];
    let heads = ["allow", "errno EINVAL", "errno ENOSYS", "notify process", "notify network"];
    let masks =
        ["", " & 0x4", " & 0xff", " & 0xfffffe7f", " & 0xff00000000", " & 0x8000000000000001"];
    let values = ["0", "1", "4", "0x80", "0xffffffff", "0x100000000", "0x8000000000000001"];
    let mut text = String::new();
    for _ in 0..400 {
        let mut tests = String::new();
        for joint in ["if", "and"].iter().take(pick(&["x", "xx", "xx", "xx", ""]).len()) {
            let (argument, mask) = (pick(&["a0", "a1:32", "a2", "a5:32"]), pick(&masks));
            let (equal, one, other) = (pick(&["==", "!="]), pick(&values), pick(&values));
            write!(tests, " {joint} {argument}{mask} {equal} {one}, {other}").unwrap();
        }
        let line = format!("{} {}{tests}", pick(&heads), pick(&names));
        let longer = format!("{text}{line} -- drawn\n");
        if Profile::parse(&longer, arch).is_ok() {
            text = longer;
        }
    }
    Profile::parse(&text, arch).unwrap()
}

#[test]
fn the_program_of_any_profile_does_what_it_says() {
    for (arch, architecture) in ARCHES {
        let mut tested = 0;
        for seed in 1..=8 {
            let profile = drawn_profile(arch, seed);
            tested += profile.numbers().filter(|n| profile.rules(*n).len() > 1).count();
            assert_faithful(&profile, architecture);
        }
        assert!(tested > 50, "the drawn profiles test little: {tested}");
    }
}

#[test]
fn a_program_longer_than_the_kernel_takes_is_an_error() {
    let rule = |values: usize| {
        let values: Vec<String> = (0..values).map(|value| value.to_string()).collect();
        let text = format!("allow read if a0 == {} -- x", values.join(", "));
        compile(&Profile::parse(&text, Arch::X86_64).unwrap(), Listener::New)
    };
    // Far more than a short jump can skip, and still right: the program takes long ones.
    let program = rule(500).unwrap();
    assert!(kernel_would_take(&program));
    let call = |value| Call { number: 0, architecture: 0xc000_003e, arguments: [value; 6] };
    assert_eq!(run(&program, &call(499)), 0x7fff_0000);
    assert_eq!(run(&program, &call(500)), 0x0005_0000 + 1);
    assert!(matches!(rule(600), Err(CompileError::TooLong(4097..))));
}

#[test]
fn without_a_listener_what_would_be_handed_over_is_refused() {
    for (arch, architecture) in ARCHES {
        let profile = shipped(arch);
        let [with, without] = LISTENERS.map(|listener| compile(&profile, listener).unwrap());
        let mut handed_over = 0;
        for number in 0..=600 {
            for arguments in argument_sets(&profile, number) {
                let call = Call { number, architecture, arguments };
                match run(&with, &call) {
                    0x7fc0_0000 => {
                        handed_over += 1;
                        assert_eq!(run(&without, &call), 0x0005_0000 + 1, "{call:x?}");
                    }
                    other => assert_eq!(run(&without, &call), other, "{call:x?}"),
                }
            }
        }
        assert!(handed_over > 0);
    }
}

/// Calls and what must come of them, written without the profile; `!` stands for handed over.
const CASES: [(&str, [u64; 6], &str); 39] = [
    ("futex", [0, 0x80, 0, 0, 0, 0], "allow"),
    ("futex", [0, 0x189, 0, 0, 0, 0], "allow"),
    ("futex", [0, 6, 0, 0, 0, 0], "ENOSYS"),
    ("futex", [0, 11, 0, 0, 0, 0], "ENOSYS"),
    ("clone", [0x003d_0f00, 0, 0, 0, 0, 0], "allow"),
    ("clone", [0x007d_0f00, 0, 0, 0, 0, 0], "allow"),
    ("clone", [0x0120_0011, 0, 0, 0, 0, 0], "!"),
    ("clone", [0x103d_0f00, 0, 0, 0, 0, 0], "!"),
    ("clone", [0x1_003d_0f00, 0, 0, 0, 0, 0], "!"),
    ("clone3", [0; 6], "ENOSYS"),
    ("mmap", [0, 0, 3, 0x22, 0, 0], "allow"),
    ("mmap", [0, 0, 5, 0x02, 3, 0], "allow"),
    ("mmap", [0, 0, 5, 0x22, 0, 0], "EPERM"),
    ("mmap", [0, 0, 7, 0x02, 3, 0], "EPERM"),
    ("mmap", [0, 0, 0x1_0000_0007, 0x02, 3, 0], "EPERM"),
    ("mprotect", [0, 0, 3, 0, 0, 0], "allow"),
    ("mprotect", [0, 0, 5, 0, 0, 0], "EPERM"),
    ("ioctl", [0, 0x5401, 0, 0, 0, 0], "allow"),
    ("ioctl", [0, 0x5412, 0, 0, 0, 0], "ENOTTY"),
    ("ioctl", [0, 0x1_0000_5412, 0, 0, 0, 0], "ENOTTY"),
    ("fcntl", [0, 6, 0, 0, 0, 0], "allow"),
    ("fcntl", [0, 1031, 0, 0, 0, 0], "EINVAL"),
    ("prctl", [15, 0, 0, 0, 0, 0], "allow"),
    ("prctl", [22, 0, 0, 0, 0, 0], "EINVAL"),
    ("madvise", [0, 0, 12, 0, 0, 0], "EINVAL"),
    ("kill", [1, 15, 0, 0, 0, 0], "allow"),
    ("kill", [1, 9, 0, 0, 0, 0], "!"),
    ("kill", [1, 19, 0, 0, 0, 0], "!"),
    ("kill", [0, 9, 0, 0, 0, 0], "!"),
    ("kill", [0xffff_ffff, 9, 0, 0, 0, 0], "!"),
    ("tgkill", [1, 1, 6, 0, 0, 0], "allow"),
    ("tgkill", [2, 2, 6, 0, 0, 0], "!"),
    ("prlimit64", [0, 7, 0, 0x1000, 0, 0], "allow"),
    ("prlimit64", [0, 7, 0x1_0000_0000, 0, 0, 0], "EPERM"),
    ("socket", [1, 1, 0, 0, 0, 0], "EAFNOSUPPORT"),
    ("socket", [2, 1, 0, 0, 0, 0], "!"),
    ("socketpair", [2, 1, 0, 0, 0, 0], "!"),
    ("sendto", [3, 0x1000, 1, 0, 0, 0], "allow"),
    ("sendto", [3, 0x1000, 1, 0, 0x7f00_0000_0000, 16], "!"),
];

#[test]
fn the_calls_that_depend_on_arguments_are_answered_as_designed() {
    for (arch, architecture) in ARCHES {
        let program = compile(&shipped(arch), Listener::New).unwrap();
        for (name, arguments, wanted) in CASES {
            let number = number_of(arch, name).unwrap();
            let wanted = match wanted {
                "allow" => 0x7fff_0000,
                "!" => 0x7fc0_0000,
                "EPERM" => 0x0005_0000 + 1,
                "EINVAL" => 0x0005_0000 + 22,
                "ENOTTY" => 0x0005_0000 + 25,
                "ENOSYS" => 0x0005_0000 + 38,
                "EAFNOSUPPORT" => 0x0005_0000 + 97,
                other => panic!("{other}"),
            };
            let answer = run(&program, &Call { number, architecture, arguments });
            assert_eq!(answer, wanted, "{name} {arguments:x?}");
        }
    }
}

#[test]
fn every_line_of_the_profile_has_a_reason() {
    let lines = super::PYTHON.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (_, reason) = line.split_once(" -- ").unwrap();
        assert!(reason.trim().len() >= 4, "{line}");
    }
}

#[test]
fn a_call_has_a_category_exactly_if_it_may_be_handed_over() {
    use execute_python_protocol::Category;

    for (arch, _) in ARCHES {
        let profile = shipped(arch);
        let category = |name| profile.category_of(number_of(arch, name).unwrap());
        assert_eq!(category("execve"), Some(Category::Process));
        assert_eq!(category("clone"), Some(Category::Process));
        assert_eq!(category("socket"), Some(Category::Network));
        assert_eq!(category("ptrace"), Some(Category::Privilege));
        assert_eq!(category("read"), None);
        assert_eq!(category("clone3"), None);
        // One category a call: a second one would never be named.
        for number in profile.numbers() {
            let all = profile.rules(number).iter().filter_map(|rule| match rule.action {
                Action::Notify(category) => Some(category),
                Action::Allow | Action::Errno(_) => None,
            });
            assert!(all.into_iter().all(|each| Some(each) == profile.category_of(number)));
        }
    }
}

#[test]
fn the_tables_are_sorted_and_find_each_call_both_ways() {
    for (arch, _) in ARCHES {
        assert!(table(arch).is_sorted_by(|a, b| a.0 < b.0));
        for (number, name) in table(arch) {
            assert_eq!(number_of(arch, name), Some(*number));
            assert_eq!(super::name_on(arch, *number), Some(*name));
        }
    }
}

#[test]
fn calls_of_another_architecture_or_numbering_kill() {
    for (arch, architecture) in ARCHES {
        let program = compile(&shipped(arch), Listener::New).unwrap();
        for number in 0..=600 {
            let call = Call { number, architecture: 0x4000_0003, arguments: [0; 6] };
            assert_eq!(run(&program, &call), 0x8000_0000);
            if arch == Arch::X86_64 {
                let x32 = Call { number: number | 0x4000_0000, architecture, arguments: [0; 6] };
                assert_eq!(run(&program, &x32), 0x8000_0000);
            }
        }
    }
}

#[test]
fn no_call_is_refused_with_the_error_that_means_success() {
    for (arch, _) in ARCHES {
        let profile = shipped(arch);
        let rules = profile.numbers().flat_map(|number| profile.rules(number).to_vec());
        assert!(rules.into_iter().all(|rule| rule.action != Action::Errno(0)));
    }
}

/// Calls that start processes, reach the network, change namespaces or mounts, trace, or drive the
/// kernel: none may ever be carried out, with whatever arguments.
const DANGEROUS: &str = "
accept accept4 acct add_key adjtimex bind bpf capset chroot clock_adjtime clock_settime clone3
connect create_module delete_module execve execveat fanotify_init fanotify_mark finit_module fork
fsconfig fsmount fsopen fspick futex_requeue futex_wait futex_wake get_kernel_syms init_module
io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit io_uring_enter
io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl
landlock_add_rule landlock_create_ruleset landlock_restrict_self listen listmount listns lookup_dcookie
lsm_get_self_attr lsm_list_modules lsm_set_self_attr memfd_create memfd_secret migrate_pages mknod
mknodat modify_ldt mount mount_setattr move_mount move_pages mq_getsetattr mq_notify mq_open
mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd name_to_handle_at nfsservctl
open_by_handle_at open_tree open_tree_attr openat2 perf_event_open personality pidfd_getfd
pidfd_open pidfd_send_signal pivot_root pkey_alloc pkey_free pkey_mprotect process_madvise
process_mrelease process_vm_readv process_vm_writev ptrace query_module quotactl quotactl_fd
reboot recvmmsg recvmsg remap_file_pages request_key rt_sigqueueinfo rt_tgsigqueueinfo
sched_setaffinity sched_setattr sched_setparam sched_setscheduler seccomp semctl semget semop
semtimedop sendmmsg sendmsg set_mempolicy setdomainname setfsgid setfsuid setgid setgroups
sethostname setns setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
setsockopt settimeofday setuid shmat shmctl shmdt shmget splice statmount swapoff swapon sysfs
syslog tee timer_create timerfd_create tkill umount2 unshare uselib userfaultfd ustat vfork
vhangup vmsplice";

#[test]
fn no_dangerous_call_is_ever_carried_out() {
    for (arch, architecture) in ARCHES {
        let profile = shipped(arch);
        let program = compile(&profile, Listener::New).unwrap();
        for name in DANGEROUS.split_whitespace() {
            let Some(number) = number_of(arch, name) else { continue };
            for arguments in argument_sets(&profile, number) {
                let answer = run(&program, &Call { number, architecture, arguments });
                assert_ne!(answer, 0x7fff_0000, "{name}");
            }
        }
    }
}

#[test]
fn every_call_of_the_kernel_is_listed_or_dangerous() {
    for (arch, _) in ARCHES {
        let profile = shipped(arch);
        for name in DANGEROUS.split_whitespace() {
            let known = ARCHES.iter().any(|(arch, _)| number_of(*arch, name).is_some());
            assert!(known, "{name} is no system call");
        }
        // What the profile leaves to the default fails quietly; it must be meant.
        let unlisted: Vec<_> = table(arch)
            .iter()
            .filter(|(number, _)| profile.rules(*number).is_empty())
            .map(|(_, name)| *name)
            .collect();
        assert_eq!(unlisted, Vec::<&str>::new());
    }
}
