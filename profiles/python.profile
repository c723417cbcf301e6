# The system calls of a guest: what it may do, and why. Everything that no line names fails with
# EPERM. The grammar is in crates/sandbox/src/filter/profile.rs; a test proves that every system call
# of Linux is named here, on x86_64 and aarch64.
#
# `allow` calls were traced from CPython 3.11 and 3.13 with thirty packages, or are close relatives of
# such calls. `errno` calls are probes that libraries make and can do without. `notify` calls are
# attempts that no honest program needs: the engine is told, and decides by the policy.

# --- files
allow read readv pread64 preadv -- reads files and pipes
allow write writev pwrite64 pwritev -- writes files and pipes
allow open openat creat close close_range lseek -- opens files; which ones is decided by the mounts and Landlock
allow stat lstat fstat newfstatat statx statfs fstatfs -- looks at files
allow access faccessat faccessat2 -- asks whether a file may be used
allow readlink readlinkat getcwd chdir fchdir getdents getdents64 -- moves through folders
allow mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 -- changes the work folder
allow link linkat symlink symlinkat -- makes links; the engine follows none of them
allow chmod fchmod fchmodat umask -- sets the mode of own files
allow utime utimes futimesat utimensat -- sets the times of own files
allow truncate ftruncate fallocate fsync fdatasync flock copy_file_range fadvise64 -- works on own files
allow getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr -- shutil.copy2 reads them
allow dup dup2 dup3 pipe pipe2 -- duplicates descriptors and makes pipes to itself

# --- waiting
allow poll ppoll select pselect6 -- waits for descriptors
allow epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd eventfd2 -- asyncio waits with these
allow pause nanosleep clock_nanosleep restart_syscall -- sleeps
allow alarm getitimer setitimer -- signal.alarm and signal.setitimer

# --- memory
allow brk munmap mremap msync -- memory of its own
allow mmap if a2 & 0x4 == 0 -- memory without the right to execute
allow mmap if a2 & 0x6 == 0x4 and a3 & 0x20 == 0 -- loads the code of a shared library from a file, not writable
errno EPERM mmap -- memory that is written and executed is made by no interpreter here
allow mprotect if a2 & 0x4 == 0 -- takes rights away, or the right to execute
errno EPERM mprotect -- making memory executable is how injected code is run; libffi and numba fall back or say so
allow madvise if a2:32 == 0, 1, 2, 3, 4, 8, 14, 15, 16, 17 -- advice without effect on others
errno EINVAL madvise -- other advice, such as merging pages with other processes

# --- threads and itself
allow futex if a1:32 & 0xfffffe7f == 0, 1, 9, 10 -- locks: wait and wake
errno ENOSYS futex -- priority inheritance and requeueing, with a history of bugs in kernels
allow clone if a0 == 0x3d0f00, 0x7d0f00 -- pthread_create of glibc, of musl
notify process clone -- any other use makes a process
errno ENOSYS clone3 -- its flags are in memory, where no filter can see them; glibc then uses clone
allow set_robust_list set_tid_address rseq sched_yield sched_getaffinity getcpu -- what the C library does for a thread
errno EINVAL arch_prctl -- set up before the filter; later the C library takes this as "not there"
allow gettid getpid getppid getpgid getpgrp getsid -- who it is
allow getuid geteuid getgid getegid getgroups getresuid getresgid -- who it runs as
allow exit exit_group -- ends
allow rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack -- signals to itself
allow kill if a0:32 == 1 and a1:32 != 9, 19 -- a signal to itself: a guest is process 1 of its namespace
notify process kill -- a signal to somebody else, or to itself one that process 1 does not get
allow tgkill if a0:32 == 1 and a2:32 != 9, 19 -- raise and abort of the C library
notify process tgkill -- a signal to somebody else, or to itself one that process 1 does not get
allow prctl if a0:32 == 15, 16, 0x53564d41 -- names of threads and of memory
errno EINVAL prctl -- everything else of prctl
allow getrlimit getrusage sysinfo uname times -- what it may use and has used
allow prlimit64 if a0:32 == 0 and a2 == 0 -- reads its own limits
errno EPERM prlimit64 setrlimit -- setting limits
allow time gettimeofday clock_gettime clock_getres -- the time
allow getrandom -- random numbers
allow getpriority sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min -- os.getpriority and its like

# --- descriptors
allow fcntl if a1:32 == 0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032 -- duplicates, flags, locks, size of a pipe
errno EINVAL fcntl -- leases, signals and seals
allow ioctl if a1:32 == 0x5401, 0x5413, 0x5421, 0x541b, 0x5450, 0x5451 -- is it a terminal, how large, blocking or not, bytes waiting, close on exec
errno ENOTTY ioctl -- what every file answers to a request that it does not know

# --- sockets: only the pair that asyncio wakes itself with
allow socketpair if a0:32 == 1 -- asyncio wakes its loop through one
notify network socketpair -- other families
allow sendto if a4 == 0 and a3:32 & 0x1 == 0 -- writes into the pair
notify network sendto -- to an address, or out of band, with a history of bugs in kernels
allow recvfrom getsockname getpeername getsockopt shutdown -- reads from the pair and ends it
errno EPERM setsockopt -- nothing of the pair needs setting
errno EAFNOSUPPORT socket if a0:32 == 1 -- the C library asks a name service through a local socket and does without
notify network socket connect bind listen accept accept4 -- the network
notify network sendmsg recvmsg sendmmsg recvmmsg -- messages can carry descriptors

# --- probes that libraries make and can do without
errno ENOSYS cachestat epoll_pwait2 fchmodat2 futex_waitv futex_wait futex_wake futex_requeue membarrier -- newer calls with an older way
errno ENOSYS get_mempolicy set_mempolicy set_mempolicy_home_node mbind migrate_pages move_pages -- memory of several nodes; OpenBLAS asks
errno ENOSYS inotify_init inotify_init1 inotify_add_watch inotify_rm_watch -- watching files
errno ENOSYS io_setup io_submit io_getevents io_pgetevents io_cancel io_destroy -- the older asynchronous input and output
errno ENOSYS memfd_create get_robust_list openat2 preadv2 pwritev2 readahead -- newer calls with an older way
errno ENOSYS pkey_alloc pkey_free mseal map_shadow_stack -- protection of memory
errno ENOSYS sched_getattr sched_setattr sched_setparam sched_rr_get_interval -- scheduling
errno ENOSYS signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime -- signals and timers as descriptors
errno ENOSYS timer_create timer_settime timer_gettime timer_getoverrun timer_delete -- timers with a history of bugs in kernels
errno ENOSYS rseq_slice_yield -- gives back a longer slice of time, which prctl cannot ask for here
errno ENOSYS getxattrat setxattrat listxattrat removexattrat file_getattr file_setattr -- newer calls on attributes
errno EOPNOTSUPP setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr -- shutil.copy2 sets attributes where it can
errno EPERM chown lchown fchown fchownat mknod mknodat -- shutil and tarfile try to keep owners
errno EPERM mlock mlock2 mlockall munlock munlockall mincore -- locking memory
errno EPERM setsid setpgid setpriority sched_setscheduler sched_setaffinity ioprio_get ioprio_set -- groups and priorities
errno EPERM setfsuid setfsgid capget personality -- asks what it is; answers nothing
errno EPERM sync syncfs sync_file_range -- writes out files of everybody
allow wait4 if a0:32 == 0xffffffff and a2:32 == 0x40000001 -- the keeper of a session collects the ends of its processes, with options that nobody else uses
errno ECHILD wait4 waitid -- there are no children to wait for
errno EINVAL sendfile splice tee vmsplice -- shutil.copyfile then copies by reading
errno ENOSYS _sysctl afs_syscall create_module epoll_ctl_old epoll_wait_old get_kernel_syms get_thread_area set_thread_area getpmsg putpmsg query_module security tuxcall vserver uretprobe uprobe -- not in kernels of today, or of no use

# --- processes
notify process fork vfork execve execveat -- starting processes and programs
notify process tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open pidfd_getfd -- reaching other processes
notify process process_vm_readv process_vm_writev process_madvise process_mrelease kcmp -- reaching into other processes

# --- privileges and the kernel's own interfaces
notify privilege ptrace seccomp -- tracing and filters
notify privilege setuid setgid setreuid setregid setresuid setresgid setgroups capset -- becoming somebody else
notify privilege unshare setns chroot pivot_root mount umount2 mount_setattr move_mount open_tree open_tree_attr -- namespaces and mounts
notify privilege fsopen fsconfig fsmount fspick statmount listmount listns name_to_handle_at open_by_handle_at -- namespaces and mounts
notify privilege landlock_create_ruleset landlock_add_rule landlock_restrict_self -- rules of its own
notify privilege lsm_get_self_attr lsm_set_self_attr lsm_list_modules -- security modules
notify privilege bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register -- where most bugs of kernels are found
notify privilege add_key request_key keyctl -- keys of the kernel
notify privilege init_module finit_module delete_module kexec_load kexec_file_load reboot -- the kernel itself
notify privilege swapon swapoff acct quotactl quotactl_fd sysfs ustat uselib nfsservctl lookup_dcookie vhangup syslog -- administration
notify privilege settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname -- clock and name of the machine
notify privilege ioperm iopl modify_ldt remap_file_pages pkey_mprotect memfd_secret -- processor and memory
notify privilege fanotify_init fanotify_mark -- watching file systems
notify privilege shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl -- memory and queues shared between processes
notify privilege mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr -- queues shared between processes
