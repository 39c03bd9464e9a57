package advice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/verb/advice"
	"cupola/core/verb/catalog"
)

// subject fills every blank of a remedy.
var subject = core.Subject{
	Host:    "gpu1",
	Session: "it's", Panes: []string{"api.1", "a b.2"}, Kind: "claude", Run: "1j", Name: "goal", Dir: "/presets",
	Trees: []core.Worktree{{Name: "api/cc_1", Repo: "/my repo"}},
}

var (
	quotedCommand = regexp.MustCompile(`'(cupola [^']*)'`)
	flagNamed     = regexp.MustCompile(`--([a-z-]+)`)
)

// check requires that a hint is a sentence and that all that it and the actions name is there.
func check(t *testing.T, where, hint string, actions []string) {
	t.Helper()
	if hint != "" && !strings.HasSuffix(hint, ".") || strings.Contains(hint, "{") {
		t.Errorf("%s: the hint %q is no sentence", where, hint)
	}
	for _, match := range quotedCommand.FindAllStringSubmatch(hint, -1) {
		if match[1] != strings.ToLower(match[1]) {
			t.Errorf("%s: the hint names %q, which has a placeholder", where, match[1])
		}
		actions = append(slices.Clone(actions), match[1])
	}
	for _, flag := range flagNamed.FindAllStringSubmatch(hint, -1) {
		if len(catalog.All().TakenBy(flag[1])) == 0 {
			t.Errorf("%s: no verb takes --%s", where, flag[1])
		}
	}
	for _, action := range actions {
		words, err := shell.Words(action)
		if err != nil || len(words) < 2 || words[0] != "cupola" || catalog.All().Find(words[1]) == nil {
			t.Errorf("%s: %q is no command: %v", where, action, err)
			continue
		}
		verb := catalog.All().Find(words[1])
		flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
		bound := verb.Bind(flags)
		if err := flags.Parse(words[2:]); err != nil {
			t.Errorf("%s: %q: %v", where, action, err)
		} else if err := bound.Args(flags.Args()); err != nil {
			t.Errorf("%s: %q: %v", where, action, err)
		}
	}
}

func TestEveryCodeHasHintAndParsingCommands(t *testing.T) {
	for _, row := range advice.Codes() {
		if row.Hint == "" || len(row.Actions) == 0 {
			t.Errorf("%s lacks a hint or an action", row.Code)
		}
		check(t, string(row.Code), row.Hint, row.Actions)
	}
	if row := advice.Of("SUNK"); row.Code != core.InternalError || row.Hint == "" {
		t.Errorf("an unknown code has %+v", row)
	}
}

func TestEveryRemedyParses(t *testing.T) {
	for remedy := range advice.Remedies {
		e := advice.Complete(&core.Error{Remedies: []core.Remedy{remedy}, Subject: subject})
		check(t, string(remedy), e.Hint, e.Actions)
		if e.Hint == "" && e.Actions == nil && e.Slip.Add == "" {
			t.Errorf("%s has no words", remedy)
		}
		if name, _, _ := strings.Cut(e.Slip.Add, "="); name != "" && len(catalog.All().TakenBy(name)) == 0 {
			t.Errorf("%s: no verb takes --%s", remedy, name)
		}
	}
}

func TestEveryRemedyOfTheCoreIsKnown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../remedy.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			seen++
			name, _ := strconv.Unquote(lit.Value)
			if _, known := advice.Remedies[core.Remedy(name)]; !known {
				t.Errorf("%s has no row", name)
			}
		}
		return true
	})
	if seen != len(advice.Remedies) {
		t.Errorf("%d rows for %d remedies", len(advice.Remedies), seen)
	}
}

func TestAnErrorIsCompletedWithItsRemedies(t *testing.T) {
	for _, c := range []struct{ err, want core.Error }{
		{core.Error{Message: "late", Hint: "Wait."}, core.Error{Message: "late", Hint: "Wait."}},
		{
			core.Error{Remedies: []core.Remedy{core.RemedyShowPane, core.RemedyListSessions}},
			core.Error{Actions: []string{"cupola tail api.1", "cupola tail 'a b.2'", "cupola status"}},
		},
		{
			core.Error{
				Hint: "It has: 1 cc_1.", Actions: []string{"cupola look"},
				Remedies: []core.Remedy{core.RemedyNarrowLess, core.RemedyAttachSession},
			},
			core.Error{
				Hint:    "--panes, --type, --exclude and the pane's address all narrow the choice. It has: 1 cc_1.",
				Actions: []string{"cupola look", `cupola attach 'it'\''s'`},
			},
		},
		{
			core.Error{Remedies: []core.Remedy{core.RemedyShowWorktree}},
			core.Error{Actions: []string{"cupola worktree-diff api/cc_1 --dir '/my repo'"}},
		},
		{
			core.Error{Slip: core.Slip{Word: "claude"}, Remedies: []core.Remedy{core.RemedyNameSession}},
			core.Error{
				Slip: core.Slip{Word: "claude", Add: "type=claude"},
				Hint: "claude is a kind of agent: name the session first, and choose its agents with --type=claude.",
			},
		},
		{
			core.Error{Details: map[string]any{"panes": 2}, Remedies: []core.Remedy{core.RemedyRestartWhich}},
			core.Error{
				Hint:    "Name them with --panes, or by an address such as api.1; --all restarts every one.",
				Details: map[string]any{"panes": 2, "missing": []string{"--panes"}},
			},
		},
	} {
		c.err.Subject = subject
		if len(c.err.Remedies) > 0 && c.err.Remedies[0] == core.RemedyRestartWhich {
			c.err.Subject.Panes = subject.Panes[:1]
		}
		c.want.Remedies, c.want.Subject = c.err.Remedies, c.err.Subject
		if diff := cmp.Diff(&c.want, advice.Complete(&c.err)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.err.Remedies, diff)
		}
	}
	if e := advice.Complete(nil); e != nil {
		t.Errorf("no error became %+v", e)
	}
}

func TestAClauseIsAHintWithoutItsFullStop(t *testing.T) {
	if got := advice.Clause(core.RemedyReplaceDraft); got != "--replace-draft clears it first" {
		t.Errorf("got %q", got)
	}
	if got := advice.Clause(""); got != "" {
		t.Errorf("got %q", got)
	}
}
