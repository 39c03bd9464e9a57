package agents

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestAWaitSaysAtOnceWhatItCannotKnow(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
	var told []string
	env.Progress = func(p core.Progress) { told = append(told, p.Message) }
	panes := []core.PaneRef{{Session: "api", Ordinal: 1}, {Session: "api", Ordinal: 2}}
	warnUnreadable(env, panes, []core.Kind{"claude", core.KindCommand}, time.Minute)
	if len(told) != 1 || !strings.HasPrefix(told[0], "api.2: ") || !strings.Contains(told[0], "after 1m0s") {
		t.Errorf("of a command beside Claude it says %q", told)
	}
	told = nil
	warnUnreadable(env, panes, []core.Kind{"claude", "codex"}, time.Minute)
	if len(told) != 0 {
		t.Errorf("of agents that are known it says %q", told)
	}
	warnUnreadable(env, panes, []core.Kind{core.KindGeneric, ""}, 0)
	if len(told) != 1 || !strings.Contains(told[0], "api.1, api.2") || !strings.Contains(told[0], "for ever") {
		t.Errorf("without an end it says %q", told)
	}
}
