package verb

import (
	"fmt"
	"path/filepath"

	"cupola/core/agent"
	"cupola/core/config"
	"cupola/core/system/plainfile"
)

// Kinds returns the agent kinds that the user has; their faults say which files are not used.
func Kinds(paths config.Paths) *agent.Kinds {
	kinds, _ := agent.Load(plainfile.Folder(paths.Agents())) // the error lists the faults
	return kinds
}

// Kinds returns the agent kinds that the user has. The first call warns of the files that are not used.
func (l *Local) Kinds() *agent.Kinds {
	kinds := Kinds(l.Paths)
	l.warnedOfKinds.Do(func() {
		for i, fault := range kinds.Faults() {
			if i == mostReported {
				l.Warn(fmt.Sprintf("%s: %d more faults; 'cupola doctor --problems' lists them", l.Paths.Agents(),
					len(kinds.Faults())-i))
				break
			}
			l.Warn(TellKind(l.Paths, fault))
		}
	})
	return kinds
}

// mostReported is how many faults of files are reported singly.
const mostReported = 3

// TellKind says what is wrong with a file of the user's agent kinds.
func TellKind(paths config.Paths, fault *agent.Fault) string {
	switch {
	case fault.File == ".":
		return paths.Agents() + ": " + fault.Err.Error() + "; no agent kind of your own is known"
	case fault.Whole:
		return filepath.Join(paths.Agents(), fault.Err.Error()) + "; nothing of the file is used"
	}
	return filepath.Join(paths.Agents(), fault.Err.Error()) + " (it is not used)"
}

// Settings returns the settings. The first call warns of what is not used of them, and of the user's files of tools.
func (l *Local) Settings() *config.Config {
	settings := l.Location.Settings()
	l.warnedOfSettings.Do(func() {
		warnings := settings.Warnings()
		if l.Bridges != nil {
			for _, problem := range l.Bridges.Problems() {
				warnings = append(warnings, l.Paths.Bridges()+": "+problem.Error())
			}
		}
		for _, warning := range warnings {
			l.Warn(warning)
		}
	})
	return settings
}
