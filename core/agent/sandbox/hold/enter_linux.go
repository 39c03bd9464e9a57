package hold

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Enter is the first process of a sandbox. It starts the program, collects processes that end, and returns the exit
// status of the program; with that all processes of the sandbox end. The first argument lists the ports on which the
// process outside answers, and the others are the program's command line.
func Enter(ctx context.Context, args []string) (int, error) {
	if len(args) < 2 {
		return 0, errors.New("no program is named")
	}
	argv := args[1:]
	got := make(chan os.Signal, 8)
	signal.Notify(got, forwarded...) // the program gets them too, once it runs
	if args[0] != "-" {
		if err := handOut(ctx, strings.Split(args[0], ",")); err != nil {
			return 0, fmt.Errorf("the network of the sandbox: %w", err)
		}
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread() // what follows holds for this thread, and for what it starts
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("no new privileges: %w", err)
	}
	if err := scope(); err != nil {
		return 0, fmt.Errorf("landlock: %w", err)
	}
	if err := filter(); err != nil {
		return 0, fmt.Errorf("seccomp: %w", err)
	}
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil && !errors.Is(err, unix.ENOSYS) {
		return 0, fmt.Errorf("inherited files: %w", err)
	}
	for range rand.IntN(maxSkipped) {
		skip()
	}
	if s := ending(got); s != 0 {
		return 128 + int(s), nil
	}
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if err != nil {
		return 0, err
	}
	if s := ending(got); s != 0 {
		_ = syscall.Kill(pid, s)
	}
	return collect(pid)
}

// ending returns a signal that came and ends the program; 0 if none did.
func ending(got <-chan os.Signal) syscall.Signal {
	for {
		select {
		case s := <-got:
			if number, _ := s.(syscall.Signal); ends(number) {
				return number
			}
		default:
			return 0
		}
	}
}

// maxSkipped is how many pids are skipped at most, at some 0.2 ms each. Without that the program would have the same
// pid in every sandbox, and take a lock file that an ended one left for that of a living process.
const maxSkipped = 200

// skip uses up a pid.
func skip() {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		for {
			_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	var status syscall.WaitStatus
	_, _ = syscall.Wait4(int(pid), &status, 0, nil)
}

// collect waits for processes, those that others left too, until the program has ended.
func collect(program int) (int, error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case pid == program && status.Signaled():
			return 128 + int(status.Signal()), nil
		case pid == program:
			return status.ExitStatus(), nil
		}
	}
}

// ruleset is struct landlock_ruleset_attr.
type ruleset struct{ fs, network, scoped uint64 }

// Landlock's scope that bars abstract sockets of processes outside, and the version of its interface that has it.
const (
	scopeAbstract = 1 << 0
	scopeVersion  = 6
)

// LandlockVersion returns the version of Landlock's interface; 0 if the kernel has none.
func LandlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// scope keeps this thread from abstract sockets outside, which no mount can hide. Older kernels cannot.
func scope() error {
	if LandlockVersion() < scopeVersion {
		return nil
	}
	rules := ruleset{scoped: scopeAbstract}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)),
		unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return errno
	}
	defer func() { _ = unix.Close(int(fd)) }()
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// Offsets in struct seccomp_data, and what a filter returns.
const (
	dataCall, dataArch, dataArg1 = 0, 4, 24
	allow                        = unix.SECCOMP_RET_ALLOW
	refuse                       = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
)

// calls are refused whole: keys are shared by all processes of a user, in a sandbox or not.
var calls = []uint32{unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL}

// controls are refused of terminals: they type into them.
var controls = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// filter refuses system calls that reach out of a sandbox whatever it sees. Calls of another architecture are refused:
// they have other numbers.
func filter() error {
	arch, known := map[string]uint32{
		"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64,
	}[runtime.GOARCH]
	if !known {
		return nil
	}
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	jump := func(how uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	give := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	const otherABI = 0x40000000 // calls of x32
	program := []unix.SockFilter{
		load(dataArch), jump(unix.BPF_JEQ, arch, 1, 0), give(refuse),
		load(dataCall), jump(unix.BPF_JGE, otherABI, 0, 1), give(refuse),
	}
	for _, call := range calls {
		program = append(program, jump(unix.BPF_JEQ, call, 0, 1), give(refuse))
	}
	program = append(program, jump(unix.BPF_JEQ, unix.SYS_IOCTL, 1, 0), give(allow), load(dataArg1))
	for _, control := range controls {
		program = append(program, jump(unix.BPF_JEQ, control, 0, 1), give(refuse))
	}
	program = append(program, give(allow))
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
}

// sender returns the process that made a connection, as this process numbers it; 0 if it is not known.
func sender(conn *net.UnixConn) int {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	_ = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(peer.Pid)
		}
	})
	return pid
}

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
