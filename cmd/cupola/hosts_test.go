package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/engines"
	"cupola/core/engine/enginetest"
	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// anotherHost takes the place of ssh: it runs what it is given in a home of its own, named like the destination.
// Without that home the host is down.
const anotherHost = `#!/bin/sh
while [ $# -gt 2 ] && [ "$1" != -- ]; do
	[ "$1" != -O ] || exit 0
	shift
done
[ "$1" != -- ] || shift
home=$(dirname "$0")/../hosts/$1
[ ! -e "$home/silent" ] || exec sleep 60
if [ ! -d "$home" ]; then
	echo "ssh: connect to host $1 port 22: Connection refused" >&2
	exit 255
fi
export HOME="$home" XDG_RUNTIME_DIR="$home/run" TMUX_TMPDIR="$home/run"
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME TMUX TMUX_PANE CUPOLA_PANE
export PATH="$home/bin:$PATH"
cd "$home" || exit
exec sh -c "$2"
`

// addHosts gives the machine other hosts, each with a terminal server of Cupola's own, and adds them to the settings.
func (m *machine) addHosts(names ...string) {
	m.t.Helper()
	bin := filepath.Join(m.tmux.Dir, "ssh-bin")
	write := func(path, text string, mode os.FileMode) {
		m.t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			m.t.Fatal(err)
		}
	}
	write(filepath.Join(bin, "ssh"), anotherHost, 0o700)
	m.putFirst(bin)
	var settings strings.Builder
	for _, name := range names {
		home := filepath.Join(m.tmux.Dir, "hosts", name)
		write(filepath.Join(home, ".config", "cupola", "config.toml"), "[engine]\nkind = \"own\"\n", 0o600)
		if err := os.Mkdir(filepath.Join(home, "run"), 0o700); err != nil {
			m.t.Fatal(err)
		}
		m.t.Cleanup(func() {
			enginetest.StopOwn(m.t, engines.SocketIn(filepath.Join(home, "run", "cupola")))
		})
		settings.WriteString("[hosts." + name + "]\nssh = \"" + name + "\"\n")
	}
	own := filepath.Join(m.home, ".config", "cupola", "config.toml")
	before, err := os.ReadFile(own)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.t.Fatal(err)
	}
	write(own, string(before)+settings.String(), 0o600)
}

// loseHost ends the reach of a host, and returns what brings it back.
func (m *machine) loseHost(name string) (back func()) {
	m.t.Helper()
	at := filepath.Join(m.tmux.Dir, "hosts", name)
	if err := os.Rename(at, at+"-away"); err != nil {
		m.t.Fatal(err)
	}
	return func() {
		if err := os.Rename(at+"-away", at); err != nil {
			m.t.Fatal(err)
		}
	}
}

// A day's work on two other hosts, from the command line of one.
func TestHostsAreOneFleet(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1", "gpu2")
	must := func(args ...string) string {
		t.Helper()
		got := m.cupola(args...)
		if got.status != 0 {
			t.Fatalf("cupola %q: %+v", args, got)
		}
		return got.stdout
	}
	must("spawn", "gpu1/api", "--agents=scripted=2")
	must("spawn", "web", "--agents=scripted=1", "--host=gpu2")
	must("spawn", "here", "--agents=scripted=1")
	if got := must("send", "gpu1/api.1", "hello", "--wait"); !strings.Contains(got, `"session":"gpu1/api"`) {
		t.Errorf("sent: %s", got)
	}
	if got := must("tail", "gpu1/api.1"); !strings.Contains(got, "hello") {
		t.Errorf("its screen: %s", got)
	}
	must("send", "gpu2/web", "approve ask")
	must("wait", "gpu2/web.1", "--for=waiting", "--timeout=1m")
	if got := must("attention", "--host=all"); !strings.Contains(got, "cupola answer gpu2/web.1") {
		t.Errorf("who needs the user: %s", got)
	}
	must("answer", "gpu2/web.1", "--approve")
	var all struct {
		Sessions []struct{ Name string }
		Hosts    []struct{ Host, State string }
	}
	read := func() {
		t.Helper()
		if err := json.Unmarshal([]byte(must("status", "--host=all")), &all); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if s := all.Sessions; len(s) != 3 || s[0].Name != "here" || s[1].Name != "gpu1/api" || s[2].Name != "gpu2/web" {
		t.Errorf("sessions: %+v", s)
	}
	back := m.loseHost("gpu2")
	read()
	if h := all.Hosts; len(all.Sessions) != 2 || len(h) != 3 || h[2].State != "down" {
		t.Errorf("with a host that is down: %+v", all)
	}
	if got := m.cupola("send", "gpu2/web", "hello"); got.status == 0 || !strings.Contains(got.stdout, "NETWORK_ERROR") {
		t.Errorf("to a host that is down: %+v", got)
	}
	back()
	if got := m.cupola("tail", "gpu1/apo"); !strings.Contains(got.stdout, `"actions":["cupola tail gpu1/api"`) {
		t.Errorf("a near miss: %+v", got)
	}
	if got := m.cupola("spawn", "gpo1/api", "--agents=scripted=1"); got.status == 0 ||
		!strings.Contains(got.stdout, `"actions":["cupola spawn gpu1/api`) {
		t.Errorf("a session on a host that is not there: %+v", got)
	}
	if got := must("hosts", "--human"); !strings.Contains(got, "gpu1") || strings.Contains(got, "down") {
		t.Errorf("hosts: %s", got)
	}
	must("kill", "gpu1/api", "--yes")
	must("kill", "gpu2/web", "--yes")
	must("kill", "here", "--yes")
}

// No verb that only reads waits for a host that did not answer a moment ago, whatever the other hosts have.
func TestNoVerbWaitsForAHostThatWasSilent(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1", "dead9")
	silent := filepath.Join(m.tmux.Dir, "hosts", "dead9", "silent")
	if err := os.WriteFile(silent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Host, State, Reason string
		Elapsed             float64 `json:"elapsed_ms"`
	}
	var asked struct {
		Hosts   []row
		Details struct{ Hosts []row }
	}
	ask := func(args ...string) (found row) {
		t.Helper()
		got := m.call(append([]string{"--robot-format=json", "--host=all", "--host-timeout=1500ms"}, args...)...)
		asked.Hosts, asked.Details.Hosts = nil, nil
		if err := json.Unmarshal([]byte(got.stdout), &asked); err != nil {
			t.Fatalf("%q: %v in %s", args, err, got.stdout)
		}
		for _, found = range append(asked.Hosts, asked.Details.Hosts...) {
			if found.Host == "dead9" {
				return found
			}
		}
		return row{}
	}
	first := ask("status")
	if first.State != "down" || first.Elapsed < 1000 || strings.Contains(first.Reason, "ago") {
		t.Fatalf("it is asked first: %+v", first)
	}
	seen := 0
	for _, v := range catalog.All().Verbs {
		if v.Effect != registry.Reads || v.Streams || v.Local || v.Of != "" {
			continue
		}
		for _, example := range v.Examples() {
			found := ask(words(t, example)[1:]...)
			if found.Host == "" {
				continue // the call is not one for several hosts
			}
			seen++
			if found.State != "down" || found.Elapsed > 1000 || !strings.Contains(found.Reason, "asked again") {
				t.Errorf("%s: %+v", example, found)
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d calls of several hosts were seen; there are more", seen)
	}
	for _, args := range [][]string{{"hosts"}, {"spawn", "x", "--host=any", "--cmd=true"}} {
		started := time.Now()
		got := m.call(append(args, "--host-timeout=20s")...)
		if got.status != 0 || time.Since(started) > 10*time.Second {
			t.Errorf("%q took %s: %+v", args, time.Since(started), got)
		}
	}
	// It is asked for good where it alone is meant, and is then known to be back by all.
	if err := os.Remove(silent); err != nil {
		t.Fatal(err)
	}
	if got := m.call("hosts-check", "dead9"); got.status != 0 {
		t.Errorf("it is back, and %+v", got)
	}
	if found := ask("status"); found.State != "up" {
		t.Errorf("it is back, and %+v", found)
	}
}

// A machine that has two names is shown once, prompted once, and said to be the same.
func TestAMachineWithTwoNamesCountsOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1")
	must := func(into any, args ...string) {
		t.Helper()
		got := m.call(append([]string{"--robot-format=json"}, args...)...)
		if got.status != 0 || json.Unmarshal([]byte(got.stdout), into) != nil {
			t.Fatalf("cupola %q: %+v", args, got)
		}
	}
	var none struct{}
	must(&none, "hosts-add", "twin", "gpu1")
	must(&none, "hosts-add", "off", "off", "--dry-run")
	must(&none, "spawn", "gpu1/api", "--agents=scripted=1", "--wait-ready")
	var status struct {
		Sessions []struct{ Name string }
		Hosts    []struct{ Host, State, Reason string }
	}
	must(&status, "status", "--host=all")
	if len(status.Sessions) != 1 || status.Sessions[0].Name != "gpu1/api" || len(status.Hosts) != 3 ||
		status.Hosts[2].State != "up" || !strings.Contains(status.Hosts[2].Reason, "same machine as gpu1") {
		t.Errorf("%+v", status)
	}
	must(&status, "hosts")
	if h := status.Hosts; len(h) != 2 || h[0].Reason != "" || !strings.Contains(h[1].Reason, "same machine as gpu1") {
		t.Errorf("%+v", h)
	}
	must(&none, "broadcast", "hello to all", "--host=*", "--wait")
	var sent struct{ Prompts []struct{ Text string } }
	must(&sent, "history", "--host=gpu1")
	if len(sent.Prompts) != 1 {
		t.Errorf("the one agent got %+v", sent.Prompts)
	}
	must(&none, "hosts-disable", "twin")
	must(&status, "status", "--host=all")
	if h := status.Hosts; len(h) != 3 || h[2].State != "disabled" {
		t.Errorf("a host that is disabled is left out silently: %+v", h)
	}
	must(&none, "kill", "gpu1/api", "--yes")
}

// Programs of hosts are replaced by those for their machines.
func TestHostsAreUpdated(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1", "arm")
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := shelltest.WriteProgram(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	hosts := filepath.Join(m.tmux.Dir, "hosts")
	put(filepath.Join(hosts, "arm", "bin", "uname"), "#!/bin/sh\necho Linux aarch64\n")
	type rows struct {
		Code  string `json:"error_code"`
		Hosts []struct {
			Host, Reason string
			Updated      bool
			Code         string `json:"error_code"`
		}
	}
	update := func(args ...string) (got rows) {
		t.Helper()
		said := m.call(append([]string{"--robot-format=json", "hosts-update"}, args...)...)
		var failed struct{ Details rows }
		if json.Unmarshal([]byte(said.stdout), &got) != nil || json.Unmarshal([]byte(said.stdout), &failed) != nil {
			t.Fatalf("%q: %+v", args, said)
		}
		got.Hosts = append(got.Hosts, failed.Details.Hosts...)
		return got
	}
	if got := update("--all", "--dry-run"); len(got.Hosts) != 2 || !got.Hosts[0].Updated || !got.Hosts[1].Updated {
		t.Errorf("%+v", got)
	}
	got := update("--all", "--yes")
	if len(got.Hosts) != 2 || got.Code != "CONFLICT" || got.Hosts[0].Updated || !got.Hosts[1].Updated ||
		!strings.Contains(got.Hosts[0].Reason, "is Linux aarch64") {
		t.Errorf("%+v", got)
	}
	installed := func(name string) string { return filepath.Join(hosts, name, ".local", "bin", "cupola") }
	if _, err := os.Stat(installed("gpu1")); err != nil {
		t.Error(err)
	}
	released := filepath.Join(m.home, "released")
	if err := os.Mkdir(released, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := update("arm", "--yes", "--from="+released); got.Code != "NOT_FOUND" {
		t.Errorf("an empty folder: %+v", got)
	}
	put(filepath.Join(released, "cupola_linux_arm64"), "#!/bin/sh\nexit 1\n")
	if got := update("arm", "--yes", "--from="+released); !strings.Contains(got.Hosts[0].Reason, "does not run there") {
		t.Errorf("a program that does not run: %+v", got)
	}
	put(filepath.Join(released, "cupola_linux_arm64"), "#!/bin/sh\nexec "+m.program+" \"$@\"\n")
	sums := []byte(strings.Repeat("0", 64) + "  cupola_linux_arm64\n")
	if err := os.WriteFile(filepath.Join(released, "checksums.txt"), sums, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := update("arm", "--yes", "--from="+released); !strings.Contains(got.Hosts[0].Reason, "the sum of") {
		t.Errorf("a wrong sum: %+v", got)
	}
	if err := os.Remove(filepath.Join(released, "checksums.txt")); err != nil {
		t.Fatal(err)
	}
	if got := update("arm", "--yes", "--from="+released); got.Code != "" || !got.Hosts[0].Updated {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(installed("arm")); err != nil || !strings.HasPrefix(string(text), "#!/bin/sh") {
		t.Errorf("what was copied: %.20q, %v", text, err)
	}
}

// A host without Cupola is watched and driven by its tmux, and what needs Cupola says so.
func TestAHostWithoutCupola(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	m := newMachine(t)
	m.addHosts("box")
	own := filepath.Join(m.home, ".config", "cupola", "config.toml")
	settings, err := os.ReadFile(own)
	if err == nil {
		err = os.WriteFile(own, append(settings, "program = \"~/nothing\"\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(m.tmux.Dir, "hosts", "box", "run")
	there := func(args ...string) error {
		cmd := exec.Command(m.tmux.Binary, append([]string{"-f", os.DevNull}, args...)...)
		cmd.Env = append(os.Environ(), "TMUX=", "TMUX_TMPDIR="+run)
		return cmd.Run()
	}
	t.Cleanup(func() { _ = there("kill-server") })
	if err := cmp.Or(there("new-session", "-d", "-s", "work", "-x", "100", "-y", "30", "exec sh"),
		there("split-window", "-t", "work", "exec "+m.program+" scripted")); err != nil {
		t.Fatal(err)
	}
	must := func(args ...string) string {
		t.Helper()
		got := m.cupola(args...)
		if got.status != 0 {
			t.Fatalf("cupola %q: %+v", args, got)
		}
		return got.stdout
	}
	if got := must("hosts"); !strings.Contains(got, `"by":"tmux"`) || !strings.Contains(got, `"state":"up"`) {
		t.Errorf("hosts: %s", got)
	}
	must("wait", "box/work.1", "--for=idle", "--timeout=1m")
	if got := must("send", "box/work.1", "hello", "--wait"); !strings.Contains(got, `"outcome":"delivered"`) {
		t.Errorf("sent to an agent: %s", got)
	}
	must("send", "box/work.0", "echo $((6*7))", "--all")
	must("keys", "box/work.0", "e", "x", "i", "t")
	if got := must("tail", "box/work.0"); !strings.Contains(got, "42") || !strings.Contains(got, "exit") {
		t.Errorf("its screen: %s", got)
	}
	if got := must("status", "--host=all"); !strings.Contains(got, `"name":"box/work"`) {
		t.Errorf("status: %s", got)
	}
	if got := must("attach", "box/work"); !strings.Contains(got, `"argv":["ssh",`) ||
		!strings.Contains(got, `"command":"ssh `) || !strings.Contains(got, "attach-session") {
		t.Errorf("attach: %s", got)
	}
	got := m.cupola("spawn", "box/new", "--agents=scripted=1")
	if got.status == 0 || !strings.Contains(got.stdout, "cupola hosts-add box --install") {
		t.Errorf("what needs Cupola there: %+v", got)
	}
	got = m.cupola("kill", "box/nope", "--yes")
	if got.status == 0 || !strings.Contains(got.stdout, `"actions":["cupola --host=box status"`) {
		t.Errorf("a session that is not there: %+v", got)
	}
	must("kill", "box/work", "--yes")
}

// A branch goes to another host by git alone, and what is not pushed is said first.
func TestABranchGoesToAnotherHost(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1")
	server, clone := filepath.Join(m.tmux.Dir, "shop.git"), filepath.Join(m.home, "shop")
	there := filepath.Join(m.tmux.Dir, "hosts", "gpu1", "shop")
	git := func(dir string, args ...string) {
		t.Helper()
		gittest.Run(t, dir, nil, args...)
	}
	git(m.tmux.Dir, "init", "-q", "--bare", "-b", "main", server)
	git(m.home, "clone", "-q", server, clone)
	git(clone, "checkout", "-q", "-b", "main")
	git(clone, "commit", "-q", "--allow-empty", "-m", "one")
	git(clone, "push", "-q", "-u", "origin", "main")
	git(clone, "commit", "-q", "--allow-empty", "-m", "two")
	git(clone, "remote", "set-url", "origin", "gpu1:"+server)
	spawn := []string{"spawn", "gpu1/shop", "--branch=HEAD", "--agents=scripted=1"}
	inClone := func(args ...string) answer {
		cmd := m.command(m.program, args...)
		cmd.Dir = clone
		return m.run(cmd)
	}
	if got := inClone(spawn...); got.status == 0 || !strings.Contains(got.stdout, "1 commit of main behind") ||
		!strings.Contains(got.stdout, "cupola --host=gpu1 spawn shop") {
		t.Errorf("with a commit that is not pushed: %+v", got)
	}
	if _, err := os.Stat(there); err == nil {
		t.Error("something is there before anybody said so")
	}
	got := inClone(append(spawn, "--yes")...)
	if got.status != 0 || !strings.Contains(got.stdout, `/hosts/gpu1/shop"`) {
		t.Fatalf("started: %+v", got)
	}
	if head := gittest.Run(t, there, nil, "log", "--format=%s"); head != "one" {
		t.Errorf("the commits there: %q", head)
	}
	if got := m.cupola("kill", "gpu1/shop", "--yes"); got.status != 0 {
		t.Errorf("killed: %+v", got)
	}
}

// The agents of a crew work on several hosts, each in a clone of the branch, and write to each other.
func TestACrewWorksOnSeveralHosts(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1", "gpu2")
	m.crewBackend("ring", ringProgram)
	for _, name := range []string{"gpu1", "gpu2"} {
		there := filepath.Join(m.tmux.Dir, "hosts", name, ".config", "cupola", "agents")
		if err := os.CopyFS(there, os.DirFS(filepath.Join(m.home, ".config", "cupola", "agents"))); err != nil {
			t.Fatal(err)
		}
	}
	server, work := filepath.Join(m.tmux.Dir, "shop.git"), filepath.Join(m.tmux.Dir, "work")
	gittest.Run(t, m.tmux.Dir, nil, "init", "-q", "-b", "main", work)
	gittest.Run(t, work, nil, "commit", "-q", "--allow-empty", "-m", "one")
	gittest.Run(t, m.tmux.Dir, nil, "clone", "-q", "--bare", work, server)
	got := m.cupola("crew-run", "--agents=a.one:ring,b.two:gpu1/ring,c.three:gpu2/ring", "--prompt=count",
		"--branch=main", "--repository="+server)
	var crew struct {
		State  string
		Agents []struct {
			Name, Backend, Dir string
			Turns              int `json:"turn_count"`
		}
		Told []struct{ From string } `json:"told_user"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &crew); err != nil || got.status != 0 {
		t.Fatalf("%v: %+v", err, got)
	}
	if crew.State != "completed" || len(crew.Told) != 3 {
		t.Errorf("the crew: %s", got.stdout)
	}
	for i, place := range []string{"", "/hosts/gpu1/shop", "/hosts/gpu2/shop"} {
		if a := crew.Agents[i]; a.Turns < 4 || !strings.HasSuffix(a.Dir, place) {
			t.Errorf("an agent: %+v", a)
		}
	}
	for _, wrong := range []string{"gpu3/ring", "gpu1/rong", "gpu*/ring"} {
		got := m.cupola("crew-run", "--agents=a.one:"+wrong, "--prompt=count")
		told := strings.Contains(got.stdout, "NOT_FOUND") || strings.Contains(got.stdout, "INVALID_INPUT")
		if got.status == 0 || !told {
			t.Errorf("%s: %+v", wrong, got)
		}
	}
}
