package core_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine/enginetest"
)

func TestSessionNamesThatWouldChangeAreRefused(t *testing.T) {
	for name, want := range map[string]string{ // the suggestion; "ok" if the name is accepted
		"api": "ok", "my api": "ok", "feature/x": "ok", "a-b_c": "ok", "größe": "ok", "日本": "ok", "a%b=c@d": "ok",
		"#1": "ok", "(x)": "ok", "~": "ok", "": "", ".": "", "---": "", "api.v2": "api-v2", "a:b": "a-b", "-x": "x",
		"$3": "3", "@5": "5", "%7": "7", "=x": "x", "+1": "1", "!": "", "{last}": "last}",
		" api ": "api", "a;b": "ok", "a;": "a", ";": "", "\u3000api": "api", "a\tb\nc": "a-b-c", "a\u009bb": "a-b",
		"a\u200bb": "a-b", "a\u202eb": "a-b", "a\\b": "a-b", "a$b": "a-b", "a\xffb": "a-b",
		strings.Repeat("x", 100): "ok", strings.Repeat("x", 101): strings.Repeat("x", 100),
		strings.Repeat("é", 51): strings.Repeat("é", 50), strings.Repeat("x", 99) + " tail": strings.Repeat("x", 99),
	} {
		err := core.CheckSessionName(name)
		if (err == nil) != (want == "ok") {
			t.Errorf("%q: %v", name, err)
		}
		if err == nil {
			continue
		}
		e := core.AsError(err)
		if e.Code != core.InvalidInput || want == "" && e.Suggestions != nil ||
			want != "" && !slices.Equal(e.Suggestions, []string{want}) {
			t.Errorf("%q: got %s %q, want %q", name, e.Code, e.Suggestions, want)
		}
		if len(e.Message) > 600 {
			t.Errorf("%q: a message of %d bytes", name, len(e.Message))
		}
	}
}

func FuzzSuggestedSessionNamesAreAccepted(f *testing.F) {
	for _, name := range awkwardNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		err := core.CheckSessionName(name)
		if err == nil {
			return
		}
		for _, better := range core.AsError(err).Suggestions {
			if err := core.CheckSessionName(better); err != nil {
				t.Errorf("%q: %q was suggested, but %v", name, better, err)
			}
		}
	})
}

func FuzzAcceptedSessionNamesAreKeptByTmux(f *testing.F) {
	for _, name := range awkwardNames {
		f.Add(name)
	}
	tmux := enginetest.Private(f).Start()
	session := tmux.Run("display-message", "-p", "#{session_id}")
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsAny(name, "\x00#") || core.CheckSessionName(name) != nil {
			t.Skip("refused, or a format, which the engine writes differently")
		}
		ask := func(args ...string) string {
			cmd := exec.CommandContext(t.Context(), tmux.Binary,
				append([]string{"-u", "-f", os.DevNull, "-S", tmux.Socket}, args...)...)
			cmd.Env = tmux.Environ
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%q: tmux %q: %v: %s", name, args, err, out)
			}
			return strings.TrimSuffix(string(out), "\n")
		}
		ask("rename-session", "-t", session, "--", name)
		if got := ask("list-sessions", "-F", "#{session_name}"); got != name {
			t.Errorf("%q became %q", name, got)
		}
		if got := ask("display-message", "-p", "-t", "="+name+":", "#{session_id}"); got != session {
			t.Errorf("%q finds %q", name, got)
		}
	})
}

var awkwardNames = []string{
	"api", "my api", "a.b", "a:b", "-x", "$x", "a$b", "a$", "@x", "%x", "=x", "+x", "!x", "{x", "a\\b", "a\xff", "a\tb",
	" a", "a ", "é", "日本", "🙂", "👩‍👩‍👧", "e\u0301", "\u0301", "\u200b", "\u202e", "\u00a0", "\u00ad", "\ufe0f",
	"\ue000", "\U0001f9ff", "\U000e0041", "~", "*", "[a]", "^", "a'b", `a"b`, "`", ";", "a;", "&", "(", "ﷺ", "ก็",
	"\u0600", "\u2028", strings.Repeat("x", 100), strings.Repeat("é", 51), strings.Repeat(" ", 120),
	strings.Repeat("x", 99) + " y", "-.-", "\u3000x",
}
