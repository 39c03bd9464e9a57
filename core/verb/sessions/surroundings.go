package sessions

import (
	"path/filepath"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config/recipe"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/shell"
	"cupola/core/verb/registry"
)

// surroundings are the variables that panes are started with, beside those of the caller.
type surroundings struct {
	Env          registry.Programs `whole:"true" help:"Variable for every new pane, as NAME=VALUE, or NAME for the caller's value; repeat for more"`
	EnvFile      registry.ReadPath `help:"File of variables for every new pane, a NAME=VALUE a line"`
	NoInheritEnv bool              `help:"Give new panes none of the caller's other variables but those that programs cannot do without"`
}

// agentOptions say how agents are started, beside their kind.
type agentOptions struct {
	Model   string            `help:"Model of the agents, as their program names it"`
	Mode    string            `enum:"plan,ask,accept-edits,auto" help:"What the agents may do unasked: nothing but read, nothing, edit files, or everything"`
	By      string            `enum:"screen,acp" help:"Show the agents' own screens, or talk to them by the Agent Client Protocol (default: as their kind says)"`
	Args    registry.Programs `whole:"true" help:"More arguments for the agents' program, as a shell reads them"`
	Profile string            `help:"Start agents as a profile of the settings says; alone, one agent of its kind"`
	Sandbox string            `help:"Hold agents and commands to a sandbox: project, offline, or one of the settings"`
	OnLimit string            `enum:"stop,continue" help:"What agents do when a usage limit ends their turn: wait for you, or continue once it resets; the settings say it without this"`
}

// options returns what is asked for. It returns InvalidInput for arguments that no shell could read.
func (o agentOptions) options() (lifecycle.AgentOptions, error) {
	options := lifecycle.AgentOptions{
		Model: o.Model, Mode: core.Mode(o.Mode), Profile: o.Profile, Sandbox: o.Sandbox,
		OnLimit: core.OnLimit(o.OnLimit), By: agent.By(o.By),
	}
	for _, line := range o.Args {
		words, err := shell.Words(line)
		if err != nil {
			return options, core.Errorf(core.InvalidInput, "--args %q: %w", line, err)
		}
		options.Args = append(options.Args, words...)
	}
	return options, nil
}

// environment returns what is asked for. A path begins at the caller's folder.
func (s surroundings) environment() recipe.Environment {
	e := recipe.Environment{Env: s.Env}
	if path, err := filepath.Abs(string(s.EnvFile)); s.EnvFile != "" && err == nil {
		e.EnvFile = []string{path}
	}
	if s.NoInheritEnv {
		e.InheritEnv = new(bool)
	}
	return e
}
