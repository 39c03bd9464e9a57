package dashboard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cupola/core/config"
	"cupola/core/system/plainfile"
	"cupola/core/verb"
	"cupola/tui"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// keymap returns the user's own keys of the dashboard; fault says what is wrong with their file, empty for nothing.
func (d *Dashboard) keymap() (keys *intent.Keymap, fault string) {
	file := d.Env.Paths.Keys()
	text, err := plainfile.Read(file, plainfile.Record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	if err == nil {
		keys, err = tui.Keys().ReadKeymap(file, string(text))
	}
	if err != nil {
		return keys, err.Error()
	}
	return keys, ""
}

// ownCommands returns the user's own commands, and the keys with theirs; faults are the faults of keys.
func (d *Dashboard) ownCommands() (map[string]config.OwnCommand, *intent.Keymap, []string) {
	keys, fault := d.keymap()
	own := d.Env.Location.Settings().Commands
	if len(own) == 0 {
		return nil, keys, []string{fault}
	}
	keys, wrong := tui.OwnKeys(keys, own)
	return own, keys, append([]string{fault}, wrong...)
}

// OwnKeyFaults returns the faults of the keys of the user's own commands; none if all are right.
func OwnKeyFaults(env *verb.Env) []string {
	_, _, faults := (&Dashboard{Env: env}).ownCommands()
	return faults[1:]
}

// listOrder is how the dashboard's list is arranged.
func (d *Dashboard) listOrder() screen.Order {
	settings := d.Env.Settings()
	return screen.Order{
		Group: settings.Display.Group, Sort: settings.Display.Sort, List: settings.Display.List,
		Columns: strings.Join(settings.Display.Columns, ","),
	}
}

// firstTime reports whether the user has not seen the dashboard before, and notes that it is seen now.
func (d *Dashboard) firstTime() bool {
	mark := filepath.Join(d.Env.Paths.State, "dashboard-seen")
	if _, err := os.Lstat(mark); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err := os.MkdirAll(d.Env.Paths.State, 0o700); err != nil {
		return true
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		d.Env.Log.Warn("note that the dashboard was seen", "error", err)
	}
	return true
}
