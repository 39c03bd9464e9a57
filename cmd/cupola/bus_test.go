package main

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/host/bus/bustest"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
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
		own := "[engine]\nkind = \"own\"\n" + strings.ReplaceAll(settings, "laptop", name)
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
	if got := m.cupola("status", "--host=all"); strings.Contains(got.stdout, "gpu2/") ||
		!strings.Contains(got.stdout, `"host":"gpu2","state":"disabled"`) {
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

// A viewer, with the permissions of the docs, is refused every verb that needs more than reading, whatever it asks.
func TestViewersOnTheBusOnlyRead(t *testing.T) {
	t.Parallel()
	server := bustest.Documented(t, "../../docs/bus.md")
	url := strings.Replace(server.ClientURL(), "nats://", "nats://laptop:x@", 1)
	m := newMachine(t)
	m.onBus(url, "gpu7")
	conn, err := bus.Connect(t.Context(), &host.Bus{URL: url, Host: "laptop"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	link, err := conn.Open(t.Context(), &host.Host{Name: "gpu7"}, host.Reads)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	// ask makes a call, and returns the code with which it fails.
	ask := func(v *registry.Verb, input map[string]any, key string) (failure *host.Failure) {
		t.Helper()
		request := host.Request{Verb: v.Name, Input: input, Form: host.Document, Key: key}
		ctx, stop := context.WithTimeout(t.Context(), testTimeout)
		defer stop()
		err := link.Call(ctx, request, func(response host.Response) error {
			failure = response.Failure
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		return failure
	}
	refused, raised := 0, 0
	for _, v := range catalog.All().Verbs {
		line := words(t, v.Examples()[0])
		in, err := registry.Parse(v, line[2:])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		input := map[string]any{}
		for _, given := range registry.Values(v, in) {
			input[given.Name] = given.Value
		}
		delete(input, "dry-run")
		if needs(t, v, input) {
			refused++
			for _, key := range []string{"", "a-key-of-" + v.Name} {
				if got := ask(v, input, key); got == nil || got.Code != core.PermissionDenied || len(got.Actions) > 0 {
					t.Errorf("%q with the key %q: %+v", line, key, got)
				}
			}
			continue
		}
		for _, field := range v.Fields() {
			more := maps.Clone(input)
			switch field.Type {
			case "bool":
				more[field.Name] = true
			case "list":
				more[field.Name] = []string{"a-file"}
			default:
				more[field.Name] = "a-file"
			}
			if !needs(t, v, more) {
				continue
			}
			raised++
			if got := ask(v, more, ""); got == nil || got.Code != core.PermissionDenied {
				t.Errorf("%s with %s: %+v", v.Name, field.Name, got)
			}
		}
	}
	if refused < 60 || raised < 10 {
		t.Errorf("%d verbs and %d inputs were refused", refused, raised)
	}
	if failure := ask(catalog.All().Find("status"), nil, ""); failure != nil {
		t.Errorf("status: %+v", failure)
	}
}

// needs reports whether a call needs more of its caller than reading; one that its verb does not take needs nothing.
func needs(t *testing.T, v *registry.Verb, input map[string]any) bool {
	t.Helper()
	in, err := registry.Fill(v, maps.Clone(input))
	return err == nil && registry.NeedOf(v, in, func(string) bool { return false }).Level != registry.Reads
}
