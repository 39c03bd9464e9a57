package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core/plainfile"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// findScheme returns the colours with a name: those of the user's own file, else those that come with the program.
func (p *program) findScheme(name string) (*theme.Scheme, error) {
	file := filepath.Join(p.deps.Paths.Themes(), filepath.Base(name)+".toml")
	if text, err := plainfile.Read(file, plainfile.Record); err == nil {
		return theme.ParseScheme(name, string(text))
	}
	scheme, known := theme.FindScheme(name)
	if !known {
		return nil, fmt.Errorf("there is no theme %q; there are %s", name, strings.Join(p.schemeNames(), ", "))
	}
	return scheme, nil
}

// schemeNames are the themes that come with the program, and then the user's own.
func (p *program) schemeNames() []string {
	names := theme.SchemeNames()
	files, err := os.ReadDir(p.deps.Paths.Themes())
	if err != nil {
		return names
	}
	for _, file := range files {
		if name, is := strings.CutSuffix(file.Name(), ".toml"); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// keymap returns the user's own keys of the dashboard; fault says what is wrong with their file, empty for nothing.
func (p *program) keymap() (keys *intent.Keymap, fault string) {
	file := p.deps.Paths.Keys()
	text, err := plainfile.Read(file, plainfile.Record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	if err == nil {
		keys, err = intent.ReadKeymap(file, string(text))
	}
	if err != nil {
		return keys, err.Error()
	}
	return keys, ""
}

// listOrder is how the dashboard's list is arranged.
func (p *program) listOrder() screen.Order {
	settings, err := p.deps.Settings()
	if err != nil {
		return screen.Order{}
	}
	return screen.Order{Group: settings.Display.Group, Sort: settings.Display.Sort}
}

// firstTime reports whether the user has not seen the dashboard before, and notes that it is seen now.
func (p *program) firstTime() bool {
	mark := filepath.Join(p.deps.Paths.State, "dashboard-seen")
	if _, err := os.Lstat(mark); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err := os.MkdirAll(p.deps.Paths.State, 0o700); err != nil {
		return true
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		p.deps.Log.Warn("note that the dashboard was seen", "error", err)
	}
	return true
}
