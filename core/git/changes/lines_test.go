package changes_test

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git/changes"
	"cupola/core/git/gittest"
)

// numbered are 30 lines; other has other texts for some.
func numbered(other map[int]string) string {
	var text strings.Builder
	for n := 1; n <= 30; n++ {
		line, is := other[n]
		if !is {
			line = "line " + string(rune('a'+n-1)) + "\n"
		}
		text.WriteString(line)
	}
	return text.String()
}

// changedIn are the changed lines of a patch that contain a text.
func changedIn(patch, text string) (lines []changes.Line) {
	for _, hunk := range changes.Hunks(patch) {
		for _, line := range hunk.Changed() {
			if strings.Contains(line.Text, text) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func TestLinesAreStagedUnstagedAndDiscarded(t *testing.T) {
	for name, end := range map[string]string{"unix": "\n", "windows": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			root := repository(t)
			put := func(other map[int]string) {
				write(t, root, "edited", strings.ReplaceAll(numbered(other), "\n", end))
			}
			put(nil)
			gittest.Run(t, root, nil, "commit", "--quiet", "--all", "--message", "numbered")
			put(map[int]string{2: "two\nand a half\n", 3: "", 20: "twenty\n", 21: "one more\n"})
			shown := func() string { return gittest.Run(t, root, nil, "diff", "HEAD", "--", "edited") }
			staging := func() string { return gittest.Run(t, root, nil, "diff", "--cached", "-U0", "--", "edited") }
			stage := func(text string) *changes.Undo {
				t.Helper()
				_, undo, err := changes.StageLines(t.Context(), root, "edited", changedIn(shown(), text), environ())
				return do(t, undo, err)
			}
			undo := stage("twenty")
			if got := staging(); !strings.Contains(got, "+twenty") || strings.Contains(got, "one more") ||
				strings.Contains(got, "+two\n") {
				t.Errorf("staged\n%s", got)
			}
			stage("half")
			if got := staging(); !strings.Contains(got, "+twenty") || !strings.Contains(got, "+and a half") ||
				strings.Contains(got, "-line") {
				t.Errorf("staged\n%s", got)
			}
			stage("twenty") // is staged, so it is taken back from there
			if got := staging(); strings.Contains(got, "twenty") || !strings.Contains(got, "+and a half") {
				t.Errorf("staged\n%s", got)
			}
			if err := changes.Revert(t.Context(), undo, environ()); !core.AsError(err).HasCode(core.Conflict) {
				t.Errorf("more was staged since: %v", err)
			}
			discarded, err := changes.DiscardLines(t.Context(), root, "edited", changedIn(shown(), "half"), environ())
			do(t, discarded, err)
			if got := shown(); strings.Contains(got, "half") || !strings.Contains(got, "+two") ||
				staging() != "" {
				t.Errorf("the tree has\n%s\nstaged\n%s", got, staging())
			}
			if err := changes.Revert(t.Context(), discarded, environ()); err != nil ||
				!strings.Contains(shown(), "half") || !strings.Contains(staging(), "half") {
				t.Errorf("%v: the tree has\n%s", err, shown())
			}
			gone := []changes.Line{{At: 3, Text: "never there"}}
			_, _, err = changes.StageLines(t.Context(), root, "edited", gone, environ())
			if !core.AsError(err).HasCode(core.Conflict) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestLinesOfANewFileAndOfOneWithoutAnEndAreStaged(t *testing.T) {
	root := repository(t)
	write(t, root, "new \"ü", "first\nsecond\nthird")
	lines := []changes.Line{{At: 2, Text: "second"}}
	staged, undo, err := changes.StageLines(t.Context(), root, "new \"ü", lines, environ())
	do(t, undo, err)
	if got := gittest.Run(t, root, nil, "show", ":new \"ü"); !staged || strings.TrimSpace(got) != "second" {
		t.Errorf("staged %q", got)
	}
	lines = []changes.Line{{At: 3, Text: "third"}}
	_, undo, err = changes.StageLines(t.Context(), root, "new \"ü", lines, environ())
	do(t, undo, err)
	if got := gittest.Run(t, root, nil, "show", ":new \"ü"); strings.TrimSpace(got) != "second\nthird" {
		t.Errorf("staged %q", got)
	}
}
