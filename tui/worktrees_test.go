package tui

import (
	"testing"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/intent"
)

// worktreesOf are worktrees of agents of the fixture, and one whose folder is gone.
func worktreesOf() sessions.WorktreeListOut {
	row := func(session, agent string, addresses ...string) sessions.WorktreeRow {
		var r sessions.WorktreeRow
		r.Session, r.Agent, r.Addresses = session, agent, addresses
		r.Path, r.Branch = "/src/api-worktrees/"+session+"/"+agent, "cupola/"+session+"/"+agent
		return r
	}
	work, merged, gone := row("api", "cc_1", "api.1"), row("api", "cod_1"), row("old", "日本 \x1b[2J")
	work.Uncommitted, work.Ahead, work.Behind = 2, 3, 1
	merged.Behind, gone.Gone = 4, true
	return sessions.WorktreeListOut{
		Repository: "/src/api", Base: "main", Worktrees: []sessions.WorktreeRow{work, merged, gone},
	}
}

// worktrees opens the screen of the worktrees, and answers what it asks.
func (s *harness) worktrees() {
	s.press("f6")
	answer[sessions.WorktreeListIn](s, worktreesOf())
}

func TestWorktreesAreThoseOfTheSelectedSession(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("f6")
	first := wasAsked[sessions.WorktreeListIn](s.recorder)
	if first == nil || first.Question != (sessions.WorktreeListIn{InProject: verb.InProject{Session: "api"}}) {
		t.Fatalf("asked %+v", first)
	}
	s.shows("reading")
	answer[sessions.WorktreeListIn](s, worktreesOf())
	s.shows("1 of 3 hold work")
	s.press("]")
	if asked := about[sessions.WorktreeListIn](s); asked.Session != "docs-日本" {
		t.Errorf("asked %+v", asked)
	}
	s.hides("cod_1") // they are of another repository
	fail[sessions.WorktreeListIn](s, core.Errorf(core.NotFound, "it is in no git repository"))
	s.shows("it is in no git repository")
}

func TestKeysOfWorktreesAreAboutTheSelectedOne(t *testing.T) {
	for _, test := range []struct {
		keys []string
		want intent.Intent
		says string
	}{
		{[]string{"d"}, intent.RunCommand{Line: "worktree-diff api/cc_1 --dir /src/api", Width: 140, Height: 36}, ""},
		{[]string{"E"}, intent.Edit{Root: "/src/api-worktrees/api/cc_1"}, ""},
		{[]string{"M", "y"}, merging("/src/api-worktrees/api/cc_1"), ""},
		{[]string{"x"}, nil, "worktree-remove api/cc_1 --dir /src/api"},
		{[]string{"down", "M"}, nil, "has no commit that its base lacks"},
		{[]string{"down", "enter"}, nil, "no pane is in api/cod_1"},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.worktrees()
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.last()); diff != "" {
			t.Errorf("%v: %s", test.keys, diff)
		}
		if test.says != "" {
			s.shows(test.says)
		}
	}
	s := newHarness(t, theme.None, 140, 40)
	s.press("end", "f6")
	answer[sessions.WorktreeListIn](s, worktreesOf())
	s.press("enter")
	if got := s.model.choice.Pane; got != "%1" || len(s.model.stack) != 1 {
		t.Errorf("%s is selected", got)
	}
}
