package agent

import (
	"strings"
	"testing"

	"cupola/core/term/cells"
)

func TestColumnsAreCutByCells(t *testing.T) {
	for _, tc := range []struct {
		row         string
		left, right int
		want        string
	}{
		{"abcdef", 2, 4, "cd"},
		{"│ ab │ side", 0, 6, "│ ab │"},
		{"日本語", 2, 4, "本"},
		{"日本語", 1, 4, "本"}, // half of the first is cut off, and so all of it
		{"日本語", 0, 3, "日"},
		{"ab", 5, 9, ""},
		{"ab   cd", 0, 4, "ab"},
		{"e\u0301x", 1, 2, "x"},
		{"", 0, 3, ""},
	} {
		if got := columns(tc.row, tc.left, tc.right); got != tc.want {
			t.Errorf("columns %d to %d of %q are %q, want %q", tc.left, tc.right, tc.row, got, tc.want)
		}
	}
}

func FuzzColumns(f *testing.F) {
	f.Add("│ 日本 x", 1, 5)
	f.Fuzz(func(t *testing.T, row string, left, right int) {
		if left < 0 || right < left {
			return
		}
		got := columns(row, left, right)
		if !strings.Contains(row, got) || cells.Width(got) > right-left {
			t.Errorf("columns %d to %d of %q are %q", left, right, row, got)
		}
	})
}
