package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
)

const suffix = ".toml"

// presets returns the names of the recipes in a folder, sorted. A folder that
// does not exist has none.
func presets(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, core.Errorf(core.FileCode(err), "%w", err)
	}
	var names []string
	for _, entry := range entries {
		if name, is := strings.CutSuffix(entry.Name(), suffix); is && name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// Load reads the recipe that a word names: a file if the word contains a slash or ends in
// .toml, otherwise the preset of that name in dir. It returns NotFound with similar names,
// ConfigInvalid or IOError.
func Load(dir, word string) (*Recipe, error) {
	file := word
	if !strings.ContainsRune(word, filepath.Separator) && !strings.HasSuffix(word, suffix) {
		file = filepath.Join(dir, word+suffix)
	}
	text, err := plainfile.Read(file, plainfile.Text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(dir, word, file)
	case err != nil:
		return nil, core.Errorf(core.FileCode(err), "%w", err)
	}
	r, err := parse(file, string(text))
	if err != nil {
		return nil, err
	}
	if below, is := strings.CutPrefix(r.Dir, "~/"); is {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, core.Errorf(core.InvalidInput, "%s: dir: %w", file, err)
		}
		r.Dir = filepath.Join(home, below)
	}
	return r, nil
}

func missing(dir, word, file string) error {
	if file == word {
		return &core.Error{
			Code: core.ConfigNotFound, Message: fmt.Sprintf("there is no file %s", file),
			Hint: "Check the path.",
		}
	}
	names, err := presets(dir)
	if err != nil {
		return err
	}
	e := &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no preset is named %q", word), Suggestions: near.Words(word, names),
		Slip:    core.Slip{Word: word},
		Details: map[string][]string{"presets": append([]string{}, names...)},
	}
	if len(names) > 0 {
		e.Hint = "There are: " + strings.Join(names, ", ") + "."
	} else {
		e.Remedies, e.Subject.Dir = []core.Remedy{core.RemedySavePreset}, dir
	}
	return e
}
