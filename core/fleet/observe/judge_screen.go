package observe

import (
	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/fleet/fault"
)

// Judge judges a captured screen of an agent of a kind, given by id or short name, with
// command in the foreground. It does not query the engine. An agent whose pane shows a
// shell in the foreground has ended.
func (f *Observer) Judge(kind, command string, screen *core.Screen) (detect.Verdict, error) {
	known, err := f.opts.Resolver.KindNamed(kind)
	if err != nil {
		return detect.Verdict{}, fault.Wrap("explain", err)
	}
	return detect.Judge(detect.Facts{
		Now: f.opts.Now(), Kind: known.At(known.VersionOn(screen)), Process: core.Process{Command: command},
		Gone: IsShell(command) && !names(known, command), Title: screen.Title, Screen: screen,
	}), nil
}
