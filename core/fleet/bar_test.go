package fleet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// noPrompts are programs that take a text for something else than a prompt, what each shows once it is ready, and why
// a prompt is refused.
var noPrompts = map[string]struct{ command, ready, why, says string }{
	"sudo": {
		`stty -echo; printf "[sudo] password for me: "; read x; stty echo; echo got $x; exec cat`,
		"password", terminal.WhyBusy, "is not shown",
	},
	"read -s": {
		`exec bash -c 'read -s -p "Password: " x; echo got $x; exec cat'`,
		"Password:", terminal.WhyBusy, "is not shown",
	},
	"remote password": {
		`stty raw -echo; printf "me@host's password: "; exec cat >/dev/null`,
		"password:", terminal.WhyDialog, "question",
	},
	"a hidden filter": {`stty -echo; echo ready; exec cat`, "ready", terminal.WhyBusy, "is not shown"},
	"less":            {`exec less README`, "line 1", terminal.WhyBusy, "whole screen"},
	"less, no screen": {`cat README | less -X`, "line 1", terminal.WhyBusy, "by the page"},
	"more":            {`exec more README`, "More", terminal.WhyBusy, "by the page"},
	"vi":              {`exec vi README`, "line 1", terminal.WhyBusy, "whole screen"},
	"an unknown one":  {`printf '\033[?1049hfull'; exec cat`, "full", terminal.WhyBusy, "whole screen"},
	"[y/n]": {
		`printf "Overwrite? [y/n] "; read x; echo got $x; exec cat`,
		"Overwrite", terminal.WhyDialog, "question",
	},
	"(Y/n)": {
		`printf "Do you want to continue? (Y/n) "; read x; echo got $x; exec cat`,
		"continue", terminal.WhyDialog, "question",
	},
	"y/n:": {
		`printf "Allow this command? y/n: "; read x; echo got $x; exec cat`,
		"Allow", terminal.WhyDialog, "question",
	},
	"(y)es": {
		`printf "Apply? [(y)es, (n)o]: "; read x; echo got $x; exec cat`,
		"Apply", terminal.WhyDialog, "question",
	},
	"type yes": {
		`printf "Type yes to confirm: "; read x; echo got $x; exec cat`,
		"Type yes", terminal.WhyDialog, "question",
	},
	"[a]pprove": {
		`printf "[a]pprove / [d]eny: "; read x; echo got $x; exec cat`,
		"pprove", terminal.WhyDialog, "question",
	},
	"any key": {
		`printf "Press any key to continue"; read x; echo got $x; exec cat`,
		"any key", terminal.WhyDialog, "question",
	},
}

// programOf starts a program in a command pane, in a folder with a long README.
func programOf(t *testing.T, command string) *loggedFleet {
	t.Helper()
	dir := t.TempDir()
	text := "line 1\n" + strings.Repeat("text\n", 60)
	if err := os.WriteFile(filepath.Join(dir, "README"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &loggedFleet{open(t, tmux.Auto), ""}
	s.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{command}, Dir: dir})
	return s
}

func TestPromptsAreRefusedWhereTheyWouldBeSomethingElse(t *testing.T) {
	t.Parallel()
	for name, program := range noPrompts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if words := strings.Fields(program.command); words[0] == "exec" {
				if _, err := exec.LookPath(words[1]); err != nil {
					t.Skip(err)
				}
			}
			s := programOf(t, program.command)
			showing(t, s, program.ready)
			refused := func(dry bool) bool {
				d, err := s.send(t, deliver.Request{Text: "!touch owned", DryRun: dry})
				return err != nil && d.Outcome == core.Refused && d.Why == program.why &&
					strings.Contains(d.Saw(), program.says) && d.Remedy == remedyOf(program.why)
			}
			enginetest.Eventually(t, testTimeout, func() bool { return refused(true) }, func() string {
				d, err := s.send(t, deliver.Request{Text: "!touch owned", DryRun: true})
				t.Logf("%+v, %v", d, err)
				return s.screen(t, "api.1")
			})
			if before := s.screen(t, "api.1"); !refused(false) || s.screen(t, "api.1") != before {
				t.Errorf("the text was typed:\n%s", s.screen(t, "api.1"))
			}
			d, err := s.send(t, deliver.Request{Text: "y", Force: true})
			if err != nil || d.Enters != 1 {
				t.Errorf("forced: %+v, %v", d, err)
			}
		})
	}
}

func TestTextThatIsNotShownIsOnlyTyped(t *testing.T) {
	t.Parallel()
	s := programOf(t, `stty raw -echo; (sleep 0.5; printf "ready > ") & exec cat >/dev/null`)
	showing(t, s, "ready")
	d, err := s.send(t, deliver.Request{Text: "run the tests"})
	if err != nil || d.Outcome != core.Typed || d.Why != terminal.WhyUnseen || d.Enters != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	d, err = s.send(t, deliver.Request{Text: "run the tests", Force: true})
	if err != nil || d.Outcome != core.Typed || d.Why != terminal.WhyUnseen || d.Enters != 1 {
		t.Errorf("forced: %+v, %v", d, err)
	}
}

func TestAPromptThatWasNotSeenToLeaveIsClearedBeforeTheNext(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]struct{ command, ready, shows string }{
		"a line of the system": {"echo ready; exec cat", "ready", "\necho next\necho next"},
		"a shell":              {"PS1='$ ' exec bash --norc", "$", "$ echo next\nnext"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := programOf(t, program.command)
			showing(t, s, program.ready)
			at := resolve.Target{Session: "api.1"}
			stuck := "echo stuck prompt"
			options := s.options
			options.Journal = &fleettest.Journal{MayHave: []string{stuck}}
			f := fleet.Open(options)
			defer f.Close()
			if err := terminalOf(t, s).Paste(t.Context(), stuck); err != nil {
				t.Fatal(err)
			}
			showing(t, s, stuck)
			sent, err := f.Sender.Send(t.Context(), deliver.Request{Target: at, Text: "echo next"})
			if err != nil || sent.Deliveries[0].Outcome != core.Delivered ||
				!strings.Contains(sent.Deliveries[0].Saw(), "not seen to leave") {
				t.Fatalf("%+v, %v", sent, err)
			}
			showing(t, s, program.shows)
			if shown := s.screen(t, "api.1"); strings.Contains(shown, "promptecho") {
				t.Errorf("the texts were merged:\n%s", shown)
			}
		})
	}
}

// remedyOf returns the remedy for a refused prompt: a question can be answered.
func remedyOf(why string) core.Remedy {
	if why == terminal.WhyDialog {
		return core.RemedyAnswerQuestion
	}
	return core.RemedyForce
}

func TestQuestionsOfUnknownProgramsAreAnswered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		command, ready string
		answer         deliver.AnswerRequest
		says           string
	}{
		"yes": {
			`printf "Overwrite? [y/n] "; read x; echo got $x; exec cat`, "Overwrite",
			deliver.AnswerRequest{Act: core.ActApprove, Expect: core.ReasonQuestion},
			"got y",
		},
		"no": {
			`printf "Allow this command? y/n: "; read x; echo got $x; exec cat`, "Allow",
			deliver.AnswerRequest{Act: core.ActDeny, Expect: core.ReasonApproval},
			"got n",
		},
		"a word": {
			`printf "Type yes to confirm: "; read x; echo got $x; exec cat`, "Type yes",
			deliver.AnswerRequest{Act: core.ActApprove},
			"got yes",
		},
		"a letter": {
			`printf "[a]pprove / [d]eny / [l]ater: "; read x; echo got $x; exec cat`, "pprove",
			deliver.AnswerRequest{Act: core.ActChoose, N: 3},
			"got l",
		},
		"a key, and no Enter": {
			`stty -icanon -echo; printf "Overwrite? [y/n] "; x=$(dd bs=1 count=1 2>/dev/null); echo; echo got $x; ` +
				`x=$(dd bs=1 count=1 2>/dev/null); echo then $x`, "Overwrite",
			deliver.AnswerRequest{Act: core.ActApprove},
			"got y",
		},
		"a number": {
			`printf "1) red\n2) green\nYour choice: "; read x; echo got $x; exec cat`, "choice",
			deliver.AnswerRequest{Act: core.ActChoose, N: 2},
			"got 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := programOf(t, test.command)
			showing(t, s, test.ready)
			test.answer.Target = resolve.Target{Session: "api.1"}
			answers, err := s.Sender.Answer(t.Context(), test.answer)
			if err != nil || len(answers) != 1 || !answers[0].Resolved {
				t.Fatalf("%+v, %v\n%s", answers, err, s.screen(t, "api.1"))
			}
			showing(t, s, test.says)
			if shown := s.screen(t, "api.1"); strings.Contains(shown, "then") {
				t.Errorf("another key followed:\n%s", shown)
			}
		})
	}
}

func TestAWordThatTheQuestionDoesNotShowIsNotConfirmed(t *testing.T) {
	t.Parallel()
	s := programOf(t, `stty raw -echo; printf "Overwrite? [y/n] "; exec cat >/dev/null`)
	showing(t, s, "Overwrite")
	_, err := s.Sender.Answer(t.Context(), deliver.AnswerRequest{
		Target: resolve.Target{Session: "api.1"}, Act: core.ActApprove,
	})
	failed := core.AsError(err)
	if !failed.HasCode(core.Timeout) || !strings.Contains(failed.Message, "not confirmed") {
		t.Errorf("%v", err)
	}
}
