package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"cupola/core"
	"cupola/core/bridge/bead/beadtest"
	"cupola/core/engine/enginetest"
	"cupola/core/git/worktree/worktreetest"
	"cupola/core/host/bus/bustest"
	"cupola/core/record/store"
	"cupola/core/run/crew/crewtest"
	"cupola/core/run/relay/relaytest"
	"cupola/core/run/story/agentsession/agentsessiontest"
	"cupola/core/run/story/storytest"
	"cupola/core/system/shell"
	"cupola/core/system/shell/shelltest"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// fakeAgents are the agent programs that examples name; here each only waits.
var fakeAgents = []string{"claude", "codex", "gemini", "opencode"}

// newFleet is a machine with sessions named api and web, which the examples of
// the verbs name.
func newFleet(t testing.TB) *machine {
	t.Helper()
	m := newSession(t)
	for _, args := range [][]string{{"spawn", "web", "--cmd=cat"}, {"send", "web.1", "hello"}} {
		if got := m.cupola(args...); got.status != 0 {
			t.Fatalf("cupola %q: %+v", args, got)
		}
	}
	shows(m, "web:1", "hello\nhello")
	recordPrompt(m)
	relaytest.Put(m.t, relaysOf(m), false)
	putCrew(m)
	putAgentSession(m)
	storytest.Put(m.t, m.tmux.Dir, runsOf(m))
	return m
}

// newSession is a machine with the session api, whose panes show their states at
// once and for good.
func newSession(t testing.TB) *machine {
	t.Helper()
	m := newToolMachine(t)
	giveProject(m)
	if got := m.cupola("spawn", "api", "--agents=scripted=1", "--wait-ready"); got.status != 0 {
		t.Fatalf("cupola spawn: %+v", got)
	}
	shows(m, "api:0", "")
	return m
}

// shows waits until a pane shows a text; an empty one is anything.
func shows(m *machine, target, text string) {
	m.t.Helper()
	var screen string
	enginetest.Eventually(m.t, testTimeout, func() bool {
		screen = m.tmux.Run("capture-pane", "-p", "-t", target)
		return strings.TrimSpace(screen) != "" && strings.Contains(screen, text)
	}, func() string { return target + " shows " + screen })
}

// recordPrompt puts a prompt on record that has the id which examples name.
func recordPrompt(m *machine) {
	m.t.Helper()
	records, err := store.Open(m.t.Context(), filepath.Join(m.home, ".local", "share", "cupola", "cupola.db"),
		store.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	prompt := core.NewPrompt(core.OriginSend, "hello", core.PaneRef{Session: "web", Ordinal: 1})
	prompt.ID, prompt.At, prompt.Server = "1jfs2tq0c-2kq7xw4mzd", time.Now().Add(-time.Minute), m.tmux.Socket
	prompt.Tracked, prompt.Deliveries[0].Result = true, core.Result{Outcome: core.Delivered, At: time.Now()}
	err = store.PromptsIn(records).Save(m.t.Context(), *prompt)
	if err := errors.Join(err, records.Close()); err != nil {
		m.t.Fatal(err)
	}
}

// newToolMachine returns a machine with agent programs and tools, and without sessions.
func newToolMachine(t testing.TB) *machine {
	t.Helper()
	m := newMachine(t)
	bin := filepath.Join(m.tmux.Dir, "agents")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range fakeAgents {
		if err := shelltest.WriteProgram(filepath.Join(bin, name), []byte("#!/bin/sh\nexec cat\n")); err != nil {
			t.Fatal(err)
		}
	}
	m.putFirst(bin)
	m.putFirst(fakeTools(t))
	return m
}

// fakeTools is the directory of the scripts that replace tools.
func fakeTools(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "core", "bridge", "testdata", "fakes"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// giveProject makes the folder that programs are started in a project with work
// items, the program that changes them, and a history of two commits.
func giveProject(m *machine) {
	m.t.Helper()
	beadtest.Project(m.t, m.tmux.Dir)
	bin := filepath.Join(m.tmux.Dir, "tools")
	if err := os.Mkdir(bin, 0o700); err != nil {
		m.t.Fatal(err)
	}
	beadtest.Install(m.t, bin)
	m.putFirst(bin)
	beadtest.Repository(m.t, m.tmux.Dir)
}

// furnished are the reading verbs whose examples need more than newFleet has, or are on file.
var furnished = []string{"worktree-diff", "hosts", "hosts-check", "bus-doctor", "background-attach"}

// fleetFor is a machine on which the examples of a verb run as written.
func fleetFor(t testing.TB, verb *registry.Verb) *machine {
	t.Helper()
	switch verb.Name {
	case "spawn":
		return newToolMachine(t)
	case "watch":
		return newSession(t)
	case "adopt":
		m := newToolMachine(t)
		m.tmux.Run("new-session", "-d", "-s", "api", "cat")
		m.tmux.Run("new-window", "-d", "-t", "api", "cat")
		return m
	case "answer":
		m := newFleet(t)
		for _, args := range [][]string{
			{"send", "api.1", "approve ask"},
			{"wait", "api.1", "--for=waiting", "--timeout=1m"},
		} {
			if got := m.cupola(args...); got.status != 0 {
				t.Fatalf("cupola %q: %+v", args, got)
			}
		}
		return m
	case "background-attach":
		m := newToolMachine(t)
		bin := filepath.Join(m.tmux.Dir, "background")
		text := "#!/bin/sh\necho '[{\"id\":\"7f3a91c2\",\"kind\":\"background\",\"status\":\"idle\"}]'\n"
		if err := os.Mkdir(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := shelltest.WriteProgram(filepath.Join(bin, "claude"), []byte(text)); err != nil {
			t.Fatal(err)
		}
		m.putFirst(bin)
		return m
	case "pipeline-run":
		m := newFleet(t)
		writePipelines(t, m)
		return m
	case "hosts-add":
		m := newFleet(t)
		m.addHosts() // there are none yet, and the dry runs reach none
		return m
	case "hosts-check":
		m := newFleet(t)
		m.addHosts("gpu1")
		return m
	case "restore":
		m := newFleet(t)
		// What the machine itself puts there is no change of the project.
		info := filepath.Join(m.tmux.Dir, ".git", "info")
		if err := errors.Join(os.MkdirAll(info, 0o700),
			os.WriteFile(filepath.Join(info, "exclude"), []byte("*\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if got := m.cupola("checkpoint", "api", "--name=monday"); got.status != 0 {
			t.Fatalf("cupola checkpoint: %+v", got)
		}
		return m
	}
	return newFleet(t)
}

// relaysOf is the directory of a machine's relays.
func relaysOf(m *machine) string { return filepath.Join(m.home, ".local", "state", "cupola", "relays") }

// putCrew puts a crew that ended on record.
func putCrew(m *machine) {
	m.t.Helper()
	share := filepath.Join(m.home, ".local")
	crewtest.Put(m.t, filepath.Join(share, "share", "cupola", "cupola.db"),
		filepath.Join(share, "state", "cupola", "crews"), false, false)
}

// runsOf is the directory of the runs of stories.
func runsOf(m *machine) string { return filepath.Join(m.home, ".local", "state", "cupola", "stories") }

// putAgentSession puts a session of an agent inside a story on record.
func putAgentSession(m *machine) {
	m.t.Helper()
	agentsessiontest.Put(m.t, m.tmux.Dir, filepath.Join(m.home, ".local", "state", "cupola", "story-sessions"), true)
}

// writePipelines writes two pipelines: one that comes to its end, and one that waits for what does not come.
func writePipelines(t testing.TB, m *machine) {
	t.Helper()
	dir := filepath.Join(m.tmux.Dir, "wait")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(m.tmux.Dir,
			"review.toml"): "[vars]\ngoal = \"done\"\n[[step]]\nname = \"ask\"\nverb = \"send\"\nargs = {msg = " +
			"\"say ${vars.goal}\"}\n" +
			"[[step]]\nname = \"wait\"\nverb = \"wait\"\nargs = {session = \"${steps.ask.deliveries.0.session}\", " +
			"timeout = \"1m\"}\n",
		filepath.Join(dir, "review.toml"): "[[step]]\nname = \"wait\"\nverb = \"wait\"\nargs = {for = [\"working\"]}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Examples run alive where only a living fleet can answer, and where they only read. What the others answer is on file
// in robot/verbs, and fits the schema too.
func TestEveryExampleRunsAndFitsItsSchema(t *testing.T) {
	t.Parallel()
	// Verbs that only read share a fleet.
	shared := newFleet(t)
	for _, verb := range catalog.All().Verbs {
		t.Run(verb.Name, func(t *testing.T) {
			t.Parallel()
			m := shared.in(t)
			schema, err := schemaOf(m, verb.Name)
			if err != nil {
				t.Fatal(err)
			}
			if len(verb.Examples()) == 0 {
				t.Fatal("it has no example")
			}
			fits := func(example, text string) {
				docs, err := documents(text)
				if err != nil || len(docs) == 0 || len(docs) > 1 && verb.Line() == nil {
					t.Fatalf("%s: %d documents, %v\n%s", example, len(docs), err, text)
				}
				for _, doc := range docs {
					if err := schema.Validate(doc); err != nil {
						t.Errorf("%s: %v\n%v", example, err, doc)
					}
				}
			}
			reads := verb.Effect == registry.Reads && !verb.Streams && !slices.Contains(furnished, verb.Name)
			var examples []string
			for _, example := range verb.Examples() {
				if answer, filed := onFile(t, verb, example); filed && !reads {
					fits(example, answer)
				} else {
					examples = append(examples, example)
				}
			}
			if len(examples) == 0 {
				return
			}
			if !reads {
				m = fleetFor(t, verb)
			}
			var alive strings.Builder
			for _, example := range examples {
				if strings.Contains(example, " --background") {
					// How far it gets until its answer is written varies.
					if err := os.Rename(filepath.Join(m.tmux.Dir, "wait", "review.toml"),
						filepath.Join(m.tmux.Dir, "review.toml")); err != nil {
						t.Fatal(err)
					}
				}
				asJSON := "cupola --robot-format=" + plainFormat(verb) + strings.TrimPrefix(example, "cupola")
				got := m.line(asJSON, reads)
				if got.status != 0 {
					t.Errorf("%s: status %d\n%s%s", example, got.status, got.stdout, got.stderr)
				}
				fits(example, got.stdout)
				if _, filed := onFile(t, verb, example); !filed {
					fmt.Fprintf(&alive, "$ %s\n%s\n", asJSON, still(m, example, got.stdout))
				}
			}
			if alive.Len() > 0 {
				golden.RequireEqual(t, alive.String())
			}
		})
	}
}

// line runs a line as a shell does; as a call if that will do, and the shell has nothing else to do.
func (m *machine) line(line string, asCall bool) answer {
	m.t.Helper()
	if !asCall || strings.ContainsAny(line, "|<>;&$") {
		return m.run(m.command("sh", "-c", line))
	}
	return m.call(words(m.t, line)[1:]...)
}

// plainFormat is the format of a verb's answers that has a schema.
func plainFormat(verb *registry.Verb) string {
	if verb.Streams {
		return "ndjson"
	}
	return "json"
}

func TestEveryAnswerCanBeReadByPeople(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	m.onBus(bustest.New(t).ClientURL())
	m.addHosts("gpu1")
	worktreetest.Give(t, m.tmux.Dir, "api", "cc_1", "main_test.go")
	for _, verb := range catalog.All().Verbs {
		if verb.Effect != registry.Reads || verb.Streams || verb.Name == "background-attach" { // none is there
			continue
		}
		got := m.line(verb.Examples()[0]+" --human", true)
		// Agents that left no transcript have used an unknown number of tokens.
		warns := verb.Name == "tokens"
		if got.status != 0 || strings.TrimSpace(got.stdout) == "" || got.stderr != "" && !warns {
			t.Errorf("%s: %+v", verb.Examples()[0], got)
		}
		if strings.ContainsRune(got.stdout, '\x1b') {
			t.Errorf("%s writes escapes without colour: %q", verb.Examples()[0], got.stdout)
		}
	}
}

// words splits a command line as a shell does.
func words(t testing.TB, line string) []string {
	t.Helper()
	list, err := shell.Words(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return list
}
