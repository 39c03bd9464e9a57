package host

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/system/private"
	"cupola/core/system/shell"
	"cupola/core/term/cells"
)

// State is whether a host can be asked.
type State string

// The states. A Slow host answers, but takes longer than SlowAbove; an Older one speaks another protocol; a Refused one
// does not let the user in, or is not the machine that it was; Missing ones can be reached, but have no Cupola.
const (
	Up       State = "up"
	Slow     State = "slow"
	Down     State = "down"
	Older    State = "older"
	Refused  State = "refused"
	Missing  State = "missing"
	Disabled State = "disabled"
)

// SlowAbove is the round trip above which a host is slow, and SlowReason says that.
const (
	SlowAbove  = time.Second
	SlowReason = "its answers take more than a second"
)

const (
	// keepFor is how long ssh keeps an unused connection.
	keepFor = "10m"
	// aliveEvery and aliveMost are how ssh notices a link that is dead: after their product, in seconds.
	aliveEvery, aliveMost = 5, 3
	// pathMost is the longest path of a socket, in bytes, that all systems take; ssh adds a suffix while it makes one.
	// hashLength is the length of the hash that it puts in place of %C.
	pathMost, hashLength = 84, 40
	// digestBytes is the length of the digest of an entry.
	digestBytes = 6
	// saidMost is how much of what ssh prints is kept, in bytes.
	saidMost = 4 << 10
	// endWithin is how long ssh may take to end once its input has ended. Its program on the host ends without it.
	endWithin = 500 * time.Millisecond
	// unsharedWithin is how long ssh may take to say once more why it fails.
	unsharedWithin = 3 * time.Second
)

// Dialer starts ssh.
type Dialer struct {
	// Dir is where sockets of connections lie; empty shares none.
	Dir string
	// Program is the path of ssh; empty finds it on the PATH.
	Program string
	// Proxy is the command of this machine that answers for a host without Cupola, before the flag that names the host;
	// empty is none.
	Proxy []string
}

// Argv returns the command that runs a line of the shell on a host, and makes the folder of its socket. With a terminal
// it is for a person, who may be asked for a password; without one nothing is asked.
//
// ssh uses the first value that it gets for an option. Cupola passes the options that it relies on first, then the
// options of the host's entry, then its own defaults. The user's own configuration comes last.
func (d Dialer) Argv(h *Host, terminal bool, line string) ([]string, error) {
	destination := h.Destination()
	if strings.HasPrefix(destination, "-") {
		return nil, core.Errorf(core.ConfigInvalid, "the destination of host %s begins with a dash: %q", h.Name,
			destination)
	}
	timeout := cmp.Or(h.Timeout, DefaultTimeout)
	argv := []string{
		cmp.Or(d.Program, "ssh"), "-o", fmt.Sprintf("ConnectTimeout=%d", max(1, int(timeout.Seconds()))), "-o",
		fmt.Sprintf("ServerAliveInterval=%d", aliveEvery), "-o", fmt.Sprintf("ServerAliveCountMax=%d", aliveMost),
		"-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no", "-k",
	}
	if terminal {
		argv = append(argv, "-t")
	} else {
		argv = append(argv, "-T", "-o", "BatchMode=yes")
	}
	if socket := d.socket(h); socket != "" {
		argv = append(argv, "-o", "ControlMaster=auto", "-o", "ControlPath="+socket, "-o", "ControlPersist="+keepFor)
	} else {
		argv = append(argv, "-o", "ControlMaster=no", "-o", "ControlPath=none")
	}
	argv = append(argv, h.Options...)
	for _, unwanted := range unwanted {
		argv = append(argv, "-o", unwanted)
	}
	if !terminal {
		argv = append(argv, "-o", "LogLevel=ERROR") // a banner would hide why it failed
	}
	return append(argv, "--", destination, line), nil
}

// unwanted are options of ssh that the user's configuration may have for people, and that give a host more than a
// connection: the user's keys, windows and ports. An entry that gives one itself has it.
var unwanted = []string{"ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "Tunnel=no"}

// socket returns the path of the socket of a host's connection; empty if it has none of its own. It depends on all that
// the entry says, so that a connection that one key opened is not used for another one.
func (d Dialer) socket(h *Host) string {
	if d.Dir == "" || private.MakeFolder(d.Dir) != nil {
		return ""
	}
	socket := filepath.Join(d.Dir, "ssh-"+hex.EncodeToString(h.digest()))
	switch {
	case len(socket)+1+hashLength < pathMost:
		return socket + "-%C" // what the user's configuration says of the destination counts too
	case len(socket) < pathMost:
		return socket
	}
	return ""
}

// digest depends on all that the entry says of how the host is reached.
func (h *Host) digest() []byte {
	of := sha256.New()
	for _, part := range append([]string{h.Name, h.Destination()}, h.Options...) {
		fmt.Fprintf(of, "%d %s\n", len(part), part)
	}
	return of.Sum(nil)[:digestBytes]
}

// Command is the line that runs Cupola on the host: any shell can run it.
func (h *Host) Command(words ...string) string {
	line := `PATH="$PATH:$HOME/.local/bin:/usr/local/bin" exec ` + shell.Quote(cmp.Or(h.Program, "cupola"))
	if strings.HasPrefix(h.Program, "~/") {
		line = `exec "$HOME"/` + shell.Quote(strings.TrimPrefix(h.Program, "~/"))
	}
	return "exec sh -c " + shell.Quote(line+" "+shell.Line(words...))
}

// Forget ends the connection to a host that is kept.
func (d Dialer) Forget(ctx context.Context, h *Host) error {
	argv, err := d.Argv(h, false, "")
	if err != nil {
		return err
	}
	argv = append([]string{argv[0], "-O", "exit"}, argv[1:len(argv)-1]...)
	return exec.CommandContext(ctx, argv[0], argv[1:]...).Run()
}

// Pipe is the standard input and output of a program on a host.
type Pipe struct {
	io.Reader
	io.WriteCloser

	host *Host
	cmd  *exec.Cmd
	said *said
	once sync.Once
	err  error
}

// Start runs words on a host.
func (d Dialer) Start(h *Host, words ...string) (*Pipe, error) {
	return d.start(h, h.Command(words...))
}

// start runs a line of the shell on a host.
func (d Dialer) start(h *Host, line string) (*Pipe, error) {
	argv, err := d.Argv(h, false, line)
	if err != nil {
		return nil, err
	}
	// It ends with its input, so that its work on the host may come to its end.
	return begin(h, exec.Command(argv[0], argv[1:]...)) //nolint:noctx // Close ends it
}

// begin starts a command that reaches a host.
func begin(h *Host, cmd *exec.Cmd) (p *Pipe, err error) {
	detached(cmd)
	cmd.WaitDelay = endWithin
	p = &Pipe{host: h, cmd: cmd, said: &said{}}
	cmd.Stderr = p.said
	if p.WriteCloser, err = cmd.StdinPipe(); err != nil {
		return nil, core.Errorf(core.IOError, "make a pipe: %w", err)
	}
	if p.Reader, err = cmd.StdoutPipe(); err != nil {
		return nil, core.Errorf(core.IOError, "make a pipe: %w", err)
	}
	if err := cmd.Start(); errors.Is(err, exec.ErrNotFound) {
		return nil, &core.Error{Code: core.ToolNotFound, Message: "ssh is not installed, which reaches other hosts"}
	} else if err != nil {
		return nil, core.Errorf(core.IOError, "start ssh: %w", err)
	}
	return p, nil
}

// Close ends the program's input, waits until ssh has ended, and returns why it failed: a *Fault, or nil.
func (p *Pipe) Close() error {
	p.once.Do(func() {
		_ = p.WriteCloser.Close()
		late := time.AfterFunc(endWithin, func() { _ = p.cmd.Process.Kill() })
		err := p.cmd.Wait()
		late.Stop()
		if err != nil {
			exit, printed := p.cmd.ProcessState.ExitCode(), p.said.String()
			if exit == sshFailed && strings.Contains(printed, unidentified) {
				printed = p.unshared() + "\n" + printed
			}
			p.err = faultOf(p.host, exit, printed)
		}
	})
	return p.err
}

// unidentified is ssh's message where nothing answered through a jump host or a ProxyCommand. The messages of those are
// lost where ssh would share the connection.
const unidentified = "kex_exchange_identification"

// unshared returns what ssh prints when it connects once more without sharing the connection.
func (p *Pipe) unshared() string {
	args := slices.Concat([]string{"-o", "ControlMaster=no", "-o", "ControlPath=none"}, p.cmd.Args[1:])
	args[len(args)-1] = "exit"
	cmd, printed := exec.Command(p.cmd.Path, args...), &said{} //nolint:noctx // it is killed when it is late
	cmd.Stderr, cmd.WaitDelay = printed, endWithin
	detached(cmd)
	if cmd.Start() != nil {
		return ""
	}
	late := time.AfterFunc(unsharedWithin, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait() // it fails as it did before
	return printed.String()
}

// Fault is why a host cannot be asked.
type Fault struct {
	Host   string
	State  State
	Reason string
}

// Error names the host, how it is, and why.
func (f *Fault) Error() string { return fmt.Sprintf("host %s is %s: %s", f.Host, f.State, f.Reason) }

// codes are the codes of the states.
var codes = map[State]core.Code{
	Down: core.NetworkError, Slow: core.Timeout, Older: core.Conflict, Refused: core.AuthFailed,
	Missing: core.ToolNotFound, Disabled: core.NotReady,
}

// hints are the hints of states for which the default hint of the code is wrong.
var hints = map[State]string{
	Refused: "Your own ssh says more, with the same destination: no password is asked for here.",
	Missing: "It can be copied there if the machine is of the same kind.",
	Older:   "Both hosts need versions that are not far apart.",
}

// AsError returns a fault with its code.
func (f *Fault) AsError() *core.Error {
	return &core.Error{
		Hint: hints[f.State],
		Code: cmp.Or(codes[f.State], core.NetworkError), Message: f.Error(),
		Remedies: []core.Remedy{core.RemedyTestHost, core.RemedyListHosts}, Subject: core.Subject{Host: f.Host},
		Details: map[string]any{"host": f.Host, "state": f.State, "reason": f.Reason}, Err: f,
	}
}

const (
	// sshFailed is the exit status of ssh itself, and notFound what a shell says of a program that is not there.
	sshFailed, notFound, notExecutable = 255, 127, 126
)

// refusals are parts of ssh's messages where it is not let in, or the machine is another one.
var refusals = []string{
	"Permission denied", "Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED",
	"Too many authentication", "No supported authentication", "not allowed",
}

// faultOf says what the end of ssh means.
func faultOf(h *Host, exit int, printed string) *Fault {
	f := &Fault{Host: h.Name, State: Down, Reason: reasonOf(printed)}
	switch {
	case strings.Contains(printed, "REMOTE HOST IDENTIFICATION HAS CHANGED"):
		f.State, f.Reason = Refused, "its host key has changed; if that is right, remove the old one with ssh-keygen -R"
	case exit == notFound || exit == notExecutable:
		f.State, f.Reason = Missing, strings.TrimSuffix("that machine has no Cupola that can run: "+f.Reason, ": ")
	case exit < 0:
		f.Reason = "ssh was killed"
	case exit != sshFailed:
		f.Reason = cmp.Or(f.Reason, fmt.Sprintf("Cupola on that machine ended with status %d", exit))
	}
	for _, words := range refusals {
		if exit == sshFailed && strings.Contains(printed, words) {
			f.State = Refused
		}
	}
	f.Reason = cmp.Or(f.Reason, "the connection was lost")
	return f
}

// reasonMost is the length at which a reason is cut, in bytes.
const reasonMost = 1000

// reasonOf is all that ssh printed, as one line: the last of its lines is seldom the one that says why.
func reasonOf(printed string) string {
	var lines []string
	for line := range strings.Lines(printed) {
		if line = strings.TrimSpace(cells.Safe(line)); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return core.End(strings.Join(lines, "; "), reasonMost) // the end says most
}

// said keeps the end of what ssh prints.
type said struct {
	mu   sync.Mutex
	text []byte
}

func (s *said) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, text...)
	if over := len(s.text) - saidMost; over > 0 {
		s.text = bytes.Clone(s.text[over:])
	}
	return len(text), nil
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}
