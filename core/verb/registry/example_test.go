package registry_test

import (
	"testing"
	"time"

	"github.com/spf13/pflag"

	"cupola/core/verb/registry"
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
		{
			func(in *everythingIn) { in.Thing, in.Other, in.Rest = "x", "y", []string{"1", "2 3"} },
			"cupola all x y 1 '2 3'",
		},
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
