package deliver

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

// askingEngine returns an engine whose pane runs a program that asks a question and reads a line or, if single, a key.
func askingEngine(question string, single bool) *fleettest.ScriptedEngine {
	a := fleettest.NewScriptedEngine()
	a.Listing.Panes = []engine.Pane{fleettest.Row("$1", "%1", "sh", engine.TagKind, "forgotten")}
	a.LineOf = question
	a.OnPress = func(key string) {
		switch {
		case single || key == "Enter":
			a.LineOf, a.Draft = "done", ""
		default:
			a.Draft += key
		}
	}
	a.OnPaste = func(text string) { a.Draft = strings.ReplaceAll(text, "of words", "of\nwords") }
	return a
}

func TestAQuestionAnsweredInWritingTakesTheWordsThatAreGiven(t *testing.T) {
	const word, letters, words = "Type yes to confirm: ", "Continue? (y/n) ", "Continue connecting (yes/no)? "
	say := func(text string) AnswerRequest { return AnswerRequest{Act: core.ActSay, Text: text} }
	deny := AnswerRequest{Act: core.ActDeny}
	for name, test := range map[string]struct {
		question string
		single   bool
		answer   AnswerRequest
		pasted   string
		pressed  []string
	}{
		"its word":                 {word, false, say("yes"), "yes", []string{"Enter"}},
		"another word":             {word, false, say("not yet"), "not yet", []string{"Enter"}},
		"words that are wrapped":   {word, false, say("a line of words"), "a line of words", []string{"Enter"}},
		"one of several":           {words, false, say("no"), "no", []string{"Enter"}},
		"a letter":                 {letters, false, say("y"), "", []string{"y", "Enter"}},
		"a letter at a single key": {letters, true, say("y"), "", []string{"y"}},
		"the word for a letter":    {letters, true, say("Yes"), "", []string{"y"}},
		"the other letter":         {letters, true, say("n"), "", []string{"n"}},
		"a denial":                 {letters, true, deny, "", []string{"n"}},
		"a denial in words":        {words, false, deny, "", []string{"n", "o", "Enter"}},
		"nothing denies":           {word, false, deny, "", nil},
		"no such letter":           {letters, true, say("maybe"), "", nil},
		"two lines":                {word, false, say("yes\nyes"), "", nil},
		"a third letter":           {"Proceed? [y/n/a]: ", true, say("a"), "", []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := askingEngine(test.question, test.single)
			test.answer.Target = resolve.Target{Session: "api"}
			synctest.Test(t, func(t *testing.T) {
				answers, err := open(t, Options{Engine: a}).Answer(t.Context(), test.answer)
				if strings.Join(a.Pasted, "|") != test.pasted || !slices.Equal(a.Pressed, test.pressed) ||
					len(answers) != 1 || answers[0].Resolved != (test.pressed != nil) {
					t.Fatalf("pasted %q, pressed %q: %+v, %v", a.Pasted, a.Pressed, answers, err)
				}
				if failed := core.AsError(err); test.pressed == nil && (!failed.HasCode(core.Conflict) ||
					!strings.Contains(failed.Error(), "offers 1 yes") ||
					!slices.Contains(failed.Remedies, core.RemedyPressKeys)) || test.pressed != nil && err != nil {
					t.Errorf("%+v", failed)
				}
			})
		})
	}
}

func TestADialogThatIsNotAnsweredInWritingIsDeniedForWords(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	a.Dialog = true
	a.OnPress = func(key string) {
		a.Dialog = a.Dialog && key != "2"
		a.Working, a.Draft = key == "Enter", ""
	}
	synctest.Test(t, func(t *testing.T) {
		answers, err := open(t, Options{Engine: a}).Answer(t.Context(), AnswerRequest{
			Target: resolve.Target{Session: "api"}, Act: core.ActSay, Text: "no",
		})
		if err != nil || len(answers) != 1 || answers[0].Chosen != "No" || answers[0].Delivery == nil ||
			!slices.Equal(a.Pressed, []string{"2", "Enter"}) || !slices.Equal(a.Pasted, []string{"no"}) {
			t.Errorf("pasted %q, pressed %q: %+v, %v", a.Pasted, a.Pressed, answers, err)
		}
	})
}
