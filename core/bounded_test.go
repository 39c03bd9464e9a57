package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"cupola/core"
)

func TestWhatIsShownIsCut(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	for _, test := range []struct {
		text string
		most int
	}{
		{long, 210},
		{"unknown flag --" + long + " here", 240},
		{fmt.Sprintf("no setting is named %q", long), 240},
		{fmt.Sprintf("no setting is named %q", strings.Repeat("a \" b ", 10_000)), 240},
		{"cupola send api '" + strings.Repeat("a b ", 10_000) + "'", 240},
		{"a=" + strings.Repeat("é", 10_000), 210},
		{strings.Repeat("word ", 10_000), 2010},
	} {
		got := core.Cut(test.text)
		if len(got) > test.most || !strings.Contains(got, "…") || !utf8.ValidString(got) || got[:10] != test.text[:10] {
			t.Errorf("%.40s becomes %d bytes: %s", test.text, len(got), got)
		}
	}
	if got := core.Cut(fmt.Sprintf("it is %q; try again", long)); !strings.HasSuffix(got, `x…"; try again`) {
		t.Errorf("what follows is lost: %s", got)
	}
	prose := strings.Repeat("The agent's pane isn't there; \"it\" went 'away' by itself.\n", 20)
	if got := core.Cut(prose); got != prose {
		t.Errorf("nothing is long in %s", got)
	}
}

func TestAnErrorRepeatsNoLongArgument(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	e := &core.Error{
		Code: core.InvalidInput, Message: "--since: " + long, Hint: "Not " + long,
		Suggestions: []string{long, "a"}, Actions: []string{"cupola send api " + long, "cupola status"},
	}
	got := e.Bounded()
	if len(got.Message) > 230 || len(got.Hint) > 230 || !slices.Equal(got.Suggestions, []string{"a"}) ||
		!slices.Equal(got.Actions, []string{"cupola status"}) {
		t.Errorf("%+v", got)
	}
	if e.Actions[1] != "cupola status" || len(e.Message) < 50_000 || !got.HasCode(core.InvalidInput) {
		t.Error("the error itself is changed")
	}
	if none := (&core.Error{Code: core.InvalidInput}).Bounded(); none.Actions != nil {
		t.Error("an error without actions has lost those of its code")
	}
}

func FuzzCut(f *testing.F) {
	f.Add(`"` + strings.Repeat(`\"`, 300) + `" 'x`)
	f.Fuzz(func(t *testing.T, text string) {
		got := core.Cut(text)
		if len(got) > 2010 || len(text) <= 200 && got != text || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
