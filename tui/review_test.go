package tui

import (
	"testing"

	"cupola/core/git/changes"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	shown "cupola/tui/screen/changes"
)

// reviewed opens the difference of a file with two hunks, whose lines are selected.
func (s *harness) reviewed() {
	s.changed()
	answer[shown.PatchQuestion](s, shown.Patch{Text: twoHunks})
	s.press("enter")
}

const twoHunks = `diff --git a/server/handler.go b/server/handler.go
--- a/server/handler.go
+++ b/server/handler.go
@@ -10,4 +10,5 @@ package server
 import "io"
 
-func serve(w io.Writer) error {
+// Serve writes.
+func Serve(w io.Writer) error {
 	return nil
@@ -40,3 +41,3 @@ func serve(w io.Writer) error {
 	first()
-	second(1)
+	second(2)
 	third()
`

// Lines of the difference.
var (
	goneServe   = changes.Line{Deleted: true, At: 12, Text: "func serve(w io.Writer) error {"}
	aboutServe  = changes.Line{At: 12, Text: "// Serve writes."}
	newServe    = changes.Line{At: 13, Text: "func Serve(w io.Writer) error {"}
	goneSecond  = changes.Line{Deleted: true, At: 42, Text: "\tsecond(1)"}
	otherSecond = changes.Line{At: 42, Text: "\tsecond(2)"}
)

// onLines is an act on lines of the file.
func onLines(do sessions.TreeAct, of ...changes.Line) intent.Intent {
	in := sessions.ChangesIn{Tree: "/src/api", Do: do, Paths: []string{"server/handler.go"}}
	for _, line := range of {
		in.Lines = append(in.Lines, line.String())
	}
	if do == sessions.Discard {
		in.Yes = true
		return intent.Act{Input: in, What: "server/handler.go"}
	}
	return intent.Act{Input: in, What: screen.Count(len(of), "line") + " of server/handler.go"}
}

func TestHunksAndLinesAreStagedAndDiscarded(t *testing.T) {
	lines := func(of ...changes.Line) intent.Intent { return onLines(sessions.Stage, of...) }
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"s"}, lines(goneServe, aboutServe, newServe)},
		{[]string{"]", "s"}, lines(goneSecond, otherSecond)},
		{[]string{"]", "[", "s"}, lines(goneServe, aboutServe, newServe)},
		{[]string{"j", "m", "s"}, lines(aboutServe)},
		{[]string{"m", "j", "j", "V", "s"}, lines(goneServe, aboutServe, newServe)},
		{[]string{"m", "m", "]", "m", "s"}, lines(goneSecond)},
		{[]string{"home", "s"}, lines(goneServe, aboutServe, newServe)},
		{[]string{"D", "n"}, nil},
		{[]string{"]", "D", "y"}, onLines(sessions.Discard, goneSecond, otherSecond)},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.reviewed()
		s.recorder.did = nil
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.exactly()); diff != "" {
			t.Errorf("%v: %s", test.keys, diff)
		}
	}
}

func TestCommentsAreCollectedAndSentAsOnePrompt(t *testing.T) {
	working := fixture()
	working.Pane("%1").Process.Dir = "/src/api"
	s := newHarness(t, theme.None, 80, 24)
	s.show(working)
	s.reviewed()
	s.press("c")
	s.shows("Comment on server/handler.go:12")
	s.write("why not errors.Join?")
	s.press("ctrl+s")
	s.shows("why not errors.Join?")
	s.shows("1 comment")
	s.press("]", "j", "c")
	s.write("what is 2?")
	s.press("ctrl+s", "c")
	s.shows("what is 2?")
	s.press("esc", "enter")
	s.shows("Send to api.1")
	want := `Please look at these comments on what changed.

server/handler.go:12
> -func serve(w io.Writer) error {
why not errors.Join?

server/handler.go:42
> +	second(2)
what is 2?`
	s.press("ctrl+s")
	did := s.recorder.last()
	if diff := differ(prompt(paneOne, want), did); diff != "" {
		t.Fatal(diff)
	}
	s.shows("2 comments")
	s.model.Update(effect.Done{Intent: did, Said: "api.1 delivered"})
	s.hides("comments")
	s.hides("errors.Join")
	s.press("enter")
	s.shows("3 trees")
}

func TestAWideDisplayShowsTheOldFileBesideTheNew(t *testing.T) {
	s := newHarness(t, theme.None, 200, 40)
	s.reviewed()
	row := s.row("-func serve(w")
	if row < 0 || row != s.row("+// Serve writes.") || s.row("+func Serve(w") != row+1 {
		t.Errorf("what took the place of a line is not beside it:\n%s", s.model.View())
	}
	if second := s.row("second(1)"); second < 0 || second != s.row("second(2)") {
		t.Errorf("a line that was replaced is not beside the new one:\n%s", s.model.View())
	}
	s.press("]", "j", "m", "s")
	want := onLines(sessions.Stage, otherSecond)
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.exact()
}
