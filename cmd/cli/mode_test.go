package cli

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/robot/registry"
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
		inv, err := scan(p.catalog, test.args)
		if p.inv = inv; err != nil || p.chooseRobot() != test.robot {
			t.Errorf("%s: robot mode is %v, want %v (%v)", test.why, p.chooseRobot(), test.robot, err)
		}
	}
}

func TestWrappersSetDefaultsThatFlagsOverride(t *testing.T) {
	p := testProgram(t, map[string]string{
		"CUPOLA_ENVELOPE": "data", "CUPOLA_ERRORS": "stderr",
		"CUPOLA_EXIT_CODES": "detailed", "CUPOLA_ROBOT_FORMAT": "toon",
	})
	defaults, err := p.environment()
	if err != nil {
		t.Fatal(err)
	}
	if got := withDefaults(registry.Globals{}, defaults); got.Envelope != "data" || got.Errors != "stderr" ||
		got.ExitCodes != "detailed" || got.Format != "" {
		t.Errorf("defaults are %+v", got)
	}
	own := registry.Globals{Envelope: "flat", Errors: "stdout", ExitCodes: "default"}
	if got := withDefaults(own, defaults); got.Envelope != "flat" || got.Errors != "stdout" ||
		got.ExitCodes != "default" {
		t.Errorf("flags were overridden: %+v", got)
	}
}

func TestAWrongDefaultNamesItsVariable(t *testing.T) {
	for name, near := range map[string]string{
		"CUPOLA_ENVELOPE": "data", "CUPOLA_ERRORS": "stderr",
		"CUPOLA_EXIT_CODES": "detailed", "CUPOLA_ROBOT_FORMAT": "toon",
	} {
		p := testProgram(t, map[string]string{name: near + "x"})
		_, err := p.environment()
		e := core.AsError(err)
		if e == nil || e.Code != core.InvalidInput || e.Message[:len(name)] != name ||
			!slices.Contains(e.Suggestions, near) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
