package suggest

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
)

func FuzzCorrectedLinesAreShellWords(f *testing.F) {
	f.Add("tail\x00shpo\x00--lines=3", "shpo", "--panes", "shop's")
	f.Add("--robot-tial=a,b\x00--", "--robot-tial", "", "--robot-tail")
	f.Fuzz(func(t *testing.T, line, word, flag, by string) {
		args := strings.Split(line, "\x00")
		before := slices.Clone(args)
		got := replaced(args, core.Slip{Word: word, Input: strings.TrimPrefix(flag, "--")}, by)
		if !slices.Equal(args, before) {
			t.Errorf("the line was changed: %q", args)
		}
		if got != nil && (len(got) > len(args) || !strings.Contains(strings.Join(got, " "), by)) {
			t.Errorf("%q with %q for %q is %q", args, by, word, got)
		}
	})
}
