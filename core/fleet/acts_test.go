package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/system/process"
	"cupola/core/system/shell"
	"cupola/core/system/shell/shelltest"
)

func TestKeysReachThePane(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{"exec cat -v"}})
	target := resolve.Target{Session: "api", Kinds: []string{"command"}}
	refs, err := th.Sender.Keys(t.Context(),
		deliver.KeysRequest{Target: target, Keys: []string{"h", "i", "Escape", "Enter"}})
	if err != nil || len(refs) != 1 || refs[0].Agent != "cmd_1" {
		t.Errorf("keys = %+v, %v", refs, err)
	}
	th.shows(t, "api.1", "hi^[\nhi^[")
	_, err = th.Sender.Keys(t.Context(), deliver.KeysRequest{Target: target, Keys: []string{"Entr"}})
	fleettest.WantError(t, err, core.InvalidInput, "")
}

func TestKeysAreNotPressedWhereNothingRuns(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{"read line; exit 3"}})
	if _, err := th.Sender.Keys(t.Context(), deliver.KeysRequest{Target: api1, Keys: []string{"Enter"}}); err != nil {
		t.Fatal(err)
	}
	snapshot := th.until(t, func(s *core.Snapshot) bool { return s.Session("api").Panes[1].Status.Reason != "" })
	if status := snapshot.Session("api").Panes[1].Status; status.State != core.Exited ||
		status.Reason != core.ReasonFailed {
		t.Errorf("status = %+v", status)
	}
	_, err := th.Sender.Keys(t.Context(), deliver.KeysRequest{Target: api1, Keys: []string{"Enter"}})
	fleettest.WantError(t, err, core.NotReady, "")
}

func TestTailOfAFullScreenProgramIsItsScreenAlone(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	draw := `i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo shell $i; done; printf '\033[?1049h\033[Hagent here'; exec sleep 1000`
	th.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{
		draw,
		`i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo out $i; done; exec sleep 1000`,
	}})
	th.shows(t, "api.1", "agent here")
	th.shows(t, "api.2", "out 200")
	tails, err := th.Output.Tail(t.Context(), output.Request{Target: resolve.Target{Session: "api"}, Lines: 120})
	if err != nil || len(tails) != 2 {
		t.Fatalf("%d tails, %v", len(tails), err)
	}
	if full := tails[0]; full.Complete || full.Source != output.SourceScreen ||
		!slices.Equal(full.Lines, []string{"agent here"}) || full.Why == "" {
		t.Errorf("full screen: %+v", full)
	}
	if inline := tails[1]; !inline.Complete || inline.Source != output.SourceHistory || len(inline.Lines) != 120 ||
		inline.Lines[119] != "out 200" || inline.Lines[0] != "out 81" {
		t.Errorf("inline: %d lines from %s, complete %t", len(inline.Lines), inline.Source, inline.Complete)
	}
}

func TestInspectShowsOnePaneInFull(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{
		Dir:      th.tmux.Dir,
		Commands: []string{"printf 'see\\n```sh\\nls\\n```\\n'; exec sleep 1000"},
	})
	th.shows(t, "api.1", "```\n"[:3])
	enginetest.Eventually(t, testTimeout, func() bool {
		inspected, err := th.Output.Inspect(t.Context(), "api.1", 20)
		return err == nil && inspected.Pane.Process.Dir == th.tmux.Dir && inspected.Pane.Agent.Name == "cmd_1" &&
			slices.Equal(inspected.Code, []output.CodeBlock{{Language: "sh", Text: "ls", Closed: true}})
	}, func() string {
		inspected, err := th.Output.Inspect(t.Context(), "api.1", 20)
		return fmt.Sprintf("%+v, %v", inspected, err)
	})
	_, err := th.Output.Inspect(t.Context(), "api", 20)
	fleettest.WantError(t, err, core.InvalidInput, "api.0")
}

func TestKillReapsWhatOutlivesItsPane(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	dir := t.TempDir()
	stay := func(name string) string {
		return fmt.Sprintf(`trap "" HUP TERM; sh -c 'echo $PPID' > %s; while :; do sleep 0.1; done`,
			shell.Quote(filepath.Join(dir, name)))
	}
	orphan := "( ( " + stay("orphan") + " ) & ); exec sleep 1000"
	th.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{stay("stubborn"), orphan}})
	th.spawn(t, "web", lifecycle.LaunchRequest{Commands: []string{stay("spared")}})
	stubborn, orphaned, spared := pidIn(t, filepath.Join(dir, "stubborn")), pidIn(t, filepath.Join(dir, "orphan")),
		pidIn(t, filepath.Join(dir, "spared"))
	killed, err := th.Launcher.Kill(t.Context(), lifecycle.KillRequest{Target: resolve.Target{Session: "api"}})
	if err != nil {
		t.Fatal(err)
	}
	if killed.Session != "api" || len(killed.Panes) != 3 || killed.Reaped == 0 {
		t.Errorf("killed = %+v", killed)
	}
	if stubborn.Alive() || orphaned.Alive() {
		t.Errorf("a process outlived the kill: %+v, %+v", stubborn, orphaned)
	}
	if !spared.Alive() {
		t.Error("a process of another session was ended")
	}
	if snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{}); err != nil ||
		snapshot.Session("api") != nil {
		t.Errorf("the session is still there: %v", err)
	}
	if _, err := process.End(t.Context(), []process.Proc{spared}, 0); err != nil {
		t.Error(err)
	}
}

func TestKillEndsSomePanesOnly(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{
		Agents:   []lifecycle.AgentCount{{Kind: "stub", Count: 1}},
		Commands: []string{"exec sleep 1000"},
	})
	killed, err := th.Launcher.Kill(t.Context(),
		lifecycle.KillRequest{Target: resolve.Target{Session: "api", Kinds: []string{"cmd"}}})
	if err != nil || killed.Session != "" || len(killed.Panes) != 1 {
		t.Errorf("killed = %+v, %v", killed, err)
	}
	snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil || len(snapshot.Panes()) != 2 {
		t.Errorf("%d panes are left, %v", len(snapshot.Panes()), err)
	}
}

func TestAnAdoptedAgentIsExitedOnceItsShellIsBack(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.tmux.Run("new-session", "-d", "-s", "mine", "--", "sh")
	program := filepath.Join(th.tmux.Dir, "claude")
	script := "#!/bin/sh\nwhile read line; do [ \"$line\" = bye ] && exit; done\n"
	if err := shelltest.WriteProgram(program, []byte(script)); err != nil {
		t.Fatal(err)
	}
	th.tmux.Run("send-keys", "-t", "mine", program, "Enter")
	th.until(t, func(s *core.Snapshot) bool {
		front := observe.Foreground(process.Local{}, s.Session("mine").Panes[0].Process.PID)
		return slices.Contains(process.Argv(front.PID), program)
	})
	pane, err := th.Launcher.Adopt(t.Context(), lifecycle.AdoptRequest{Pane: "mine.0", Kind: "cc"})
	if err != nil || pane.Agent.Name != "cc_1" {
		t.Fatalf("adopted %+v, %v", pane, err)
	}
	snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	if pane := snapshot.Session("mine").Panes[0]; pane.Agent.Name != "cc_1" || !pane.Managed ||
		pane.Status.State != core.Unknown {
		t.Errorf("while it runs: %+v", pane)
	}
	th.tmux.Run("send-keys", "-t", "mine", "bye", "Enter")
	th.until(t, func(s *core.Snapshot) bool {
		status := s.Session("mine").Panes[0].Status
		return status.State == core.Exited && status.Reason == core.ReasonFinished && len(status.Evidence) > 0
	})
}

func TestAnInterpretersScriptTellsTheAgent(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	bin := filepath.Join(th.tmux.Dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(bin, "node")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "codex"), []byte("while :; do sleep 1; done\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	th.tmux.Run("new-session", "-d", "-s", "mine", "--", filepath.Join(bin, "node"), filepath.Join(bin, "codex"))
	snapshot := th.until(t, func(s *core.Snapshot) bool { return s.Session("mine").Panes[0].IsAgent() })
	if agent := snapshot.Session("mine").Panes[0].Agent; agent.Kind != "codex" || agent.Recognised != "process" ||
		agent.Name != "cod_1" {
		t.Errorf("agent = %+v", agent)
	}
}

func TestRenameKeepsTheSession(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	answer := th.spawn(t, "api", lifecycle.LaunchRequest{})
	th.spawn(t, "web", lifecycle.LaunchRequest{})
	session, err := th.Launcher.Rename(t.Context(), "api", "core api")
	if err != nil || session.ID != answer.ID || session.Name != "core api" ||
		session.Panes[0].Address() != "core api.0" {
		t.Errorf("renamed %+v, %v", session, err)
	}
	_, err = th.Launcher.Rename(t.Context(), "core api", "web")
	fleettest.WantError(t, err, core.AlreadyExists, "")
	_, err = th.Launcher.Rename(t.Context(), "core api", "a:b")
	fleettest.WantError(t, err, core.InvalidInput, "a-b")
	_, err = th.Launcher.Rename(t.Context(), "api", "x")
	fleettest.WantError(t, err, core.SessionNotFound, "core api")
}

func TestLabelsStayWithTheirAgents(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 2}}})
	label := func(target, word string) []lifecycle.Labelled {
		t.Helper()
		done, err := th.Labels.Set(t.Context(),
			lifecycle.LabelRequest{Target: resolve.Target{Session: target}, Label: &word})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	labels := func() (found []string) {
		snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{Brief: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, pane := range snapshot.Session("api").Agents() {
			found = append(found, pane.Agent.Label)
		}
		return found
	}
	done := label("api.1", "review")
	if len(done) != 1 || done[0].After.Label != "review" || done[0].Before.Label != "" {
		t.Errorf("%+v", done)
	}
	if got := labels(); !slices.Equal(got, []string{"review", ""}) {
		t.Errorf("%q", got)
	}
	if done := label("api", "日本語:2"); len(done) != 2 || done[0].Before.Label != "review" {
		t.Errorf("%+v", done)
	}
	if got := labels(); !slices.Equal(got, []string{"日本語:2", "日本語:2"}) {
		t.Errorf("%q", got)
	}
	label("api.1", "")
	if got := labels(); !slices.Equal(got, []string{"", "日本語:2"}) {
		t.Errorf("%q", got)
	}
	for _, word := range []string{"two words", "a\x1b[2J", "#x", strings.Repeat("x", 33)} {
		_, err := th.Labels.Set(
			t.Context(),
			lifecycle.LabelRequest{Target: resolve.Target{Session: "api"}, Label: &word},
		)
		fleettest.WantError(t, err, core.InvalidInput, "")
	}
}

func TestPinsAndSnoozesAreKeptOnPanes(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	th.spawn(t, "api", lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}})
	set := func(request lifecycle.LabelRequest) lifecycle.Labelling {
		t.Helper()
		request.Target = resolve.Target{Session: "api.1"}
		done, err := th.Labels.Set(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		snapshot, err := th.Overview.Snapshot(t.Context(), observe.View{Brief: true})
		if err != nil {
			t.Fatal(err)
		}
		agent := &snapshot.Session("api").Agents()[0].Agent
		seen := lifecycle.Labelling{Label: agent.Label, Pinned: agent.Pinned, Snoozed: agent.Snoozed}
		if !request.DryRun && seen != done[0].After {
			t.Errorf("it says %+v, and keeps %+v", done[0].After, seen)
		}
		return seen
	}
	word, yes, no := "review", true, false
	until, never := time.Now().UTC().Truncate(time.Second).Add(time.Hour), time.Time{}
	set(lifecycle.LabelRequest{Label: &word, Pin: &yes})
	set(lifecycle.LabelRequest{Snooze: &until, Pin: &no, DryRun: true})
	want := lifecycle.Labelling{Label: "review", Pinned: true, Snoozed: until}
	if got := set(lifecycle.LabelRequest{Snooze: &until}); got != want {
		t.Errorf("%+v", got)
	}
	if got := set(lifecycle.LabelRequest{Snooze: &never, Pin: &no}); got != (lifecycle.Labelling{Label: "review"}) {
		t.Errorf("%+v", got)
	}
	past := time.Now().Add(-time.Second)
	_, err := th.Labels.Set(t.Context(), lifecycle.LabelRequest{Target: resolve.Target{Session: "api"}, Snooze: &past})
	snapshot, seen := th.Overview.Snapshot(t.Context(), observe.View{Brief: true})
	if err != nil || seen != nil || snapshot.Counts().Snoozed != 0 {
		t.Errorf("it is snoozed until a time that has passed: %v, %v", err, seen)
	}
}

func TestAttachSaysHowAHumanGetsThere(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	th := open(t, tmux.Auto)
	answer := th.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{"exec sleep 1000"}})
	argv, inside, err := th.Launcher.Attach(t.Context(), "api.1")
	if err != nil || inside || !slices.Contains(argv, "attach-session") ||
		!strings.Contains(argv[len(argv)-1], string(answer.Panes[1].Pane)) {
		t.Errorf("attach = %q, %t, %v", argv, inside, err)
	}
	_, _, err = th.Launcher.Attach(t.Context(), "nope")
	fleettest.WantError(t, err, core.SessionNotFound, "")
}

// pidIn waits for a file that holds a pid, and returns its process.
func pidIn(t *testing.T, path string) process.Proc {
	t.Helper()
	var found process.Proc
	enginetest.Eventually(t, testTimeout, func() bool {
		text, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return false
		}
		found, err = process.Find(pid)
		return err == nil
	}, func() string { return path + " was never written" })
	return found
}
