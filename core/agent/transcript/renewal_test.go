package transcript_test

import (
	"os"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
)

// Codex locks a session as soon as it has begun it, and writes nothing before it is asked.
func TestARunningCodexLocksTheSessionsThatItHasBegun(t *testing.T) {
	k := keep(t, "codex")
	k.ask(first, 1, "look at the parser")
	k.send(2, "/new")
	lock := func(session string, minutes int) {
		path := k.put(t, ".codex/thread-writer-locks/"+session+".lock")
		if err := os.Chtimes(path, k.when(minutes), k.when(minutes)); err != nil {
			t.Fatal(err)
		}
		k.Open = append(k.Open, path)
	}
	lock(first, 0)
	lock(third, 1)
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{time.Second, "?" + first}, {time.Minute, first}} {
		k.Now = k.when(2).Add(c.after)
		if found, err := transcript.Identify(t.Context(), &k.Place); err != nil || described(&found) != c.want {
			t.Errorf("%s after it was told to begin another: %+v, %v", c.after, found, err)
		}
	}
	lock(second, 2)
	found, err := transcript.Identify(t.Context(), &k.Place)
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
		found, err := transcript.Identify(t.Context(), &k.Place)
		if err != nil || described(&found) != "new" || found.Session != second {
			t.Errorf("%s: %+v, %v", kind, found, err)
		}
	}
}

func TestARunningCopilotHoldsALockInTheFolderOfItsSession(t *testing.T) {
	k := keep(t, "copilot")
	k.ask(first, 1, "look at the parser")
	k.say(second, 2, "somebody else's")
	for session, want := range map[string]string{first: first, second: second, third: "new"} {
		k.Open = []string{
			k.home + "/.cache/copilot/pkg/1.0.102/inuse.7.hold",
			k.home + "/.copilot/session-state/" + session + "/inuse.7.hold",
		}
		if found, err := transcript.Identify(t.Context(), &k.Place); err != nil || described(&found) != want {
			t.Errorf("%s: %+v, %v", session, found, err)
		}
	}
}
