package agent

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/term/cells"
)

// screenOf returns a screen of 40 columns whose cursor is at the |.
func screenOf(text string) *core.Screen {
	rows := strings.Split(text, "\n")
	s := &core.Screen{View: core.Viewport{Width: 40, Height: len(rows), Cursor: core.Cursor{Visible: true}}}
	for y, row := range rows {
		if before, after, here := strings.Cut(row, "‸"); here {
			s.View.Cursor.X, s.View.Cursor.Y = cells.Width(clean(before+"x"))-1, y
			row = before + after
		}
		s.Lines = append(s.Lines, strings.TrimRight(row, " "))
	}
	s.Visible = len(s.Lines)
	return s
}

func TestTheCursorsLineTellsWhatWasTyped(t *testing.T) {
	full := strings.Repeat("x", 40-len("me@host:~$ "))
	tests := map[string]struct {
		screen string
		entry  Entry
		typed  string
	}{
		"plain":                   {"$ ‸", EntryEmpty, ""},
		"root":                    {"# ‸", EntryEmpty, ""},
		"zsh":                     {"host% ‸", EntryEmpty, ""},
		"user and folder":         {"me@host:~/dir$ ‸", EntryEmpty, ""},
		"after output":            {"me@host:~$ ls\na b\nme@host:~$ ‸", EntryEmpty, ""},
		"coloured":                {"\x1b[01;32mme@host\x1b[00m:\x1b[01;34m~\x1b[00m$ ‸", EntryEmpty, ""},
		"two lines":               {"~/dir main\n❯ ‸", EntryEmpty, ""},
		"a box of two lines":      {"╭─" + strings.Repeat("─", 38) + "\n╰─❯ ‸", EntryEmpty, ""},
		"brackets":                {"[me@host dir]$ ‸", EntryLikelyEmpty, ""},
		"python":                  {">>> ‸", EntryEmpty, ""},
		"ipython":                 {"In [1]: ‸", EntryLikelyEmpty, ""},
		"gdb":                     {"(gdb) ‸", EntryLikelyEmpty, ""},
		"psql":                    {"postgres=# ‸", EntryEmpty, ""},
		"nothing at all":          {"done\n‸", EntryEmpty, ""},
		"right prompt":            {"$ ‸" + strings.Repeat(" ", 40-2-5) + "12:30", EntryEmpty, ""},
		"right prompt, indented":  {"❯ ‸" + strings.Repeat(" ", 40-2-6) + "12:30", EntryEmpty, ""},
		"suggestion":              {"> ‸\x1b[2mType a message\x1b[0m", EntryEmpty, ""},
		"grey suggestion":         {"~> ‸\x1b[38;5;240mls -l\x1b[0m", EntryEmpty, ""},
		"box around":              {"│ > ‸            │", EntryEmpty, ""},
		"a prompt of >":           {"> ls\na\nb\n> ‸", EntryEmpty, ""},
		"theme without a sign":    {"➜  ~ ‸", EntryUnknown, "~"},
		"half a command":          {"me@host:~$ echo HALF-‸", EntryUnknown, "echo HALF-"},
		"plain half":              {"$ echo HALF-‸", EntryUnknown, "echo HALF-"},
		"ends as a prompt does":   {"me@host:~$ echo a > ‸", EntryUnknown, "echo a >"},
		"python half":             {">>> print(‸", EntryUnknown, "print("},
		"no prompt that is known": {"name please‸", EntryUnknown, ""},
		"half of cat":             {"hello wor‸", EntryUnknown, ""},
		"a percentage":            {"building 50%‸", EntryUnknown, ""},
		"cursor moved back":       {"me@host:~$ echo ‸HALF", EntryTyped, "echo HALF"},
		"cursor at the start":     {"me@host:~$ ‸echo HALF", EntryTyped, "echo HALF"},
		"wrapped":                 {"me@host:~$ " + full + "\nyyy > ‸", EntryUnknown, full + "yyy >"},
		"for loop of bash":        {"$ for i in 1 2; do\n> ‸", EntryTyped, "$ for i in 1 2; do"},
		"two rows of it":          {"me@h:~$ cat <<E\n> one\n> ‸", EntryTyped, "me@h:~$ cat <<E"},
		"quote of zsh":            {"% echo 'a\nquote> ‸", EntryTyped, "% echo 'a"},
		"a loop of zsh":           {"% for a in 1; if x\nfor if> ‸", EntryTyped, "% for a in 1; if x"},
		"a block of python":       {">>> if x:\n... ‸", EntryTyped, ">>> if x:"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			line, found := CursorLine(screenOf(test.screen))
			if !found {
				t.Fatal("no line")
			}
			if entry, typed := line.Entry(); entry != test.entry || typed != test.typed {
				t.Errorf("%+v is %d %q, want %d %q", line, entry, typed, test.entry, test.typed)
			}
		})
	}
}

func TestThereIsNoLineWithoutACursor(t *testing.T) {
	hidden, full, unknown := screenOf("$ ‸"), screenOf("$ ‸"), screenOf("$ ‸")
	hidden.View.Cursor.Visible, full.View.AlternateOn, unknown.View = false, true, core.Viewport{}
	for _, screen := range []*core.Screen{hidden, full, unknown} {
		if line, found := CursorLine(screen); found {
			t.Errorf("%+v", line)
		}
	}
}

func FuzzCursorLine(f *testing.F) {
	f.Add("$ echo\n> x", 3, 1)
	f.Add("\x1b[2mé\x1b[0m日本 \xff", 1, 0)
	f.Fuzz(func(_ *testing.T, text string, x, y int) {
		rows := strings.Split(text, "\n")
		screen := &core.Screen{Lines: rows, Visible: len(rows), View: core.Viewport{
			Width: 20, Height: len(rows), Cursor: core.Cursor{X: x % 100, Y: y % 100, Visible: true},
		}}
		if line, found := CursorLine(screen); found {
			line.Entry()
		}
	})
}
