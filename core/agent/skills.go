package agent

import (
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// Skills are the folders in which an agent of a kind finds texts that teach it something: skills, which it
// reads when it needs them, and commands, which its user types. The zero value means that the
// kind reads none.
type Skills struct {
	// Home and Dir name the folder that the paths below are in, as those of Install do.
	Home, Dir string
	// Skill and Command are the paths of a skill and of a command; TextName in them is replaced
	// by its name. A command whose path ends with .toml is TOML, other texts are Markdown. Command
	// is empty where the kind has none.
	Skill, Command string
	// Manifest is the path of a JSON file that makes a plugin of the folder above its own; empty
	// where the kind needs none.
	Manifest string
	// Arguments is the placeholder for the text that the user typed behind a command's name.
	Arguments string
	// Note is advice on the use of the texts, for people.
	Note string
}

// TextName is the placeholder of Skills.
const TextName = "{name}"

// Given reports whether the kind reads skills.
func (s *Skills) Given() bool { return s.Skill != "" }

func (s *Skills) check(src source) error {
	for key, path := range map[string]string{"skill": s.Skill, "command": s.Command, "manifest": s.Manifest} {
		switch {
		case path == "":
		case !filepath.IsLocal(path):
			return src.errorf(toml.Key{"skills", key}, "%q leads out of the folder", path)
		case key != "manifest" && !strings.Contains(path, TextName):
			return src.errorf(toml.Key{"skills", key}, "%q lacks %s", path, TextName)
		}
	}
	switch {
	case !s.Given() && *s != Skills{}:
		return src.errorf(toml.Key{"skills", "skill"}, "is missing")
	case s.Command != "" && s.Arguments == "":
		return src.errorf(toml.Key{"skills", "arguments"}, "is missing: say what a command's arguments replace")
	}
	return nil
}
