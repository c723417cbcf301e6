//! The kernel's side of a filter, for tests: an interpreter of the programs, and a plain reading of
//! a profile to compare them with.

use execute_python_sys::seccomp::Instruction;

use super::profile::{Action, Condition, Profile, Test};
use super::{Arch, compile, number_of, table};

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
    let found =
        condition.values.iter().any(|value| value & condition.mask == seen && *value == seen);
    found == (condition.test == Test::OneOf)
}

/// What the profile says, read line by line.
fn expected(profile: &Profile, call: &Call) -> u32 {
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
        Some(Action::Notify(_)) => 0x7fc0_0000,
        None => 0x0005_0000 + 1,
    }
}

fn shipped(arch: Arch) -> Profile {
    Profile::parse(super::PYTHON, arch).unwrap()
}

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
    let mut state = u64::from(number) + 1;
    for _ in 0..50 {
        sets.push(std::array::from_fn(|_| {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state & if state & 1 == 0 { u64::MAX } else { 0xff }
        }));
    }
    sets
}

#[test]
fn the_program_does_what_the_profile_says_for_every_call() {
    for (arch, architecture) in ARCHES {
        let profile = shipped(arch);
        let program = compile(&profile).unwrap();
        assert!(program.len() < 1500, "{} instructions", program.len());
        for number in 0..=600 {
            for arguments in argument_sets(&profile, number) {
                let call = Call { number, architecture, arguments };
                assert_eq!(run(&program, &call), expected(&profile, &call), "{call:x?}");
            }
        }
    }
}

#[test]
fn calls_of_another_architecture_or_numbering_kill() {
    for (arch, architecture) in ARCHES {
        let program = compile(&shipped(arch)).unwrap();
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
landlock_add_rule landlock_create_ruleset landlock_restrict_self listen listmount lookup_dcookie
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
        let program = compile(&profile).unwrap();
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
