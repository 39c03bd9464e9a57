package cli

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/verb/registry"
)

func TestTheFaceIsChosenInOrder(t *testing.T) {
	for _, test := range []struct {
		why   string
		args  []string
		env   string
		robot bool
	}{
		{"standard output is no terminal", nil, "", true},
		{"the environment says no", nil, "0", false},
		{"the environment says no in words", nil, "false", false},
		{"in another case", nil, "FALSE", false},
		{"the environment says yes", nil, "1", true},
		{"a flag wins over the environment", []string{"--robot"}, "0", true},
		{"a format is a flag", []string{"--robot-format=toon"}, "0", true},
		{"people win over the environment", []string{"--human"}, "1", false},
		{"people win over a pipe", []string{"--human"}, "", false},
	} {
		p := testProgram(t, map[string]string{"CUPOLA_ROBOT": test.env})
		err := p.line.flags.Set.Parse(test.args)
		if err = errors.Join(err, p.settle()); err != nil || p.line.robotic != test.robot {
			t.Errorf("%s: robot mode is %v, want %v (%v)", test.why, p.line.robotic, test.robot, err)
		}
	}
}

func TestWrappersSetDefaultsThatFlagsOverride(t *testing.T) {
	p := testProgram(t, map[string]string{
		"CUPOLA_ENVELOPE": "data", "CUPOLA_ERRORS": "stderr",
		"CUPOLA_EXIT_CODES": "detailed", "CUPOLA_ROBOT_FORMAT": "toon",
	})
	if err := p.line.environment(p.Getenv); err != nil {
		t.Fatal(err)
	}
	if got := p.line.globals; got.Envelope != "data" || got.Errors != "stderr" || got.ExitCodes != "detailed" ||
		got.Format != "" {
		t.Errorf("defaults are %+v", got)
	}
	own := registry.Globals{Envelope: "flat", Errors: "stdout", ExitCodes: "default"}
	p.line.globals = own
	if err := p.line.environment(p.Getenv); err != nil || !reflect.DeepEqual(p.line.globals, own) {
		t.Errorf("flags were overridden: %+v, %v", p.line.globals, err)
	}
}

func TestAWrongDefaultNamesItsVariable(t *testing.T) {
	for name, near := range map[string]string{
		"CUPOLA_ENVELOPE": "data", "CUPOLA_ERRORS": "stderr",
		"CUPOLA_EXIT_CODES": "detailed", "CUPOLA_ROBOT_FORMAT": "toon",
	} {
		p := testProgram(t, map[string]string{name: near + "x"})
		err := p.line.environment(p.Getenv)
		e := core.AsError(err)
		if e == nil || e.Code != core.InvalidInput || e.Message[:len(name)] != name ||
			!slices.Contains(e.Suggestions, near) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
