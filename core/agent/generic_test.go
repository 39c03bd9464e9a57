package agent_test

import (
	"testing"

	"cupola/core"
)

// General signs hold for unknown programs; what these programs
// print about them does not.
func TestGeneralSigns(t *testing.T) {
	kind, ok := load(t).Find("generic")
	if !ok || kind.Readable() {
		t.Fatalf("the generic kind is %+v", kind)
	}
	for name, test := range map[string]struct {
		lines  []string
		state  core.State
		reason core.Reason
	}{
		"yes or no":         {[]string{"Delete 3 files? [y/N] "}, core.Waiting, core.ReasonQuestion},
		"yes, no or always": {[]string{"Run it? (y)es/(n)o", "Apply? (Y/n/a):"}, core.Waiting, core.ReasonQuestion},
		"the word is asked": {
			[]string{"Are you sure you want to continue connecting (yes/no)?"}, core.Waiting, core.ReasonQuestion,
		},
		"a password": {[]string{"[sudo] password for ada: "}, core.Waiting, core.ReasonLogin},
		"a passphrase": {
			[]string{"Enter passphrase for key '/home/ada/.ssh/id': "}, core.Waiting, core.ReasonLogin,
		},
		"any key": {[]string{"Done.", "Press any key to continue", "> "}, core.Waiting, core.ReasonDialog},
		"choices": {
			[]string{"Pick one", "  1. Red", "❯ 2. Green", "  3. Blue", ""}, core.Waiting, core.ReasonDialog,
		},
		"choices in a box": {
			[]string{"│ ● 1. Allow once      │", "│   2. Always          │", "╰──────────────────────╯"},
			core.Waiting,
			core.ReasonApproval,
		},
		"a hint to interrupt": {[]string{"Thinking about it (esc to interrupt)", "", "> "}, core.Working, ""},
		"a spinner":           {[]string{"⠙ Installing packages...", ""}, core.Working, ""},
		"a bare prompt":       {[]string{"hello", "> "}, core.Idle, ""},
		"a prompt's name":     {[]string{">>> print(1)", "1", ">>> "}, core.Idle, ""},
		"a named prompt":      {[]string{"mydb=# ", "ada (main)> "}, core.Idle, ""},

		"a log":                   {[]string{"12:00 listening on :8080", "12:01 GET / 200"}, "", ""},
		"quoted yes or no":        {[]string{"the prompt reads [y/N] and waits", "12:01 ok"}, "", ""},
		"text about a password":   {[]string{"error: wrong password", "12:01 retry"}, "", ""},
		"a list that is text":     {[]string{"1. first", "2. second", "12:00 ok"}, "", ""},
		"advice further up":       {[]string{"press enter to continue", "a", "b", "c"}, "", ""},
		"redirection in a script": {[]string{"+ cat a > b"}, "", ""},
		"nothing":                 {[]string{"", ""}, "", ""},
	} {
		screen := &core.Screen{Lines: test.lines, Visible: len(test.lines)}
		screen.View.Height, screen.View.Cursor = len(test.lines), core.Cursor{Y: len(test.lines) - 1, Visible: true}
		got := ""
		var state core.State
		var reason core.Reason
		for _, m := range kind.Read(screen).Matches() {
			if got += m.String() + "; "; state == "" {
				state, reason = m.Rule.State, m.Rule.Reason
			}
		}
		if state != test.state || reason != test.reason {
			t.Errorf("%s is %q %q, not %q %q: %s", name, state, reason, test.state, test.reason, got)
		}
	}
}
