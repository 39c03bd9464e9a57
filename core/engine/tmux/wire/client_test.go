package wire

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

// exotic is a session name that tests quoting; tmux changes only "." and ":".
const exotic = `a b'c"d #{pid} $HOME \ é ☂ -x`

// furnish gives a server something to look at: an exotic session, a dead pane, a
// long history, buffers and options.
func furnish(t testing.TB, h *host) {
	t.Helper()
	for _, argv := range [][]string{
		{"set-option", "-g", "history-limit", "30000"},
		{"set-option", "-g", "remain-on-exit", "on"},
		{"new-session", "-d", "-s", exotic, "-x", "200", "-y", "50", "cat"},
		{"new-window", "-t", "=main:", "-n", "dead", "printf '\\033[31mred\\033[m caf\\303\\251\\n'; exit 3"},
		{"new-window", "-t", "=main:", "-n", "long", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); " +
			"echo \"line $i of a long history\"; done; '" + h.tmux + "' -S '" + h.socket + "' wait-for -S long; cat"},
		{"wait-for", "long"},
		{"set-buffer", "-b", "big", strings.Repeat("0123456789abcdef", 900)},
		{"set-option", "-g", "@lines", "one\ntwo\t'three'"},
	} {
		if r := h.exec(t, argv...); r.Exit != 0 {
			t.Fatalf("tmux %q: %s", argv, r.Stderr)
		}
	}
	for ctx := within(t); string(h.exec(t, "display-message", "-p", "-t", "=main:dead",
		"#{pane_dead}#{pane_dead_status}").Stdout) != "13\n"; {
		if ctx.Err() != nil {
			t.Fatalf("the pane does not die: %s", h.exec(t, "capture-pane", "-p", "-t", "=main:dead").Stdout)
		}
		// While tmux runs utempter for a new pane, it misses that a child ends.
		if err := syscall.Kill(h.pid(t), syscall.SIGCHLD); err != nil {
			t.Fatal(err)
		}
	}
}

var commands = [][]string{
	{"display-message", "-p", "#{version} #{pid} #{session_name}"},
	{"display-message", "-p", "-t", "=" + exotic + ":", "#{session_name}|#{q:session_name}"},
	{"display-message", "-p", "é ☂ 日本 #{l:#{x}} ' \" \\ $HOME ~"},
	{"display-message", "-p", "two\nlines\tand a tab\x01"},
	{"display-message", "-p", "--", "-dash"},
	{"display-message", "-p", ""},
	{"display-message", "-p", strings.Repeat("x", 16000)},
	{"display-message", "-p", "semicolon;"},
	{"display-message", "-p", `semicolon\;`},
	{"display-message", "-p", "#{client_termname}#{client_utf8}"},
	{"list-sessions"},
	{"list-sessions", "-F", "#{session_name}\t#{session_windows}"},
	{"list-windows", "-a", "-F", "#{window_name} #{window_width}x#{window_height}"},
	{"list-panes", "-a"},
	{"list-panes", "-a", "-F", "#{pane_id} #{pane_dead} #{pane_dead_status} #{pane_current_path} #{pane_title}"},
	{"list-panes", "-t", "no such session"},
	{"list-clients"},
	{"list-commands"},
	{"list-keys"},
	{"capture-pane", "-p", "-e", "-t", "=main:dead"},
	{"capture-pane", "-p", "-t", "=main:long", "-S", "-"},
	{
		"capture-pane", "-p", "-e", "-J", "-t", "=main:long", "-S", "-", ";", "capture-pane", "-p", "-t", "=main:long",
		"-S", "-100",
	},
	{"capture-pane", "-p", "-t", "%999"},
	{"show-options", "-g"},
	{"show-options", "-g", "-v", "@lines"},
	{"show-options", "-g", "no-such-option"},
	{"show-environment", "-g"},
	{"show-hooks", "-g"},
	{"has-session", "-t", "=main"},
	{"has-session", "-t", "=" + exotic},
	{"has-session", "-t", "=mai"},
	{"has-session", "-t", "\n"},
	{"set-buffer", "-b", "mine", "--", "-x é\n#{pid}\x7f"},
	{"show-buffer", "-b", "mine"},
	{"show-buffer", "-b", "big"},
	{"show-buffer", "-b", "none"},
	{"save-buffer", "-b", "big", "-"},
	{"save-buffer", "-b", "big", "-", ";", "save-buffer", "-b", "mine", "-"},
	{"list-panes", "-a", ";", "save-buffer", "-b", "big", "-"},
	{"send-keys", "-t", "=main:dead", "Enter"},
	{"send-keys", "-t", "=main:long", "-l", "--", "-é"},
	{"send-keys", "-t", "%999", "x"},
	{"no-such-command"},
	{"list"},
	{"li", "-x"},
	{"list-panes", "-Z"},
	{"list-panes", "one", "two"},
	{""},
	{" "},
	{";"},
	{"{"},
	{"if-shell", "-F", "1", "display-message -p yes", "display-message -p no"},
	{"if-shell", "-F", "1", "display-message -p {"},
	{"run-shell", "echo out; echo err >&2; exit 3"},
	{"display-message", "-p", "one", ";", "has-session", "-t", "=none", ";", "display-message", "-p", "three"},
	{"display-message", "-p", "one", ";", "no-such-command"},
	{"display-message", "-p", "one", ";", "display-message", "-p", "two", ";"},
	{"attach-session", "-t", "=main"},
	{"new-session"},
	{"new-session", "-d", "-s", "main"},
	{"detach-client"},
	{"refresh-client"},
	{"wait-for", "-S", "nobody"},
	{"source-file", "-q", "/nonexistent/file*"},
	{"kill-session", "-t", "=none"},
	{"rename-window", "-t", "=main:dead", "dead"},
}

var getopt = regexp.MustCompile(`(?m)^\S*tmux\S*: unknown option -- .\n`)

func TestAnswersLikeTheProgram(t *testing.T) {
	h := launch(t)
	furnish(t, h)
	client := open(h.socket)
	for _, argv := range commands {
		got, err := client.Run(within(t), argv)
		if err != nil {
			t.Errorf("%q: %v", argv, err)
			continue
		}
		want := h.exec(t, argv...)
		// The program of 3.2 parses the command too and complains by itself.
		want.Stderr = getopt.ReplaceAll(want.Stderr, nil)
		same(t, argv, got, want)
	}
	if t.Failed() {
		t.Logf("tmux is %s", h.exec(t, "-V").Stdout)
	}
}

func TestLongestCommandIsTakenAndOneByteMoreIsNot(t *testing.T) {
	h := launch(t)
	client := open(h.socket)
	argv := []string{"set-buffer", "-b", "long", ""}
	argv[3] = strings.Repeat("x", MaxArgv-len("set-buffer\x00-b\x00long\x00\x00"))
	if r, err := client.Run(within(t), argv); err != nil || r.Exit != 0 {
		t.Fatalf("%d bytes: %v %s", MaxArgv, err, r.Stderr)
	}
	if got := h.exec(t, "show-buffer", "-b", "long").Stdout; string(got) != argv[3] {
		t.Errorf("the buffer holds %d bytes, want %d", len(got), len(argv[3]))
	}
	argv[3] += "x"
	if _, err := client.Run(within(t), argv); !errors.Is(err, ErrTooLong) {
		t.Errorf("%d bytes: %v, want ErrTooLong", MaxArgv+1, err)
	}
}

func TestFilesAndStandardInputAreRefused(t *testing.T) {
	h := launch(t)
	client, pid := open(h.socket), h.pid(t)
	file := filepath.Join(h.home, "file")
	for _, argv := range [][]string{
		{"load-buffer", "-"},
		{"load-buffer", "/etc/passwd"},
		{"source-file", "-"},
		{"source-file", "/etc/passwd"},
		{"set-buffer", "-b", "x", "text", ";", "save-buffer", "-b", "x", file},
	} {
		r, err := client.Run(within(t), argv)
		if err != nil || r.Exit != 1 || len(r.Stderr) == 0 {
			t.Errorf("%q: %v, %s; want status 1 and a reason", argv, err, brief(r))
		}
	}
	r, err := client.Run(within(t), []string{"split-window", "-d", "-I"})
	if err != nil {
		t.Errorf("split-window -I: %v, %s", err, brief(r))
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("save-buffer wrote a file")
	}
	if again := h.pid(t); again != pid {
		t.Errorf("the server is now %d, was %d", again, pid)
	}
}

func TestRelativePathsStartInTheWorkingDirectory(t *testing.T) {
	h := launch(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("marker", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	argv := []string{"if-shell", "test -f marker", "display-message -p here", "display-message -p elsewhere"}
	r, err := open(h.socket).Run(within(t), argv)
	if err != nil || string(r.Stdout) != "here\n" {
		t.Errorf("%v, %s", err, brief(r))
	}
}

func TestNoServer(t *testing.T) {
	h := launch(t)
	h.kill(t)
	file := filepath.Join(h.home, "plain")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"missing":      filepath.Join(h.home, "missing"),
		"below a file": filepath.Join(file, "s"),
		"plain file":   file,
		"stale socket": h.socket,
	} {
		if _, err := open(path).Run(within(t), []string{"list-panes"}); !errors.Is(err, engine.ErrNoServer) {
			t.Errorf("%s: %v, want engine.ErrNoServer", name, err)
		}
	}
}

func TestSocketOfAnotherUserIsDenied(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	h := launch(t)
	if err := os.Chmod(h.socket, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(h.socket, 0o700) })
	if _, err := open(h.socket).Run(within(t), []string{"list-panes"}); !errors.Is(err, engine.ErrDenied) {
		t.Errorf("%v, want engine.ErrDenied", err)
	}
}

// hang starts a call that never ends by itself and returns once it runs.
func hang(ctx context.Context, t *testing.T, client *Client) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		r, err := client.Run(ctx, []string{"wait-for", "-S", "ready", ";", "wait-for", "never"})
		if err == nil && (r.Exit != 0 || len(r.Stdout)+len(r.Stderr) > 0) {
			err = errors.New(brief(r))
		}
		ended <- err
	}()
	if r, err := client.Run(within(t), []string{"wait-for", "ready"}); err != nil || r.Exit != 0 {
		t.Fatalf("the call did not start: %v %s", err, r.Stderr)
	}
	return ended
}

func TestCancelledCallEndsAtOnce(t *testing.T) {
	h := launch(t)
	client := open(h.socket)
	ctx, cancel := context.WithCancel(within(t))
	ended := hang(ctx, t, client)
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want context.Canceled", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the call goes on")
	}
	if r, err := client.Run(within(t), []string{"has-session"}); err != nil || r.Exit != 0 {
		t.Errorf("the next call: %v %s", err, r.Stderr)
	}
	if _, err := client.Run(ctx, []string{"has-session"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that is cancelled before: %v", err)
	}
}

func TestServerKilledMidCall(t *testing.T) {
	h := launch(t)
	client := open(h.socket)
	ended := hang(within(t), t, client)
	h.kill(t)
	err := <-ended
	if !errors.Is(err, engine.ErrNoServer) || !errors.Is(err, ErrProtocol) {
		t.Errorf("%v, want engine.ErrNoServer and ErrProtocol", err)
	}
}

// A server that is asked to end notifies its clients, and the program exits with 0.
func TestServerEndedMidCall(t *testing.T) {
	h := launch(t)
	client := open(h.socket)
	ended := hang(within(t), t, client)
	r, err := client.Run(within(t), []string{"kill-server"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{"kill-server"}, r, Result{})
	if err := <-ended; err != nil {
		t.Errorf("%v, want an empty result", err)
	}
	h.awaitSilence(t)
	if _, err := client.Run(within(t), []string{"has-session"}); !errors.Is(err, engine.ErrNoServer) {
		t.Errorf("%v, want engine.ErrNoServer", err)
	}
}

func TestProbesEachServerOnce(t *testing.T) {
	h := launch(t)
	client := open(h.socket)
	name := strings.Fields(string(h.exec(t, "-V").Stdout))
	want := name[len(name)-1]
	got, err := client.Probe(within(t))
	if err != nil || got != want {
		t.Fatalf("version %q, %v; want %q", got, err, want)
	}
	first := client.verdict.Load()
	if _, err := client.Run(within(t), []string{"has-session"}); err != nil {
		t.Fatal(err)
	}
	if client.verdict.Load() != first {
		t.Error("the same server was probed twice")
	}
	h.kill(t)
	if _, err := client.Probe(within(t)); !errors.Is(err, engine.ErrNoServer) {
		t.Errorf("killed: %v, want engine.ErrNoServer", err)
	}
	h.start(t)
	if _, err := client.Run(within(t), []string{"has-session"}); err != nil {
		t.Fatal(err)
	}
	if client.verdict.Load() == first {
		t.Error("the server's successor was not probed")
	}
}

func TestStoppedServerTriesTimeoutOnly(t *testing.T) {
	h := launch(t)
	pid := h.pid(t)
	enginetest.Suspend(t, pid)
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGCONT) })
	client := open(h.socket)
	client.timeout = 50 * time.Millisecond
	if _, err := client.Run(within(t), []string{"has-session"}); !errors.Is(err, engine.ErrSilent) ||
		errors.Is(err, engine.ErrNoServer) {
		t.Errorf("%v, want engine.ErrSilent", err)
	}
	client.timeout = 10 * time.Second
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Run(within(t), []string{"has-session"}); err != nil {
		t.Errorf("it goes on: %v", err)
	}
}
