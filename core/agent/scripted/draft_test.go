package scripted

import (
	"strings"
	"testing"
)

func TestDraft(t *testing.T) {
	long := strings.Repeat("x", foldChars+1)
	tests := map[string]struct {
		edit        func(d *draft)
		text, shown string
	}{
		"typed": {func(d *draft) { d.insert("a"); d.insert("b") }, "ab", "ab"},
		"a paste of 1000 characters stays open": {
			func(d *draft) { d.paste(long[1:]) }, long[1:], long[1:],
		},
		"a longer one folds, and is kept whole": {
			func(d *draft) { d.insert("see "); d.paste(long); d.insert("!") },
			"see " + long + "!", "see [Pasted 1001 chars]!",
		},
		"characters are counted, not bytes": {
			func(d *draft) { d.paste(strings.Repeat("é", foldChars)) },
			strings.Repeat("é", foldChars), strings.Repeat("é", foldChars),
		},
		"ten lines stay open": {
			func(d *draft) { d.paste(strings.Repeat("l\n", 9) + "l") },
			strings.Repeat("l\n", 9) + "l", strings.Repeat("l\n", 9) + "l",
		},
		"eleven fold": {
			func(d *draft) { d.paste(strings.Repeat("l\n", 10) + "l") },
			strings.Repeat("l\n", 10) + "l", "[Pasted 11 lines]",
		},
		"backspace takes a character as people see it": {
			func(d *draft) { d.insert("a👩‍🚀"); d.backspace() }, "a", "a",
		},
		"backspace takes a whole folded paste": {
			func(d *draft) { d.insert("a"); d.paste(long); d.backspace() }, "a", "a",
		},
		"backspace on nothing": {func(d *draft) { d.backspace() }, "", ""},
		"kill takes the line":  {func(d *draft) { d.insert("a\nbc"); d.killLine() }, "a\n", "a\n"},
		"kill takes the break": {func(d *draft) { d.insert("a\n"); d.killLine() }, "a", "a"},
		"kill takes all of a line": {
			func(d *draft) { d.insert("a"); d.paste(long); d.insert("b"); d.killLine() }, "",
			"",
		},
		"kill stops at a stray": {
			func(d *draft) { d.insert("a"); d.stray(); d.insert("b"); d.killLine() }, "a\n",
			"a\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var d draft
			tt.edit(&d)
			if d.text() != tt.text || d.shown() != tt.shown {
				t.Errorf("holds %q, shows %q; want %q, %q", d.text(), d.shown(), tt.text, tt.shown)
			}
			if d.empty() != (tt.text == "") {
				t.Errorf("empty is %v", d.empty())
			}
		})
	}
}

func TestTakeLeavesOutOnlyStrayNewlinesAtTheEnd(t *testing.T) {
	var d draft
	d.insert("a")
	d.stray()
	d.paste("b \n")
	d.stray()
	d.stray()
	if got := d.submit().text; got != "a\nb \n" {
		t.Errorf("took %q", got)
	}
	if !d.empty() {
		t.Error("the draft is not empty")
	}
}
