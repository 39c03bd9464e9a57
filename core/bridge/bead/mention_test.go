package bead_test

import (
	"slices"
	"testing"

	"cupola/core/bridge/bead"
	"cupola/core/git"
	"cupola/core/git/commits"
)

func TestTextsNameItemsAndFiles(t *testing.T) {
	items := []bead.Item{
		{Brief: bead.Brief{ID: "bd-1"}}, {Brief: bead.Brief{ID: "bd-12"}}, {Brief: bead.Brief{ID: "my.app-a1.2"}},
	}
	names := bead.NewNames(items,
		map[string]bool{
			"core/main.go": true, "cmd/main.go": true, "docs/ä.md": true, "Makefile": true,
			"a/b/only.go": true,
		})
	for text, want := range map[string][]string{
		"bd-1: fix, see (bd-12). Not bd-123, xbd-1 or BD-1": {"bd-1", "bd-12"},
		"bd-12, then bd-1, then bd-12":                      {"bd-12", "bd-1"},
		"closes my.app-a1.2.":                               {"my.app-a1.2"},
		"":                                                  nil,
		"core/main.go:12 and `./only.go`, b/only.go, docs/ä.md; Makefile": nil,
	} {
		if got := names.Items(text); !slices.Equal(got, want) {
			t.Errorf("items of %q: got %q", text, got)
		}
	}
	for text, want := range map[string][]string{
		"core/main.go:12 and `./only.go`, b/only.go, docs/ä.md.": {"core/main.go", "a/b/only.go", "docs/ä.md"},
		"main.go":      nil, // which one?
		"the Makefile": nil, // a word like any other
		"cmd/main.go":  {"cmd/main.go"},
		"xmain.go":     nil,
	} {
		if got := names.Files(text); !slices.Equal(got, want) {
			t.Errorf("files of %q: got %q, want %q", text, got, want)
		}
	}
}

func TestItemsAndFilesBelongTogetherByWordsAndCommits(t *testing.T) {
	items := []bead.Item{
		{Brief: bead.Brief{ID: "bd-1"}, Details: bead.Details{Description: "See main.go"}},
		{Brief: bead.Brief{ID: "bd-2"}, Details: bead.Details{Notes: "nothing"}},
	}
	log := &commits.Log{Tracked: map[string]bool{"main.go": true}, Commits: []git.Commit{
		{Hash: "c2", Message: "bd-2: more", Files: []git.Change{{Path: "main.go"}, {Path: "gone.go"}}},
		{Hash: "c1", Message: "bd-1 and bd-2", Files: []git.Change{{Path: "main.go"}}},
	}}
	touches := bead.Touches(items, log)
	if got := touches["bd-1"]["main.go"]; got == nil || !got.Text || !slices.Equal(got.Commits, []string{"c1"}) {
		t.Errorf("got %+v", got)
	}
	if got := touches["bd-2"]["main.go"]; got == nil || got.Text || !slices.Equal(got.Commits, []string{"c2", "c1"}) ||
		touches["bd-2"]["gone.go"] == nil || len(touches) != 2 {
		t.Errorf("got %+v", touches)
	}
}
