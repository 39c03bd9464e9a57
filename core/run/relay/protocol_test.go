package relay

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/agent/scripted"
	"cupola/core/run/relay/stream"
)

func TestMain(m *testing.M) {
	scripted.Main(context.Background())
	os.Exit(m.Run())
}

// speaker returns a relay with one backend: the scripted agent, by protocol.
func speaker(t *testing.T, known agent.Protocol, faults ...scripted.Fault) (r *Relay, dir string) {
	t.Helper()
	known.Command = []string{
		os.Args[0], "scripted", "--acp", "--speed=0", "--records=" + filepath.Join(t.TempDir(), "records"),
	}
	for _, fault := range faults {
		known.Command = append(known.Command, "--fault="+string(fault))
	}
	b := FromProtocol("speaker", "", known.Command)
	b.protocol.Protocol = known
	b.Modes = b.protocol.guarantees()
	return &Relay{Backends: Backends{b}, Environ: os.Environ()}, t.TempDir()
}

func spoken(dir, prompt string, mode Sandbox) *Request {
	return &Request{
		Prompt: prompt, Bare: true, Backend: "speaker", Dir: dir, Sandbox: mode, Timeout: 10 * time.Minute,
	}
}

func TestAnAgentIsAskedByProtocol(t *testing.T) {
	r, dir := speaker(t, agent.Protocol{})
	events, result, err := answer(t.Context(), t, r, spoken(dir, "tool make say done", ReadOnly))
	if err != nil || result.Text != "done\n" || result.Stop != stream.StopEnd || result.Used.Input != 1500 {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, status := range []string{"started", "completed"} {
		if !slices.ContainsFunc(events, func(e Event) bool {
			return e.Type == stream.Tool && e.Status == status && e.Tool == "execute" && e.Text == "make"
		}) {
			t.Errorf("no tool %s: %+v", status, events)
		}
	}
	// A conversation continues, with what was said before left out of the answer.
	again := spoken(dir, "say more", ReadOnly)
	again.Session, again.Keep = result.Session, true
	_, next, err := answer(t.Context(), t, r, again)
	if err != nil || next.Text != "more\n" || next.Session != result.Session {
		t.Errorf("%+v, %v", next, err)
	}
	again.Session = "unheard-of"
	if _, _, err := answer(t.Context(), t, r, again); err == nil {
		t.Error("an unknown conversation continues")
	}
}

func TestSandboxModesDecideRequests(t *testing.T) {
	inside, outside := []string{"src/a.go"}, []string{"../b.go"}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		kind  string
		paths []string
		modes []Sandbox
	}{
		{"read", outside, Sandboxes()},
		{"search", nil, Sandboxes()},
		{"edit", inside, []Sandbox{WorkspaceWrite, FullAccess}},
		{"edit", outside, []Sandbox{FullAccess}},
		{"edit", []string{"src/a.go", "/etc/passwd"}, []Sandbox{FullAccess}},
		{"edit", []string{filepath.Join(link, "new.go")}, []Sandbox{FullAccess}},
		{"edit", nil, []Sandbox{FullAccess}},
		{"execute", inside, []Sandbox{FullAccess}},
		{"fetch", nil, []Sandbox{FullAccess}},
		{"other", inside, []Sandbox{FullAccess}},
	} {
		ask := &acp.Ask{Call: acp.Call{Kind: one.kind, Paths: one.paths}, Options: []acp.Option{
			{ID: "ever", Kind: "allow_always"}, {ID: "no", Kind: "reject_once"}, {ID: "yes", Kind: "allow_once"},
		}}
		for _, mode := range Sandboxes() {
			asked := &exchange{plan: &Plan{Dir: dir, Sandbox: mode}}
			want := map[bool]string{true: "yes", false: "no"}[slices.Contains(one.modes, mode)]
			if got := asked.decide(ask); got != want {
				t.Errorf("%s of %v in %s: %s", one.kind, one.paths, mode, got)
			}
		}
	}
}

func TestWhatWasRefusedIsReported(t *testing.T) {
	r, dir := speaker(t, agent.Protocol{}, scripted.AlwaysFirst)
	_, result, err := answer(t.Context(), t, r, spoken(dir, "approve tool make", ReadOnly))
	if err != nil || len(result.Warnings) != 1 || result.Warnings[0] != "refused: make" {
		t.Errorf("%+v, %v", result, err)
	}
	events, _, err := answer(t.Context(), t, r, spoken(dir, "approve tool make say ok", FullAccess))
	if err != nil || !slices.ContainsFunc(events, func(e Event) bool { return e.Status == "completed" }) {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestFailuresByProtocolHaveTheirCodes(t *testing.T) {
	known := agent.Protocol{Failure: []agent.Failure{{Words: "^the API key is not valid", Code: core.AuthFailed}}}
	for name, one := range map[string]struct {
		prompt string
		mode   string
		fault  []scripted.Fault
		code   core.Code
		says   string
	}{
		"an error":           {prompt: "fail auth", code: core.AuthFailed, says: "401"},
		"an error in words":  {prompt: "say the API key is not valid", code: core.AuthFailed, says: "not valid"},
		"a limit":            {prompt: "limit quota", code: core.RateLimited},
		"a crash":            {prompt: "crash", code: core.BackendFailed, says: "code 3"},
		"a login":            {fault: []scripted.Fault{scripted.Login}, code: core.AuthFailed, says: "SCRIPTED_KEY"},
		"a mode that is not": {mode: "yolo", code: core.BackendFailed, says: "plan, ask, auto"},
	} {
		t.Run(name, func(t *testing.T) {
			known := known
			if one.mode != "" {
				known.Modes = map[string]string{"plan": one.mode}
			}
			r, dir := speaker(t, known, one.fault...)
			_, _, err := answer(t.Context(), t, r, spoken(dir, one.prompt+" say x", ReadOnly))
			if e := core.AsError(err); e == nil || e.Code != one.code || !strings.Contains(e.Error(), one.says) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestBackendsSayHowTheyCanBeAsked(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds.All() {
		b, is := FromKind(kind, "/cupola")
		if !is {
			continue
		}
		by, err := b.By(ByProtocol)
		if (err == nil) != kind.ACP.Given() {
			t.Errorf("%s: %v", kind.ID, err)
		}
		if err != nil {
			continue
		}
		for _, mode := range Sandboxes() {
			if !strings.Contains(by.Modes[mode], "enforces nothing") {
				t.Errorf("%s, %s: %s", kind.ID, mode, by.Modes[mode])
			}
		}
	}
	if _, err := (&Backend{Name: "x"}).By("mail"); err == nil {
		t.Error("an unknown way is taken")
	}
}

// TestALinkLeadsOutOfTheDirectory asks to write a file through a link to a missing file of another folder.
func TestALinkLeadsOutOfTheDirectory(t *testing.T) {
	dir := t.TempDir()
	one := &exchange{plan: &Plan{Dir: dir}}
	if err := os.Symlink(filepath.Join(t.TempDir(), "new"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"new": true, "sub/new": true, "link": false, "../new": false} {
		if got := one.within(&acp.Call{Paths: []string{path}}); got != want {
			t.Errorf("%s is in the directory: %v", path, got)
		}
	}
}
