package fleet

import (
	"cupola/core"
	"cupola/core/detect"
)

// Judge says what a captured screen shows of an agent of a kind, given by id or
// short name, with a program in the foreground; the engine is not asked. An
// agent whose pane shows a shell in the foreground has ended.
func (f *lookout) Judge(kind, command string, screen *core.Screen) (detect.Verdict, error) {
	known, err := f.kindNamed(kind)
	if err != nil {
		return detect.Verdict{}, translate("explain", err)
	}
	return detect.Judge(detect.Facts{
		Now: f.now(), Kind: known.At(known.VersionOn(screen)), Process: core.Process{Command: command}, Gone: isShell(command) && !names(known, command),
		Title: screen.Title, Screen: screen,
	}), nil
}
