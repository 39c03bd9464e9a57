package fleet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/system/shell/shelltest"
)

// clearing is a program that looks like Gemini and keeps its conversations as that does: at its start it deletes each
// conversation with a record that holds no prompt or has no heading, and a conversation that is resumed gets such a
// record.
const clearing = `#!/bin/sh
export HOME=%q
chats=$HOME/.gemini/tmp/project/chats
for record in "$chats"/session-*.jsonl; do
	id=${record##*-}
	grep -q '"user"' "$record" 2>/dev/null && grep -q '"sessionId"' "$record" || rm -f "$chats"/*-"$id"
done
sleep 0.3
if [ "$1" = --resume ]; then
	id=$(echo "$2" | cut -c1-8)
	[ -e "$chats/session-2020-01-01T00-00-$id.jsonl" ] || { echo "Error resuming session"; exit 42; }
	echo '{"sessionId":"'"$2"'","kind":"main"}' > "$chats/session-2030-01-01T00-00-$id.jsonl"
fi
sleep 0.5
printf '\033[2J\033[H? for shortcuts\n'
bar() { printf "$1"'%%.0s' $(seq 80); echo; }
bar ─; bar ▄; echo ' >   Type your message or @path/to/file'; bar ▀
echo ' workspace (/directory)              sandbox                   /model'
printf '\033[?25l'
exec sleep 1000
`

// clearingFleet is a fleet whose Geminis are the program clearing, with conversations on record.
type clearingFleet struct {
	*tmuxFleet
	chats, dir string
	ids        []string
}

func openClearing(t *testing.T, count int) *clearingFleet {
	t.Helper()
	th := open(t, tmux.Auto)
	home, dir := t.TempDir(), t.TempDir()
	c := &clearingFleet{tmuxFleet: th, chats: filepath.Join(home, ".gemini", "tmp", "project", "chats"), dir: dir}
	program := filepath.Join(home, "gemini")
	if err := os.MkdirAll(c.chats, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := shelltest.WriteProgram(program, fmt.Appendf(nil, clearing, home)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(c.chats, "..", ".project_root"), dir)
	for i := range count {
		id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i+1)
		c.ids = append(c.ids, id)
		first := fmt.Sprintf(`{"sessionId":%q,"startTime":"2020-01-01T00:00:00Z","kind":"main"}`, id)
		write(t, c.recordOf(id), first+"\n"+`{"type":"user","content":"remember","timestamp":"2020-01-01T00:00:01Z"}`)
	}
	file := fstest.MapFS{"gemini.toml": {Data: fmt.Appendf(nil,
		"id = \"gemini\"\n[launch]\ncommand = [%q]\nsession = []\n", program)}}
	th.reopen(func(o *fleet.Options) {
		o.Kinds = fleettest.Kinds(t, file)
		o.Environ = append(o.Environ, "HOME="+home)
	})
	return c
}

// write makes a file.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c *clearingFleet) recordOf(id string) string {
	return filepath.Join(c.chats, "session-2020-01-01T00-00-"+id[:8]+".jsonl")
}

// panes are recipes of agents that resume the conversations.
func (c *clearingFleet) panes(ids ...string) (panes []recipe.Pane) {
	for _, id := range ids {
		panes = append(panes, recipe.Pane{Kind: "gemini", Resume: id})
	}
	return panes
}

func (c *clearingFleet) launch(ids ...string) lifecycle.LaunchRequest {
	return lifecycle.LaunchRequest{Dir: c.dir, Panes: c.panes(ids...), Resume: true, WaitReady: true}
}

// TestNoStartLosesAConversation starts agents of a kind that deletes what others resume, in each way in which agents
// are started, several at once.
func TestNoStartLosesAConversation(t *testing.T) {
	t.Parallel()
	fresh := lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "gemini", Count: 1}}, WaitReady: true}
	for name, start := range map[string]func(*clearingFleet, context.Context) error{
		"a session with several": func(c *clearingFleet, ctx context.Context) error {
			_, err := c.Launcher.Spawn(ctx, lifecycle.SpawnRequest{Session: "new", Launch: c.launch(c.ids...)})
			return err
		},
		"sessions at once": func(c *clearingFleet, ctx context.Context) error {
			return atOnce(len(c.ids), func(i int) error {
				request := lifecycle.SpawnRequest{Session: fmt.Sprint("new", i), Launch: c.launch(c.ids[i])}
				_, err := c.Launcher.Spawn(ctx, request)
				return err
			})
		},
		"added, and a new one beside them": func(c *clearingFleet, ctx context.Context) error {
			return atOnce(len(c.ids)+1, func(i int) error {
				request := lifecycle.AddRequest{Session: "api", Launch: fresh}
				if i < len(c.ids) {
					request.Launch = c.launch(c.ids[i])
				}
				request.Launch.Dir = c.dir
				_, err := c.Launcher.Add(ctx, request)
				return err
			})
		},
		"beside one whose record lost its heading": func(c *clearingFleet, ctx context.Context) error {
			_, err := c.Launcher.Spawn(ctx, lifecycle.SpawnRequest{Session: "new", Launch: c.launch(c.ids...)})
			if err != nil {
				return err
			}
			write(t, c.recordOf(c.ids[1]), `{"type":"user","content":"remember","timestamp":"2020-01-01T00:00:01Z"}`)
			request := lifecycle.AddRequest{Session: "api", Launch: fresh}
			request.Launch.Dir = c.dir
			_, err = c.Launcher.Add(ctx, request)
			return err
		},
		"restarted": func(c *clearingFleet, ctx context.Context) error {
			_, err := c.Launcher.Spawn(ctx, lifecycle.SpawnRequest{Session: "new", Launch: c.launch(c.ids...)})
			if err != nil {
				return err
			}
			_, err = c.Launcher.Restart(ctx, lifecycle.RestartRequest{
				Target: resolve.Target{Session: "new"}, Every: true, Force: true,
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openClearing(t, 3)
			c.spawn(t, "api", lifecycle.LaunchRequest{Dir: c.dir})
			if err := start(c, t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, id := range c.ids {
				if _, err := os.Stat(c.recordOf(id)); err != nil {
					t.Errorf("the conversation %s is lost", id)
				}
			}
			left, err := filepath.Glob(filepath.Join(c.chats, "session-2030*"))
			if err != nil || len(left) > 0 {
				t.Errorf("records without prompts are left: %q, %v", left, err)
			}
		})
	}
}

// atOnce calls start n times at once and returns the first error.
func atOnce(n int, start func(i int) error) error {
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- start(i) }()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

// TestASessionIsResumedOnceItsMinuteIsOver goes over all kinds: those that would write over a session of this minute
// wait, by whichever verb they are started.
func TestASessionIsResumedOnceItsMinuteIsOver(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	waits := 0
	for _, kind := range kinds.All() {
		if len(kind.Launch.Resume) == 0 {
			continue
		}
		t.Run(string(kind.ID), func(t *testing.T) {
			now := time.Date(2026, 1, 2, 3, 4, 59, 0, time.UTC)
			p := &fleettest.Engine{ListErr: engine.ErrNoServer}
			f := openFake(t, p, func(o *fleet.Options) {
				o.Environ = append(o.Environ, "PATH="+pretend(t, kind.Launch.Command[0]))
				o.Now = func() time.Time { return now }
			})
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, err := f.Launcher.Spawn(ctx, lifecycle.SpawnRequest{
				Session: "new", NoUserPane: true,
				Launch: lifecycle.LaunchRequest{
					Dir: "/", Resume: true, Recorded: now,
					Panes: []recipe.Pane{{Kind: string(kind.ID), Resume: "some-id"}},
				},
			})
			if kind.Launch.ResumeMinute {
				waits++
				if len(p.Launches) > 0 || !core.AsError(err).HasCode(core.Timeout) {
					t.Errorf("it was started: %+v, %v", p.Launches, err)
				}
			} else if len(p.Launches) != 1 || !kind.Launch.OneByOne && err != nil {
				t.Errorf("it was not started: %v", err)
			}
		})
	}
	if waits == 0 {
		t.Error("no kind waits")
	}
}
