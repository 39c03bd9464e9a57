package registry_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/verb/registry"
)

func small() *registry.Catalog {
	return &registry.Catalog{
		Verbs: []*registry.Verb{all(), registry.Define(spec(answer))},
	}
}

func TestCatalogFindsVerbsByNameAndAlias(t *testing.T) {
	c := small()
	if c.Find("every") != c.Verbs[0] || c.Find("look") != c.Verbs[1] || c.Find("dream") != nil || c.Find("") != nil {
		t.Error("a verb is not found, or one is that is not there")
	}
	if got := c.Names(); !slices.Equal(got, []string{"all", "look"}) {
		t.Errorf("names are %q", got)
	}
	if got := c.TakenBy("lines"); !slices.Equal(got, []string{"all", "look"}) {
		t.Errorf("--lines is taken by %q", got)
	}
	if got := c.TakenBy("n"); !slices.Equal(got, []string{"all"}) {
		t.Errorf("-n is taken by %q", got)
	}
	if got := c.Groups(); !slices.Equal(got, []string{"", "See"}) {
		t.Errorf("groups are %q", got)
	}
}

func TestGlobalsReadTheirFlags(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	bound := registry.BindGlobals(flags)
	line := "--robot -J=true --robot-format toon --fields=a,b --fields=c -q"
	if err := flags.Parse(strings.Fields(line)); err != nil {
		t.Error(err)
	}
	globals, _ := bound.Input().(registry.Globals)
	if !globals.Robot || !globals.JSON || globals.Format != "toon" ||
		!slices.Equal(globals.Fields, []string{"a", "b", "c"}) || !globals.Quiet {
		t.Errorf("got %+v", globals)
	}
	if err := bound.Set("envelope", "dta"); core.AsError(err).Code != core.InvalidInput {
		t.Errorf("got %v", err)
	}
	if registry.GlobalField("nothing") != nil || registry.GlobalField("") != nil {
		t.Error("a global flag is found that is not there")
	}
}

func TestUnexpectedPositionalIsAnError(t *testing.T) {
	if field, err := all().PositionalOf("x"); err != nil || field.Name != "thing" {
		t.Errorf("got %v, %v", field, err)
	}
	made := 0
	if field, err := declared(&made, registry.Global, `arg:"rest"`).PositionalOf("x"); err != nil ||
		field.Name != "query" {
		t.Errorf("the first of many words: %v, %v", field, err)
	}
	_, err := registry.Define(spec(answer)).PositionalOf("a b")
	if e := core.AsError(err); e == nil || e.Code != core.InvalidFlag ||
		e.Message != "--robot-look takes no value, but got 'a b'" {
		t.Errorf("got %v", err)
	}
}
