//go:build agents

package headless_test

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/fleettest"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/run/crew/headless"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/relay"
)

// scripted makes the fake model answer crews from a file.
//
//go:embed testdata/crew.py
var scripted string

// kinds are the real agents, and names the members of all crews, in their order.
var (
	kinds = []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}
	names = []string{"ada.lead", "bo.critic", "cy.tester", "di.writer", "ed.scout", "flo.guide"}
)

// say is one answer of the fake model. A text's {n} is the turn of the member.
type say struct {
	Text string `json:"text,omitempty"`
	// Slow is how many seconds the text takes, Error a status that is answered for ever, and Mock a
	// prompt for the script of the harness itself.
	Slow  int    `json:"slow,omitempty"`
	Error int    `json:"error,omitempty"`
	Mock  string `json:"mock,omitempty"`
}

// text are answers without anything else; the last is repeated.
func text(all ...string) []say {
	says := make([]say, len(all))
	for i := range all {
		says[i].Text = all[i]
	}
	return says
}

// world is a place where crews of real agents work.
type world struct {
	// dir is above all that the agents have, folder has the copy of the harness.
	dir, folder string
	relay       *relay.Relay
}

// newWorld copies the harness, so that a fake model of its own answers; the agents that are installed
// serve it too.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), folder: fleettest.Extended(t, scripted)}
	harness := fleettest.Real(t)
	homes := filepath.Join(w.dir, "homes")
	if err := os.Mkdir(homes, 0o700); err != nil {
		t.Fatal(err)
	}
	environ := append(os.Environ(), harness.Environ(t, homes, kinds...)...)
	// The harness passes no other variables on.
	environ = append(environ, "REAL_AGENTS_PASS=OPENCODE_PERMISSION")
	path := harness.Path(t)
	w.relay = &relay.Relay{Backends: backends(t), Environ: environ, LookPath: func(name string) (string, error) {
		return filepath.Join(path, name), nil
	}}
	return w
}

func backends(t *testing.T) (all relay.Backends) {
	t.Helper()
	known, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range kinds {
		kind, _ := known.Find(name)
		backend, answers := relay.FromKind(kind, "")
		if !answers {
			t.Fatalf("%s is no backend", name)
		}
		all = append(all, backend)
	}
	return all
}

// nothingLeft sees that no process is left that has a home of this world. The fake model has none.
func (w *world) nothingLeft(t *testing.T) {
	t.Helper()
	homes := []byte(filepath.Join(w.dir, "homes"))
	var left []string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		left = nil
		paths, _ := filepath.Glob("/proc/[0-9]*")
		for _, path := range paths {
			environ, _ := os.ReadFile(filepath.Join(path, "environ"))
			command, _ := os.ReadFile(filepath.Join(path, "cmdline"))
			if path != fmt.Sprintf("/proc/%d", os.Getpid()) && bytes.Contains(append(environ, command...), homes) {
				left = append(left, path+" "+string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
			}
		}
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("left are %q", left)
}

// play is the result of a crew.
type play struct {
	*crew.Crew
	dir   string
	lines []string
	plans *plans
	// heard are the requests to the fake model.
	heard []heard
	took  time.Duration
}

// heard is one request to the fake model, in a turn of a member.
type heard struct {
	Member string
	Turn   int
	Model  string
	Prompt string
}

// plans is the headless stage; it keeps how each turn was asked.
type plans struct {
	*headless.Stage
	mu  sync.Mutex
	all map[string][]*relay.Plan
	// lose makes members lose their conversations.
	lose bool
}

// lost are ids of conversations that no agent has.
var lost = map[string]string{
	"opencode": "ses_0000000000000lostlostlost0", "": "00000000-0000-4000-8000-000000000000",
}

// Ask asks a member.
func (p *plans) Ask(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	if m := turn.Member; p.lose && m.Session != "" {
		m.Session = cmp.Or(lost[m.Backend], lost[""])
	}
	if plan, err := p.Plan(ctx, c, turn); err == nil {
		p.mu.Lock()
		p.all[turn.Member.Name] = append(p.all[turn.Member.Name], plan)
		p.mu.Unlock()
	}
	return p.Stage.Ask(ctx, c, turn)
}

// scene is a crew, and what must become of it.
type scene struct {
	// backends are the backends of the members, models their models, and says the answer of each member.
	backends, models string
	says             [][]say
	limits           func(*crew.Limits)
	sandbox          relay.Sandbox
	reason           crew.Reason
	// lose makes members lose their conversations after every turn.
	lose bool
	// want are the begins of events that must be on record, and never those that must not.
	want, never []string
	check       func(t *testing.T, p *play)
}

// play has real agents play a scene.
func (w *world) play(t *testing.T, s *scene) {
	t.Helper()
	p := w.carry(t, s)
	w.nothingLeft(t)
	dead := 0
	for i := range p.Members {
		if p.Members[i].Status == crew.Dead {
			dead++
		}
	}
	t.Logf("%s: %s after turn %d in %.1f s, cost $%.4f, dead: %d", s.backends, p.Reason, p.Turn, p.took.Seconds(),
		cost(p.Crew), dead)
	if p.Reason != s.reason {
		t.Errorf("it ended by %q", p.Reason)
	}
	for _, want := range s.want {
		if !recorded(p.lines, want) {
			t.Errorf("%q is not on record", want)
		}
	}
	for _, never := range s.never {
		if recorded(p.lines, never) {
			t.Errorf("%q is on record", never)
		}
	}
	if s.check != nil {
		s.check(t, p)
	}
	if t.Failed() {
		t.Log(strings.Join(p.lines, "\n"))
	}
}

// carry runs a crew to its end.
func (w *world) carry(t *testing.T, s *scene) *play {
	t.Helper()
	dir := t.TempDir()
	opened, err := store.Open(t.Context(), filepath.Join(dir, "cupola.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	p := &play{dir: filepath.Join(dir, "work"), plans: &plans{all: map[string][]*relay.Plan{}, lose: s.lose}}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	directory := orchestrator.Directory{Dir: filepath.Join(dir, "crews")}
	o := &orchestrator.Orchestrator{
		Crews: store.CrewsIn(opened), Directory: directory, Now: time.Now,
		OpenStage: func(_ context.Context, c *crew.Crew) (orchestrator.Stage, error) {
			records := directory.Relays(c.ID)
			p.plans.Stage = &headless.Stage{Runner: &relay.Runner{
				Relay: w.relay, Directory: relay.Directory{Dir: records}, Labels: relay.Labels{Dir: records},
			}}
			return p.plans, nil
		},
	}
	c := w.crewOf(t, s, p.dir)
	if err := o.New(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if p.Crew, err = o.Run(t.Context(), c.ID, orchestrator.More{}, nil); err != nil {
		t.Fatal(err)
	}
	p.took = time.Since(began)
	events, err := o.Crews.Events(t.Context(), c.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		line := fmt.Sprintf("%d %s %s %s %s %s %.200s", e.Turn, e.Type, e.From, e.To, e.Reason, e.Status, e.Text)
		p.lines = append(p.lines, strings.Join(strings.Fields(line), " "))
	}
	p.heard = w.heard(t)
	return p
}

// crewOf is the crew of a scene. Its prompts have the answers of the fake model.
func (w *world) crewOf(t *testing.T, s *scene, dir string) *crew.Crew {
	t.Helper()
	sandbox := s.sandbox
	if sandbox == "" {
		sandbox = relay.ReadOnly
	}
	c := &crew.Crew{
		Prompt: "Review the lock of store.go.", Dir: dir, Sandbox: string(sandbox), Stage: crew.Headless,
		Limits: crew.DefaultLimits(),
	}
	if s.limits != nil {
		s.limits(&c.Limits)
	}
	models, script := strings.Fields(s.models), map[string][]say{}
	specs := make([]crew.MemberSpec, 0, len(names))
	for i, backend := range strings.Fields(s.backends) {
		one := crew.MemberSpec{Role: names[i], Backend: backend}
		if len(models) > 0 {
			one.Model = models[i]
		}
		specs, script[names[i]] = append(specs, one), s.says[i]
	}
	var err error
	if c.Members, err = crew.NewMembers(specs, func(int) int { return 0 }); err != nil {
		t.Fatal(err)
	}
	for i := range c.Members {
		c.Members[i].Dir = dir
	}
	written, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	written = bytes.ReplaceAll(written, []byte("{dir}"), []byte(dir))
	if err := os.WriteFile(filepath.Join(w.folder, "crew.json"), written, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.folder, "crew.log"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func (w *world) heard(t *testing.T) (all []heard) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(w.folder, "crew.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(log) {
		var one heard
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// told returns the request to the fake model in the turn of a member.
func (p *play) told(member string, turn int) string {
	for _, one := range p.heard {
		if one.Member == member && one.Turn == turn {
			return one.Prompt
		}
	}
	return ""
}

func recorded(lines []string, begin string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

func cost(c *crew.Crew) float64 {
	usd, _ := c.CostUSD()
	return usd
}

// code returns the error code of a member that failed.
func (p *play) code(name string) core.Code { return p.Member(name).ErrorCode }
