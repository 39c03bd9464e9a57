package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// TestScreens holds the rules to the few recordings that come along.
func TestScreens(t *testing.T) {
	score(t, filepath.Join("testdata", "screens"), nil)
}

// TestRecordings holds the rules to every recording and shows how they did.
func TestRecordings(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	score(t, filepath.Join(folder, "screens"), unshown)
}

// unshown are recordings whose label says more than their screen shows.
var unshown = map[string]string{
	"copilot/working_draft/01-120x40":    "the draft was swallowed: the composer is empty",
	"gemini/startup_dialog/01-120x40":    "nothing is drawn yet",
	"gemini/startup_dialog/02-120x40":    "nothing is drawn yet",
	"gemini/startup_dialog/03-120x40":    "nothing is drawn yet",
	"gemini/startup_dialog/04-120x40":    "nothing is drawn yet",
	"gemini/error_auth/05-120x40":        "nothing is drawn yet",
	"gemini/idle_after_answer/40-120x40": "a draft is typed",
}

// tally counts what one rule or question got right.
type tally struct{ hit, miss int }

// score asks every question that a recording's label answers.
func score(t *testing.T, root string, except map[string]string) {
	t.Helper()
	kinds := load(t)
	tallies := map[string]*tally{}
	for _, c := range corpus(t, root) {
		if except[c.File] != "" {
			continue
		}
		kind, ok := kinds.Find(c.Agent)
		if !ok {
			t.Fatalf("%s: no kind %s", c.File, c.Agent)
		}
		reading := kind.Read(c.screen(t))
		for _, m := range reading.Matches() {
			count(tallies, c.Agent+"\trule "+m.Rule.ID).hit++
		}
		for _, q := range questions(c, reading) {
			n := count(tallies, c.Agent+"\t"+q.name)
			if q.right {
				n.hit++
				continue
			}
			n.miss++
			if q.strict {
				t.Errorf("%s: %s: %s", c.File, q.name, q.got)
			} else {
				t.Logf("%s: %s: %s", c.File, q.name, q.got)
			}
		}
	}
	report(t, tallies)
}

func count(tallies map[string]*tally, key string) *tally {
	if tallies[key] == nil {
		tallies[key] = &tally{}
	}
	return tallies[key]
}

// question is one thing that a label says, and what the rules said.
type question struct {
	name, got string
	right     bool
	// strict questions must be right every time.
	strict bool
}

// questions compares a reading with its label.
func questions(c capture, r *agent.Reading) []question {
	composer, found := r.Composer()
	block, blocked := r.Blocked()
	working, busy := r.Working()
	seen := fmt.Sprintf("composer %v %q, blocked %q, working %q", found, composer.Draft, block.Reason, working.Line)
	ask := func(name string, right bool) question {
		return question{name: name, right: right, strict: true, got: seen}
	}

	if reason, dialog := dialogOf(c); dialog {
		return []question{
			ask("blocked in "+c.State, blocked),
			ask("reason of "+c.State, block.Reason == reason),
			ask("no composer in a dialog", !found && !r.Ready()),
		}
	}
	qs := []question{ask("not blocked elsewhere", !blocked)}
	gone := c.State == "exited" || c.State == "starting" && c.Phase != "drawn"
	switch {
	case gone:
		return append(qs, ask("not ready when gone or blank", !r.Ready()))
	case c.State == "starting":
		return append(qs, ask("not working while it starts", !busy))
	case strings.HasPrefix(c.State, "working"), c.Phase == "retrying", c.State == "compacting":
		q := ask("working seen", busy)
		q.strict = false
		qs = append(qs, q)
	case strings.HasPrefix(c.State, "error_") && c.Agent == "opencode":
		// Some of these were labelled while the footer still counted its retries.
	default:
		qs = append(qs, ask("not working at rest", !busy), ask("ready at rest", r.Ready()))
	}
	switch {
	case strings.HasSuffix(c.State, "draft") || c.State == "draft_typed":
		qs = append(qs, ask("draft seen", found && composer.Draft != ""))
	case strings.HasPrefix(c.State, "idle"), c.State == "context_low":
		qs = append(qs, ask("no draft invented", found && composer.Draft == ""))
	}
	if strings.HasSuffix(c.State, "_queued") {
		_, queued := r.Queued()
		qs = append(qs, ask("queued prompt seen", queued))
	}
	return qs
}

// dialogOf returns the reason of a label, if it is a dialog's.
func dialogOf(c capture) (core.Reason, bool) {
	switch c.State {
	case "waiting_permission":
		return core.ReasonApproval, true
	case "waiting_plan_approval":
		return core.ReasonPlan, true
	case "waiting_question":
		return core.ReasonQuestion, true
	case "startup_dialog":
		return startup[c.File], true
	}
	reason, dialog := strings.CutPrefix(c.State, "dialog_")
	return core.Reason(reason), dialog
}

// startup says what the dialogs at start ask, which their label leaves open.
var startup = map[string]core.Reason{
	"claude/startup_dialog/02-120x40":  core.ReasonTrust,
	"claude/startup_dialog/14-120x40":  core.ReasonDialog,
	"codex/startup_dialog/01-120x40":   core.ReasonTrust,
	"codex/startup_dialog/03-120x40":   core.ReasonDialog,
	"codex/startup_dialog/06-120x40":   core.ReasonLogin,
	"copilot/startup_dialog/01-120x40": core.ReasonTrust,
}

// report prints the table of hits and misses and holds recall to its floor.
func report(t *testing.T, tallies map[string]*tally) {
	t.Helper()
	keys := make([]string, 0, len(tallies))
	for key := range tallies {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		kind, name, _ := strings.Cut(key, "\t")
		n := tallies[key]
		if strings.HasPrefix(name, "rule ") {
			t.Logf("%-9s %-32s %4d screens", kind, name, n.hit)
			continue
		}
		t.Logf("%-9s %-32s %4d of %4d", kind, name, n.hit, n.hit+n.miss)
		if n.hit*100 < (n.hit+n.miss)*99 {
			t.Errorf("%s: %s: %d misses in %d", kind, name, n.miss, n.hit+n.miss)
		}
	}
	if len(keys) < 40 {
		t.Errorf("only %d questions were asked", len(keys))
	}
}

func load(t testing.TB) *agent.Kinds {
	t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}
