package shell_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"cupola/core/system/shell"
)

func TestQuoteLeavesPlainWordsAsTheyAre(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "api.1": "api.1", "--a=b,c": "--a=b,c", "%7": "%7", "a b": "'a b'", "~": "'~'", "$HOME": "'$HOME'",
		"é": "'é'", "=ls": "'=ls'",
	} {
		if got := shell.Quote(word); got != want {
			t.Errorf("Quote(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestLineQuotesEachWord(t *testing.T) {
	if got := shell.Line("cupola", "send", "my api", "it's"); got != `cupola send 'my api' 'it'\''s'` {
		t.Errorf("got %s", got)
	}
}

func TestWordsAreReadAsAShellReadsThem(t *testing.T) {
	for _, line := range []string{
		"claude", "  a \t b ", `one 'two three' "four five"`, `a'b'"c"\ d`, `"it's" 'say "x"'`, `"\$HOME \a \" \\"`,
		`'' ""`, "a\\\nb", "\"a\\\nb\"", `\'`,
	} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '<%s>' `+line).Output()
		if err != nil {
			t.Fatal(err)
		}
		words, err := shell.Words(line)
		if got := "<" + strings.Join(words, "><") + ">"; err != nil || got != string(out) {
			t.Errorf("%q: %s, %v; a shell reads %s", line, got, err, out)
		}
	}
	for _, line := range []string{"a 'b", `a "b`, `a\`, `"\`} {
		if words, err := shell.Words(line); !errors.Is(err, shell.ErrOpen) {
			t.Errorf("%q: %q, %v", line, words, err)
		}
	}
	if words, err := shell.Words(" \n"); err != nil || len(words) != 0 {
		t.Errorf("blanks: %q, %v", words, err)
	}
}

func FuzzLineIsReadBack(f *testing.F) {
	for _, word := range []string{
		"", "a b", "it's", "$HOME `id` \\ \"x\"", "a\nb\n", "\xff\xfe", "é中🙂", "!!", "~root",
		"-n", "*", "#c", "a;b|c&d", "=x",
	} {
		f.Add(word, word+"'")
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		if words, err := shell.Words(shell.Line(one, other)); err != nil || !slices.Equal(words, []string{one, other}) {
			t.Errorf("%q and %q were read back as %q, %v", one, other, words, err)
		}
		if strings.ContainsRune(one, 0) {
			return // no argument holds a zero byte
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+shell.Quote(one)).Output()
		if err != nil || string(out) != one {
			t.Errorf("%q was read back by sh as %q (%v)", one, out, err)
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add("a 'b c' \"d\\\"e\" \\f")
	f.Add("'")
	f.Fuzz(func(t *testing.T, line string) {
		words, err := shell.Words(line)
		if err != nil {
			return
		}
		if again, err := shell.Words(shell.Line(words...)); err != nil || !slices.Equal(again, words) {
			t.Errorf("%q gives %q, written again %q, %v", line, words, again, err)
		}
	})
}
