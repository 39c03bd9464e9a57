package observe

import (
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
)

// HomeTags returns the tag that keeps where the files of a pane's agent are after its process has ended; none if that
// is not known.
func HomeTags(processes process.Source, pane *core.Pane) []engine.Tag {
	names := agent.HomeVariables(pane.Agent.Kind)
	if names == nil || pane.Process.Dead {
		return nil
	}
	environ := processes.Environ(agentProcess(processes, pane).PID)
	if environ == nil {
		return nil
	}
	value := panetag.EncodeEnv(names, func(name string) string { return process.Variable(environ, name) })
	return []engine.Tag{{Pane: pane.ID, Name: engine.TagHome, Value: value}}
}

// Home returns a function that looks up the variables that say where the files of a pane's agent are: in the
// environment of its process or, if that has ended, in the pane's tags; where neither is known, in this process's own.
func Home(processes process.Source, pane *core.Pane, tags map[string]string) func(name string) string {
	var front process.Proc
	if !pane.Process.Dead {
		front = agentProcess(processes, pane)
	}
	// A process that was killed stays listed for a moment, without an environment.
	ended := IsShell(front.Name) || processes.Environ(front.PID) == nil
	if known := tags[engine.TagHome]; known != "" && ended {
		return panetag.DecodeEnv(known)
	}
	return Variables(processes, front.PID)
}
