package transcript_test

import (
	"os"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
)

// lock has the agent hold a file since some minutes after it was started.
func (k *keeping) lock(path string, minutes int) {
	k.t.Helper()
	path = k.put(k.t, path)
	if err := os.Chtimes(path, k.when(minutes), k.when(minutes)); err != nil {
		k.t.Fatal(err)
	}
	k.Open = append(k.Open, path)
}

// Codex locks a session as soon as it has started it, and writes nothing before its first prompt.
func TestARunningCodexLocksTheSessionsThatItHasBegun(t *testing.T) {
	k := keep(t, "codex")
	k.ask(first, 1, "look at the parser")
	k.send(2, "/new")
	lock := func(session string, minutes int) { k.lock(".codex/thread-writer-locks/"+session+".lock", minutes) }
	lock(first, 0)
	lock(third, 1)
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{time.Second, "?" + first}, {time.Minute, first}} {
		k.Now = k.when(2).Add(c.after)
		if found, err := transcript.Identify(t.Context(), &k.Subject); err != nil || described(&found) != c.want {
			t.Errorf("%s after it was result to begin another: %+v, %v", c.after, found, err)
		}
	}
	lock(second, 2)
	found, err := transcript.Identify(t.Context(), &k.Subject)
	if err != nil || described(&found) != "new" || found.Session != second {
		t.Errorf("it has locked another: %+v, %v", found, err)
	}
}

func TestARecordThatWasBegunShowsThatTheAgentIsInAnother(t *testing.T) {
	for _, kind := range []core.Kind{"codex", "copilot", "gemini"} {
		k := keep(t, kind)
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.put(t, k.path(second, false), k.heading(second, "", k.when(3))...)
		found, err := transcript.Identify(t.Context(), &k.Subject)
		if err != nil || described(&found) != "new" || found.Session != second {
			t.Errorf("%s: %+v, %v", kind, found, err)
		}
	}
}

// Copilot keeps holding a session that it left with /new, but not one that it left with /clear.
func TestTheSessionThatARunningCopilotLockedLastIsItsOwn(t *testing.T) {
	k := keep(t, "copilot")
	k.lock(".cache/copilot/pkg/1.0.102/inuse.7.hold", 50)
	hold := func(session string, minutes int) { k.lock(".copilot/session-state/"+session+"/inuse.7.hold", minutes) }
	wants := func(when, want string) {
		t.Helper()
		if found, err := transcript.Identify(t.Context(), &k.Subject); err != nil || described(&found) != want {
			t.Errorf("%s: %+v, %v", when, found, err)
		}
	}
	hold(first, 0)
	k.ask(first, 1, "look at the parser")
	k.say("44444444-dddd-4000-8000-000000000004", 2, "somebody else's")
	wants("started", first)
	hold(second, 3)
	wants("sent to a new one by hand", "new")
	k.ask(second, 4, "look at the printer")
	wants("asked there", second)
	k.send(5, "/clear")
	k.Open = k.Open[:2]
	k.Now = k.when(5).Add(time.Second)
	if found, err := transcript.Identify(t.Context(), &k.Subject); err != nil || found.Certain {
		t.Errorf("it holds the first alone: %+v, %v", found, err)
	}
	hold(third, 6)
	wants("in the third", "new")
	k.ask(third, 7, "look at the reader")
	wants("asked in the third", third)
	k.ask(first, 8, "back in the first")
	wants("asked in the first again", first)
}
