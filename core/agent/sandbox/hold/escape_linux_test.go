package hold_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/agent/sandbox/hold"
	"cupola/core/git/gittest"
	"cupola/core/system/process"
)

// attempts has what no shell can try; each returns nil if it got out.
var attempts = map[string]func(arg string) error{
	"connect": func(path string) error {
		conn, err := net.Dial("unix", path)
		if err == nil {
			err = conn.Close()
		}
		return err
	},
	"reach": func(address string) error {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			err = conn.Close()
		}
		return err
	},
	"get": func(address string) error {
		proxy, err := url.Parse(os.Getenv("HTTP_PROXY")) // Go itself asks no proxy for this machine
		if err != nil {
			return err
		}
		client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}, Timeout: 10 * time.Second}
		answer, err := client.Get(address)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		_, err = io.Copy(os.Stdout, answer.Body)
		return err
	},
	"type": func(string) error {
		letter := byte('x')
		return ioctl(0, unix.TIOCSTI, &letter)
	},
	"key": func(string) error {
		_, err := unix.AddKey("user", "cupola-test", []byte("x"), unix.KEY_SPEC_USER_KEYRING)
		return err
	},
	"hook": func(payload string) error {
		return hold.Send(context.Background(), &hold.Report{Args: []string{"claude"}, Payload: []byte(payload)})
	},
}

// TestMain is also the program that holds a sandbox, its first process, and what tries to get out of it.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 {
		os.Exit(m.Run())
	}
	status, err := 0, error(nil)
	switch attempt := attempts[os.Args[1]]; {
	case os.Args[1] == sandbox.HoldWord:
		hooked := func(pid int, r *hold.Report) {
			fmt.Printf("reported by %s: %s\n", process.Argv(pid)[1], r.Payload)
		}
		status, err = hold.Run(context.Background(), hold.Options{Plan: os.Args[2], Hooked: hooked})
	case os.Args[1] == sandbox.EnterWord:
		status, err = hold.Enter(context.Background(), os.Args[2:])
	case attempt != nil:
		err = attempt(os.Args[2])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 99
	}
	os.Exit(status)
}

// world is a user's home with a project in it, outside of all sandboxes.
type world struct {
	t             *testing.T
	home, project string
	environ       []string
	// set are the sandboxes.
	set *sandbox.Set
}

const secretText = "the secret of another program"

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir()}
	w.project = filepath.Join(w.home, "src", "api")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.set = &sandbox.Set{
		Self: self, Folder: filepath.Join(w.home, "r"), Hidden: []string{filepath.Join(w.home, ".config", "cupola")},
	}
	if err := w.set.Check("project"); err != nil {
		t.Skip(err) // only where bubblewrap is not installed, or the system forbids it
	}
	w.environ = []string{
		"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "SECRET=" + secretText, "SSH_AUTH_SOCK=" + w.path("agent.sock"),
		"LD_PRELOAD=/nothing.so", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@b",
	}
	for path, text := range map[string]string{
		".ssh/id": secretText, "src/web/secret": secretText, ".config/cupola/config.toml": secretText,
		".claude/settings.json": "{}", ".claude.json": "{}", ".cache/x": secretText, "src/api/file": "text\n",
	} {
		w.write(path, text)
	}
	gittest.Run(t, w.project, w.environ, "init", "-q", ".")
	gittest.Run(t, w.project, w.environ, "add", ".")
	gittest.Run(t, w.project, w.environ, "commit", "-qm", "first")
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.home, name) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// listen makes a socket outside.
func (w *world) listen(network, address string) net.Addr {
	w.t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	return listener.Addr()
}

// command returns the command that runs a shell script in a sandbox, as an agent of a kind.
func (w *world) command(name, dir, script string) *exec.Cmd {
	w.t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		w.t.Fatal(err)
	}
	kind, _ := kinds.Find("claude")
	argv, environ, err := w.set.Hold(&sandbox.Request{
		Name: name, Kind: kind, Dir: dir, Argv: []string{"/bin/sh", "-c", script}, Environ: w.environ,
		Given: []string{"SELF=" + w.set.Self, "GIT_CONFIG_COUNT=0"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, slices.Concat(environ, []string{"SELF=" + w.set.Self, "TESTS=" + w.home})
	return cmd
}

// run runs a script and returns what it printed, and its exit status.
func (w *world) run(name, dir, script string) (string, int) {
	w.t.Helper()
	cmd := w.command(name, dir, script)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run()
	return out.String(), cmd.ProcessState.ExitCode()
}

// waysOut are scripts that try to get out of a sandbox, by a claim that is true where one does. Each ends with 0 then.
func waysOut(outside int, shared string) map[string]string {
	return map[string]string{
		"a secret of the home is read":         `cat ~/.ssh/id`,
		"another project is read":              `cat ../web/secret`,
		"a file of the home is written":        `echo x > "$TESTS/.bashrc"; false`,
		"the system is changed":                `touch /etc/x || touch /usr/x`,
		"the settings of Cupola are read":      `cat ~/.config/cupola/config.toml`,
		"the caches are shared":                `cat ~/.cache/x`,
		"the terminal server is asked":         `$SELF connect "$TESTS/tmux.sock"`,
		"the ssh agent is asked":               `test -n "$SSH_AUTH_SOCK" || $SELF connect "$TESTS/agent.sock"`,
		"a socket in the project is asked":     `$SELF connect "$PWD/dev.sock"`,
		"docker is asked":                      `$SELF connect /var/run/docker.sock || $SELF connect /run/docker.sock`,
		"D-Bus is asked":                       `$SELF connect /run/dbus/system_bus_socket || test -n "$DBUS_SESSION_BUS_ADDRESS"`,
		"an abstract socket is asked":          `$SELF connect @cupola-test-` + strconv.Itoa(os.Getpid()),
		"X11 is asked":                         `$SELF connect /tmp/.X11-unix/X0 || $SELF connect @/tmp/.X11-unix/X0 || test -n "$DISPLAY"`,
		"a git hook is written":                `echo x > .git/hooks/post-commit`,
		"the settings of git are written":      `git config core.fsmonitor ./x`,
		"git is led to other settings":         `echo ../evil > .git/commondir || rm -f .git/commondir && ! test -e .git/commondir`,
		"git's folder is replaced":             `mv .git other`,
		"a hook of an agent is written":        `echo x > ~/.claude/settings.json || mv ~/.claude ~/x`,
		"a command of an agent is added":       `echo x > ~/.claude.json; mkdir -p ~/.claude/commands; echo x > ~/.claude/commands/x; false`,
		"an agent's settings of the project":   `echo x > .claude/settings.json || mv .claude x`,
		"a link in the project leads out":      `ln -s "$TESTS/.ssh" link; cat link/id`,
		"a guarded name that is a link":        `cat .vscode/id`,
		"another process is read":              `grep -l "` + secretText + `" /proc/*/environ`,
		"another process is ended":             `kill ` + strconv.Itoa(outside),
		"a mount is changed":                   `unshare -Ur mount -o remount,bind,rw /usr || unshare -Urm umount .git/config`,
		"capabilities are held":                `! grep -q 'CapEff:.*0000000000000000' /proc/self/status`,
		"a file is inherited":                  `cat <&9`,
		"keys are shared":                      `$SELF key x`,
		"memory is shared":                     `cat ` + shared,
		"variables are inherited":              `test -n "$SECRET" || test -n "$LD_PRELOAD"`,
		"a device is read":                     `ls /dev/sd* /dev/vd* /dev/nvme* /dev/mem 2>/dev/null | grep .`,
		"a program with more rights is run":    `grep -q 'NoNewPrivs:.*0' /proc/self/status`,
		"another terminal is written to":       `ls /dev/pts/[0-9]*`,
		"the host's first process is followed": `ls /proc/1/root/"$TESTS"/.ssh/id`,
	}
}

// TestNothingLeadsOutOfASandbox tries what is known to lead out of one. Each script ends with 0 if it got out.
func TestNothingLeadsOutOfASandbox(t *testing.T) {
	w := newWorld(t)
	outside := exec.CommandContext(t.Context(), "sleep", "1000")
	outside.Env = []string{"SECRET=" + secretText}
	if err := outside.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = outside.Process.Kill(); _ = outside.Wait() })
	w.listen("unix", w.path("tmux.sock"))
	w.listen("unix", w.path("agent.sock"))
	w.listen("unix", filepath.Join(w.project, "dev.sock"))
	w.listen("unix", "@cupola-test-"+strconv.Itoa(os.Getpid()))
	port := w.listen("tcp", "127.0.0.1:0")
	shared := "/dev/shm/cupola-test-" + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(shared, []byte(secretText), 0o644); err == nil {
		t.Cleanup(func() { _ = os.Remove(shared) })
	}
	if err := os.Symlink(w.path(".ssh"), filepath.Join(w.project, ".vscode")); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, w.project, w.environ, "worktree", "add", "-q", w.path("src/tree"))
	for name, try := range waysOut(outside.Process.Pid, shared) {
		t.Run(name, func(t *testing.T) {
			if name == "an abstract socket is asked" && hold.LandlockVersion() < 6 {
				t.Skip("this kernel has no scope of Landlock for abstract sockets")
			}
			cmd := w.command("project", w.project, try)
			cmd.ExtraFiles = make([]*os.File, 7)
			if file, err := os.Open(w.path(".ssh/id")); err == nil {
				cmd.ExtraFiles[6] = file // descriptor 9
				defer file.Close()
			}
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("it got out: %s", out)
			}
			if strings.Contains(string(out), secretText) {
				t.Errorf("it read %s", out)
			}
			w.unharmed()
		})
	}
	t.Run("the network is reached offline", func(t *testing.T) {
		if out, status := w.run("offline", w.project, `$SELF reach `+port.String()); status == 0 {
			t.Errorf("it got out: %s", out)
		}
	})
	t.Run("another port of the loopback is reached", func(t *testing.T) {
		_, allowed, _ := net.SplitHostPort(w.listen("tcp", "127.0.0.1:0").String())
		w.set.Settings = map[string]sandbox.Settings{
			"some": {Network: sandbox.NetworkLoopback, Hosts: []string{allowed}},
		}
		if out, status := w.run("some", w.project, `$SELF reach `+port.String()); status == 0 {
			t.Errorf("it got out: %s", out)
		}
		if out, status := w.run("some", w.project, `$SELF reach 127.0.0.1:`+allowed); status != 0 {
			t.Errorf("the port that it may reach is not reached: %s", out)
		}
	})
	t.Run("another host is reached", func(t *testing.T) {
		served := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
			fmt.Fprint(out, "served ", in.Host)
		}))
		defer served.Close()
		address := strings.TrimPrefix(served.URL, "http://")
		w.set.Settings = map[string]sandbox.Settings{
			"some": {Network: sandbox.NetworkHosts, Hosts: []string{address, "*.example.com"}},
		}
		for _, host := range []string{port.String(), "evil.example.org", "example.com.evil.org", "localhost:22"} {
			if out, status := w.run("some", w.project, `$SELF get http://`+host); status == 0 {
				t.Errorf("it reached %s: %s", host, out)
			}
		}
		if out, status := w.run("some", w.project, `$SELF reach `+address); status == 0 {
			t.Errorf("it reached a host without the proxy: %s", out)
		}
		if out, status := w.run("some", w.project, `NO_PROXY= no_proxy= $SELF get `+served.URL); status != 0 ||
			!strings.Contains(out, "served "+address) {
			t.Errorf("the host that it may reach: %s", out)
		}
	})
	t.Run("the repository of a worktree", func(t *testing.T) {
		out, status := w.run("project", w.path("src/tree"), `echo x > ../api/.git/hooks/x || echo x > ../api/.git/config ||
			echo x > ../api/.git/HEAD || (echo x > ../api/file; false) || echo "$TESTS" > $(git rev-parse --git-dir)/commondir`)
		if status == 0 {
			t.Errorf("it got out: %s", out)
		}
		w.unharmed()
	})
	if err := outside.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("a process outside has ended: %v", err)
	}
}

// unharmed checks what is outside.
func (w *world) unharmed() {
	w.t.Helper()
	for path, want := range map[string]string{
		".claude/settings.json": "{}", ".claude.json": "{}", "src/api/file": "text\n",
	} {
		if text, err := os.ReadFile(w.path(path)); err != nil || string(text) != want {
			w.t.Errorf("%s is %q: %v", path, text, err)
		}
	}
	for _, path := range []string{".bashrc", ".claude/commands", "src/api/.claude/settings.json"} {
		if _, err := os.Lstat(w.path(path)); err == nil {
			w.t.Errorf("%s was made", path)
		}
	}
}

func TestWorkGoesOnInASandbox(t *testing.T) {
	w := newWorld(t)
	port := w.listen("tcp", "127.0.0.1:0")
	gittest.Run(t, w.project, w.environ, "worktree", "add", "-q", w.path("src/tree"))
	const commit = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b;
		echo new > new && git add new && git commit -qm new && git log --oneline`
	for name, work := range map[string]struct{ dir, script, want string }{
		"a commit":                   {w.project, commit, "new"},
		"a commit in a worktree":     {w.path("src/tree"), commit, "new"},
		"the network":                {w.project, `$SELF reach ` + port.String() + ` && echo reached`, "reached"},
		"a conversation is recorded": {w.project, `echo kept > ~/.claude/projects/x`, ""},
		"a temporary file":           {w.project, `f=$(mktemp) && echo $f`, "/tmp/"},
		"a hook":                     {w.project, `$SELF hook '{"a":1}'`, `reported by hook: {"a":1}`},
		"a pid of its own":           {w.project, `echo $$ > pid; ps -o pid= -p $$`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, status := w.run("project", work.dir, work.script)
			if status != 0 || !strings.Contains(out, work.want) {
				t.Errorf("it ended with %d: %s", status, out)
			}
		})
	}
	if text, err := os.ReadFile(w.path(".claude/projects/x")); err != nil || string(text) != "kept\n" {
		t.Errorf("the record outside is %q: %v", text, err)
	}
	if out, status := w.run("project", w.project, "exit 7"); status != 7 {
		t.Errorf("the exit status is %d: %s", status, out)
	}
	w.run("project", w.project, "mkdir -p ~/.cache/deep && echo again > ~/.cache/deep/x")
	if out, _ := w.run("project", w.project, "cat ~/.cache/deep/x"); out != "again\n" {
		t.Errorf("its cache has %q", out)
	}
	if left, _ := os.ReadDir(w.set.Folder); len(left) > 0 {
		t.Errorf("%s was left", left[0].Name())
	}
	if _, err := os.Lstat(filepath.Join(w.project, ".claude")); err == nil {
		t.Error("an empty folder was left in the project")
	}
}

func TestNothingIsTypedIntoTheTerminal(t *testing.T) {
	w := newWorld(t)
	terminal, err := pty.StartWithSize(w.command("project", w.project, `$SELF type x; echo status $?`), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var out bytes.Buffer
	_, _ = out.ReadFrom(terminal)
	if !strings.Contains(out.String(), "status 99") {
		t.Errorf("it printed %s", out.String())
	}
}

func TestASandboxEndsWithWhatHoldsIt(t *testing.T) {
	w := newWorld(t)
	cmd := w.command("project", w.project, `(setsid sleep 1234 &); echo started; sleep 1234`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	tree := process.Tree(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if left := process.Wait(ctx, tree[1:], 10*time.Second); len(tree) < 3 || len(left) > 0 {
		t.Errorf("of %d processes %v are left", len(tree), left)
	}
}

// A terminal may end at any moment of a start.
func TestASandboxThatIsJustStartingEnds(t *testing.T) {
	w := newWorld(t)
	var group sync.WaitGroup
	for after := range 12 {
		cmd := w.command("project", w.project, `sleep 1234`)
		group.Go(func() {
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			time.AfterFunc(time.Duration(after)*40*time.Millisecond, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
			late := time.AfterFunc(20*time.Second, func() {
				t.Errorf("after %d ms it went on: %v", after*40, process.Tree(cmd.Process.Pid))
				_ = cmd.Process.Kill()
			})
			_ = cmd.Wait()
			late.Stop()
		})
	}
	group.Wait()
}

func ioctl(fd int, request uintptr, letter *byte) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(letter)))
	if errno != 0 {
		return errno
	}
	return nil
}
