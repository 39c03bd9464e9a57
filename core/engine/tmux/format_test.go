package tmux

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"cupola/core/engine"
)

// escape returns a value as tmux's q: modifier prints it.
func escape(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if strings.IndexByte("|&;<>()$`\\\"'*?[# =%", value[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

func FuzzFieldsSurvive(f *testing.F) {
	f.Add("plain", "")
	f.Add(`a|b\`, "\n|\n")
	f.Add("#{pane_id}", "3.3a|x|\nP|%1|")
	f.Add("\x00\xff", "é🎉")
	f.Fuzz(func(t *testing.T, a, b string) {
		in := records{out: strings.Repeat(escape(a)+"|"+escape(b)+"|\n", 2)}
		for range 2 {
			var got [2]string
			err := in.next(got[:])
			if err != nil || got != [2]string{a, b} {
				t.Fatalf("%q, %q came back as %q (%v)", a, b, got, err)
			}
		}
		if in.more() {
			t.Fatalf("left: %q", in.out)
		}
	})
}

// Foreign bytes end in an error, not in a panic or an endless loop.
func FuzzAnswersAreRead(f *testing.F) {
	f.Add("S|3.3a|1|2|$0|a|3|0|/|||||\n")
	f.Add("P|3.3a|%0|$0|\n")
	f.Add("P|%0|$0|title|1|\nP|%1|$0|title|2|\nD|%1|3||17|\nT|%0|a|b|c|d|e|f|g|h|i|j|\n")
	f.Add("tmux 3.1\n")
	f.Fuzz(func(t *testing.T, out string) {
		if seen, err := readSnapshot(out, engine.Brief); err == nil {
			seen.listing()
		}
		frames := strings.Split(out, "\n")
		for len(frames) > 0 {
			_, _, used := readFrames(frames)
			if used < 1 || used > len(frames) {
				t.Fatalf("used %d of %d", used, len(frames))
			}
			frames = frames[used:]
		}
	})
}

func FuzzTagsSurvive(f *testing.F) {
	f.Add("a|b; 'c' #{x} é\n%41")
	f.Add("%")
	f.Fuzz(func(t *testing.T, value string) {
		raw := stamp("%7", value)
		if strings.ContainsAny(raw, "|;#'\"\\$ \n") {
			t.Errorf("%q is stored as %q", value, raw)
		}
		if got, own := stamped("%7", raw); !own || got != value {
			t.Errorf("%q came back as %q", value, got)
		}
		if _, own := stamped("%70", raw); own {
			t.Errorf("%q is another pane's too", raw)
		}
		decode(value)
	})
}

func TestDollarsOfOneVersionAreRepaired(t *testing.T) {
	for printed, want := range map[string]string{
		`\\$HOME`:   "$HOME",
		`\\\\$HOME`: `\$HOME`,
		`\$1`:       "$1",
	} {
		var got [1]string
		in := records{out: "3.4|" + printed + "|\n"}
		if err := cmp.Or(in.versioned(), in.next(got[:])); err != nil || got[0] != want {
			t.Errorf("%s is %q, want %q (%v)", printed, got[0], want, err)
		}
	}
}

// arguments undoes flatten as tmux does.
func arguments(argv []string) (commands []command) {
	var c command
	for _, arg := range argv {
		text, ends := strings.CutSuffix(arg, ";")
		switch {
		case !ends:
			c = append(c, arg)
		case strings.HasSuffix(text, `\`):
			c = append(c, text[:len(text)-1]+";")
		default:
			if text != "" {
				c = append(c, text)
			}
			commands, c = append(commands, c), nil
		}
	}
	return append(commands, c)
}

func TestArgumentsNeverEndACommand(t *testing.T) {
	keeps := func(a, b string) bool {
		want := []command{{"x", a + ";", b}, {"y", b + `\;`, ";", "-" + a}}
		return slices.EqualFunc(arguments(flatten(want)), want, slices.Equal)
	}
	if err := quick.Check(keeps, nil); err != nil {
		t.Error(err)
	}
}

func TestCommandsFitAMessage(t *testing.T) {
	big, small := command{strings.Repeat("x", maxArgv)}, command{"x"}
	for _, c := range []struct {
		commands []command
		want     int
	}{
		{[]command{small, small}, 2},
		{[]command{big, small}, 1},
		{[]command{small, big}, 1},
		{[]command{big}, 1},
	} {
		if got := fitting(c.commands); got != c.want {
			t.Errorf("%d of %d commands fit, want %d", got, len(c.commands), c.want)
		}
	}
}

func TestVersionsAreJudged(t *testing.T) {
	for version, old := range map[string]bool{
		"3.1": true, "3.1c": true, "2.9a": true, "1.8": true, "3.2": false, "3.2a": false, "3.10": false, "4.0": false,
		"next-3.8": false, "master": false, "openbsd-7.7": false, "3.3-rc": false, "": false,
	} {
		if got := checkVersion(version) != nil; got != old {
			t.Errorf("%q: too old is %v", version, got)
		}
	}
}
