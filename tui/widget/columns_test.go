package widget_test

import (
	"testing"

	"cupola/core/term/cells"
	"cupola/tui/widget"
)

func TestFixColumnsKeepsCellsInPlace(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"nothing odd", "\x1b[31m│ab 日本│\x1b[0m", "\x1b[31m│ab 日本│\x1b[0m"},
		{"an emoji", "│🙂│", "\x1b[?7l│  \x1b[2G🙂\x1b[4G│\x1b[?7h"},
		{
			"a vowel sign with a cell of its own", "a\x1b[31mकी\x1b[0mb",
			"\x1b[?7la\x1b[31m  \x1b[2Gकी\x1b[4G\x1b[0mb\x1b[?7h",
		},
		{"the last column, where marks would slip", "abกี", "\x1b[?7lab \x1b[3Gก\x1b[?7h"},
		{"marks of a letter that may be unknown", "𑄇\u0301b", "\x1b[?7l \x1b[1G𑄇\x1b[2G\u0301\x1b[2Gb\x1b[?7h"},
	} {
		if got := widget.FixColumns(test.line, cells.Width(test.line)); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
