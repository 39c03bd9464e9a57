package setup

import (
	"testing"

	"cupola/core"
	"cupola/core/verb/tools"
)

func TestSlowProgramsAreNoProblem(t *testing.T) {
	for _, test := range []struct {
		why           string
		version       string
		err           error
		state, detail string
	}{
		{"it answers", "1.2.3", nil, checkOK, "Agents"},
		{
			"it is slow", "", core.Errorf(core.Timeout, "no answer within 5s"), checkOK,
			"it was too slow to say its version",
		},
		{"it fails", "", core.Errorf(core.BackendFailed, "broken"), checkWarn, "it does not say its version: broken"},
	} {
		program := tools.ProgramRow{Tool: "gemini", Kind: tools.ToolAgent, Installed: true, Gives: "Agents"}
		program.SetVersion(test.version, test.err)
		e := examination{versioned: func() []tools.ProgramRow { return []tools.ProgramRow{program} }}
		row := e.listPrograms(tools.ToolAgent)[0]
		if row.State != test.state || row.Detail != test.detail || row.Version != test.version {
			t.Errorf("%s: got %+v", test.why, row)
		}
	}
}

func TestToolsAreInstalledAsTheSystemDoes(t *testing.T) {
	const both = "apt install git, or brew install git"
	for _, test := range []struct {
		ways, system string
		brew         bool
		want         string
	}{
		{both, "linux", false, "apt install git"},
		{both, "darwin", false, "brew install git"},
		{"brew install gh", "linux", false, ""},
		{"brew install gh", "linux", true, "brew install gh"},
		{"brew install gh", "darwin", false, "brew install gh"},
		{"npm install -g x", "linux", false, "npm install -g x"},
		{"npm install -g x", "darwin", false, "npm install -g x"},
	} {
		if got := tools.Installation(test.ways, test.system, test.brew); got != test.want {
			t.Errorf("%q on %s: got %q, want %q", test.ways, test.system, got, test.want)
		}
	}
}

func TestFaultsHaveRepairCommands(t *testing.T) {
	out := doctorOut{Bad: 2, Warn: 1, Checks: []checkRow{
		{Area: areaTerminal, Name: "locale", State: checkWarn, Fix: "export LANG=C.UTF-8"},
		{Area: areaSettings, Name: "user settings", State: checkBad, Fix: "cupola config-edit"},
		{Area: areaSettings, Name: "bridges", State: checkBad},
		{Area: areaTools, Name: "gh", State: checkMissing, Fix: "brew install gh"},
		{Area: areaAgents, Name: "claude", State: checkOK},
	}}
	if e := out.failure(); len(e.Actions) != 1 || e.Actions[0] != "cupola config-edit" {
		t.Errorf("the failure leads to %q", e.Actions)
	}
	var commands []string
	for _, next := range out.Next() {
		commands = append(commands, next.Command)
	}
	if len(commands) != 2 || commands[0] != "export LANG=C.UTF-8" || commands[1] != "cupola config-edit" {
		t.Errorf("the answer leads to %q", commands)
	}
}

func TestUnreadableSettingsAreNoEngineFault(t *testing.T) {
	out := doctorOut{Bad: 1, Checks: []checkRow{
		{
			Area: areaEngine, Name: "tmux", State: checkBad, Fix: "cupola config-edit",
			err: &core.Error{Code: core.ConfigInvalid},
		},
	}}
	if e := out.failure(); e.Code != core.HealthFailed || len(e.Actions) != 1 ||
		e.Actions[0] != "cupola config-edit" {
		t.Errorf("got %s, which leads to %q", e.Code, e.Actions)
	}
	out.Checks[0].err = &core.Error{Code: core.EngineUnavailable}
	if e := out.failure(); e.Code != core.EngineUnavailable {
		t.Errorf("got %s", e.Code)
	}
}
