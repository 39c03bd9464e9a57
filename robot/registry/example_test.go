package registry_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"cupola/robot/registry"
)

func newFlags() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

func TestCommandWritesWhatDiffersFromTheDefaults(t *testing.T) {
	usual := everythingIn{Loud: true, Lines: 50, Depth: -1, Mode: "slow", Names: []string{"a", "b"}, Wait: time.Minute}
	for _, test := range []struct {
		change func(*everythingIn)
		want   string
	}{
		{func(*everythingIn) {}, "cupola all"},
		{func(in *everythingIn) { in.Thing = "it's" }, `cupola all 'it'\''s'`},
		{func(in *everythingIn) { in.Thing, in.Other = "x", "a b" }, "cupola all x 'a b'"},
		{func(in *everythingIn) { in.Other = "a b" }, "cupola all --other='a b'"},
		{func(in *everythingIn) { in.Thing, in.Other, in.DryRun = "x", "-y", true }, "cupola all --dry-run -- x -y"},
		{func(in *everythingIn) { in.Thing, in.Other, in.Rest = "x", "y", []string{"1", "2 3"} }, "cupola all x y 1 '2 3'"},
		{func(in *everythingIn) { in.Loud, in.Lines = false, 0 }, "cupola all --loud=false --lines=0"},
		{func(in *everythingIn) { in.Names = nil }, "cupola all --names=''"},
		{func(in *everythingIn) { in.Cmd = []string{"a,b", "sh -c true"} }, "cupola all --cmd=a,b --cmd='sh -c true'"},
		{func(in *everythingIn) { in.Wait = 90 * time.Minute }, "cupola all --wait=1h30m"},
		{func(in *everythingIn) { in.Since = registry.Since{Revision: 7} }, "cupola all --since=rev:7"},
		{func(in *everythingIn) { in.Verbose = true }, "cupola all --verbose"},
	} {
		in := usual
		test.change(&in)
		if got := all().Command(in); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestQuoteLeavesPlainWordsAsTheyAre(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "api.1": "api.1", "--a=b,c": "--a=b,c", "%7": "%7", "a b": "'a b'", "~": "'~'", "$HOME": "'$HOME'", "é": "'é'",
	} {
		if got := registry.Quote(word); got != want {
			t.Errorf("Quote(%q) = %s, want %s", word, got, want)
		}
	}
}

func FuzzQuoteIsReadBackByAShell(f *testing.F) {
	for _, word := range []string{"", "a b", "it's", "$HOME `id` \\ \"x\"", "a\nb\n", "\xff\xfe", "é中🙂", "!!", "~root", "-n", "*", "#c", "a;b|c&d"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if strings.ContainsRune(word, 0) {
			t.Skip("no argument holds a zero byte")
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+registry.Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q was read back as %q (%v)", word, out, err)
		}
	})
}

func TestLineQuotesEachWord(t *testing.T) {
	if got := registry.Line("cupola", "send", "my api", "it's"); got != `cupola send 'my api' 'it'\''s'` {
		t.Errorf("got %s", got)
	}
}
