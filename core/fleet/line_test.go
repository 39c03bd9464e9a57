package fleet_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// shells and other programs with lines, and what each shows once it is ready.
var linePrograms = map[string]struct{ command, ready string }{
	"bash":                  {"PS1='$ ' exec bash --norc", "$"},
	"user and folder":       {`PS1='\u@\h:\w\$ ' exec bash --norc`, ":"},
	"blanks in brackets":    {`PS1='[\u@\h \W]\$ ' exec bash --norc`, "]"},
	"coloured":              {`PS1='\[\e[01;32m\]me@host\[\e[00m\]:\[\e[01;34m\]~\[\e[00m\]$ ' exec bash --norc`, "~$"},
	"two lines":             {`PS1='\u \w main\n❯ ' exec bash --norc`, "❯"},
	"a box":                 {`PS1='╭─ ~/src ─────╮\n╰─ ' exec bash --norc`, "╰"},
	"a theme":               {`PS1='➜  ~ ' exec bash --norc`, "➜"},
	"a theme with a branch": {`PS1='➜  dir git:(main) ✗ ' exec bash --norc`, "✗"},
	"a sign inside":         {`PS1='[$] 50% done # me > ' exec bash --norc`, "me >"},
	"no sign":               {`PS1='ready' exec bash --norc`, "ready"},
	"no prompt":             {`PS1='' exec bash --norc`, ""},
	"a right prompt":        {`PS1='\[\e[s\e[999C\e[8D12:30:00\e[u\]$ ' exec bash --norc`, "12:30"},
	"vi mode":               {`PS1='➜  vi ' exec bash --norc -o vi`, "vi"},
	"sh":                    {"PS1='$ ' exec sh -i", "$"},
	"sh, user and folder":   {"PS1='me@host:/dir$ ' exec sh -i", "dir$"},
	"python":                {"exec python3 -q", ">>>"},
	"cat":                   {"exec cat", ""},
}

// lineFor is a line for a program, and what it shows once it has taken that.
func lineFor(name, word string) (text, shows string) {
	if name == "python" {
		return fmt.Sprintf("print('%s' + 'x')", word), word + "x"
	}
	if name == "cat" {
		return word + "x", word + "x\n" + word + "x"
	}
	return fmt.Sprintf("printf '%%s\\n' %s''x", word), "\n" + word + "x"
}

// lined is a fleet with one pane in which a command runs.
func lined(t *testing.T, name string) *loggedFleet {
	t.Helper()
	program := linePrograms[name]
	if words := strings.Fields(program.command); name == "python" {
		if _, err := exec.LookPath(words[1]); err != nil {
			t.Skip(err)
		}
	}
	s := &loggedFleet{open(t, tmux.Auto), ""}
	s.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{program.command}})
	showing(t, s, program.ready)
	if edits := !strings.HasPrefix(name, "sh") && name != "cat"; edits {
		editing(t, s)
	}
	return s
}

// showing waits until the screen of api.1 shows a text, which may be several lines.
func showing(t *testing.T, s *loggedFleet, text string) {
	t.Helper()
	shown := func() string { return s.screen(t, "api.1") }
	enginetest.Eventually(t, testTimeout, func() bool { return strings.Contains(shown(), text) }, shown)
}

// editing waits until the program of the pane edits its line.
func editing(t *testing.T, s *loggedFleet) {
	t.Helper()
	c := terminalOf(t, s)
	enginetest.Eventually(t, testTimeout, func() bool {
		g, err := c.Inspect(t.Context())
		return err == nil && (g.Edits() || g.Front.Command == "python3" || strings.HasPrefix(g.Front.Command, "python"))
	}, func() string { return s.screen(t, "api.1") })
}

// terminalOf is the terminal of the pane api.1.
func terminalOf(t *testing.T, s *loggedFleet) *terminal.Terminal {
	t.Helper()
	snapshot, err := s.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	panes, err := s.Resolver.Resolve(snapshot, resolve.Target{Session: "api.1"})
	if err != nil {
		t.Fatal(err)
	}
	return terminal.New(s.options.Engine, s.Observer, panes[0])
}

// sendLine sends a line and sees that the program took just that.
func sendLine(t *testing.T, s *loggedFleet, name, word string, request deliver.Request) core.Delivery {
	t.Helper()
	text, shows := lineFor(name, word)
	request.Target, request.Text = resolve.Target{Session: "api.1"}, text
	sent, err := s.Sender.Send(t.Context(), request)
	if err != nil {
		t.Fatalf("%v; it shows\n%s", err, s.screen(t, "api.1"))
	}
	showing(t, s, shows)
	return sent.Deliveries[0]
}

func TestSendRefusesPartialLine(t *testing.T) {
	t.Parallel()
	for name := range linePrograms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lined(t, name)
			for i := range 2 {
				sendLine(t, s, name, fmt.Sprintf("fresh%d", i), deliver.Request{})
			}
			if edits := !strings.HasPrefix(name, "sh") && name != "cat"; edits {
				editing(t, s)
			}
			half := "echo HALF-"
			if err := terminalOf(t, s).Paste(t.Context(), half); err != nil {
				t.Fatal(err)
			}
			s.shows(t, "api.1", half)
			refused, err := s.send(t, deliver.Request{Text: "merged"})
			if err == nil || refused.Outcome != core.Refused || refused.Why != terminal.WhyDraft ||
				refused.Remedy != core.RemedyReplaceDraft {
				t.Fatalf("%+v, %v; it shows\n%s", refused, err, s.screen(t, "api.1"))
			}
			if now := strings.Split(s.screen(t, "api.1"), "\n"); !strings.Contains(now[len(now)-1], half) {
				t.Fatalf("the line was changed:\n%s", strings.Join(now, "\n"))
			}
			d := sendLine(t, s, name, "replaced", deliver.Request{ReplaceDraft: true})
			if !strings.Contains(d.Saw(), "was cleared") {
				t.Errorf("%+v", d)
			}
			if shown := s.screen(t, "api.1"); strings.Contains(shown, "merged") || strings.Contains(shown, "HALF-p") {
				t.Errorf("the texts were merged:\n%s", shown)
			}
		})
	}
}

func TestSendRefusesPaneWithoutInputLine(t *testing.T) {
	t.Parallel()
	for line, why := range map[string]string{
		"stty -echo; exec cat": "is not shown", `printf '\033[?1049h'; exec sleep 100`: "sleep has the whole screen",
	} {
		s := &loggedFleet{open(t, tmux.Auto), ""}
		s.spawn(t, "api", lifecycle.LaunchRequest{Commands: []string{"exec cat"}})
		at := resolve.Target{Session: "api.0"}
		if _, err := s.Sender.Send(t.Context(), deliver.Request{Target: at, Text: line}); err != nil {
			t.Fatal(err)
		}
		refused := func(rehearsed bool) bool {
			sent, _ := s.Sender.Send(t.Context(), deliver.Request{Target: at, Text: "secret", DryRun: rehearsed})
			return len(sent.Deliveries) == 1 && sent.Deliveries[0].Why == terminal.WhyBusy &&
				strings.Contains(sent.Deliveries[0].Saw(), why)
		}
		enginetest.Eventually(t, testTimeout, func() bool { return refused(true) }, func() string {
			return s.screen(t, "api.0")
		})
		if !refused(false) {
			t.Errorf("%s: the text was typed", line)
		}
	}
}
