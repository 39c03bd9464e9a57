package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/bus/bustest"
	"cupola/core/engine/enginetest"
)

// onBus gives the machine a bus, and puts hosts on it that ssh does not reach. They leave it with the test.
func (m *machine) onBus(url string, names ...string) {
	m.t.Helper()
	m.addHosts(names...)
	settings := "[bus]\nurl = \"" + url + "\"\nhost = \"laptop\"\n"
	own := filepath.Join(m.home, ".config", "cupola", "config.toml")
	if err := os.WriteFile(own, []byte(settings), 0o600); err != nil {
		m.t.Fatal(err)
	}
	for _, name := range names {
		file := filepath.Join(m.tmux.Dir, "hosts", name, ".config", "cupola", "config.toml")
		own := "[engine]\nkind = \"own\"\n" + strings.Replace(settings, "laptop", name, 1)
		if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
			m.t.Fatal(err)
		}
		m.over(name, "cupola bus-serve --background")
		m.t.Cleanup(func() { m.over(name, "cupola serve-stop") })
	}
}

// over runs a line on another host.
func (m *machine) over(name, line string) {
	m.t.Helper()
	ssh := exec.Command(filepath.Join(m.tmux.Dir, "ssh-bin", "ssh"), "--", name, line)
	ssh.Env = m.environ()
	if got := m.run(ssh); got.status != 0 {
		m.t.Fatalf("on %s, %s: %+v", name, line, got)
	}
}

// Hosts that only the bus reaches are seen and driven like any other, also after it was restarted.
func TestHostsOnTheBusAreOneFleet(t *testing.T) {
	t.Parallel()
	server := bustest.New(t)
	m := newMachine(t)
	m.onBus(server.ClientURL(), "gpu1", "gpu2")
	must := func(want string, args ...string) {
		t.Helper()
		if got := m.cupola(args...); got.status != 0 || !strings.Contains(got.stdout, want) {
			t.Fatalf("cupola %q has no %q: %+v", args, want, got)
		}
	}
	must(`"host":"laptop"`, "bus-doctor")
	must(`"by":"bus"`, "hosts")
	must("gpu1/api", "spawn", "gpu1/api", "--agents=scripted=1")
	must("gpu2/web", "spawn", "gpu2/web", "--agents=scripted=1")
	must(`"session":"gpu1/api"`, "send", "gpu1/api.1", "hello", "--wait")
	must("hello", "tail", "gpu1/api.1")
	must("gpu2/web", "send", "gpu2/web", "approve ask")
	must("gpu2/web", "wait", "--host=all", "--any", "--for=waiting", "--timeout=1m")
	must("gpu2/web", "attention", "--host=all")
	must("gpu2/web", "answer", "gpu2/web.1", "--approve")
	server.Restart(false)
	enginetest.Eventually(t, testTimeout, func() bool {
		got := m.cupola("status", "--host=all")
		return strings.Contains(got.stdout, "gpu1/api") && strings.Contains(got.stdout, "gpu2/web")
	}, func() string { return m.cupola("hosts").stdout })
	if got := m.cupola("attach", "gpu1/api"); got.status == 0 || !strings.Contains(got.stdout, "hosts-add gpu1") {
		t.Errorf("a terminal over the bus: %+v", got)
	}
	must("disabled", "hosts-disable", "gpu2")
	if got := m.cupola("status", "--host=all"); strings.Contains(got.stdout, "gpu2") {
		t.Errorf("a host that is disabled answers: %+v", got)
	}
	must(`"by":"bus"`, "hosts-enable", "gpu2")
	must("gpu1/api", "kill", "gpu1/api", "--yes")
	must("gpu2/web", "kill", "gpu2/web", "--yes")
	must("here", "spawn", "here", "--agents=scripted=1")
	server.Stop()
	must(`"host":"the bus"`, "status", "--host=all")
	if got := m.cupola("spawn", "gpu1/api", "--agents=scripted=1"); got.status == 0 ||
		!strings.Contains(got.stdout, "NETWORK_ERROR") {
		t.Errorf("a session on a host of a bus that is down: %+v", got)
	}
	must("here", "kill", "here", "--yes")
	server.Restart(false)
}
