package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/config/recipe"
	"cupola/core/fleet/rundir"
	crewfile "cupola/core/run/crew/recipe"
	"cupola/core/system/plainfile"
	"cupola/core/system/private"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/settings"
)

// settings checks all files that people write: a row for each fault, with the command that repairs it.
func (e *examination) settings() []checkRow {
	var rows []checkRow
	files, held := e.env.Files(), e.env.Location.Settings()
	for _, layer := range []config.Layer{config.User, config.Project, config.Environment} {
		row := checkRow{Name: string(layer) + " settings", State: checkOK, Path: files.Of(layer)}
		faults := held.FaultsOf(layer)
		for _, fault := range faults {
			row.State, row.Detail, row.Fix = checkWarn, held.Describe(fault), mends(fault)
			if fault.Whole {
				row.State = checkBad
			}
			rows = append(rows, row)
		}
		if _, err := os.Stat(row.Path); err == nil && len(faults) == 0 {
			rows = append(rows, row)
		}
	}
	keys := settings.KeyProblems(&e.env.Local)
	for _, problem := range keys {
		rows = append(rows, checkRow{
			Name: "keys of own commands", State: checkWarn, Path: files.File(), Detail: problem,
			Fix: settings.ConfigEdit.Command(settings.ConfigEditIn{}),
		})
	}
	if len(held.Faults())+len(keys) == 0 {
		rows = append(rows, checkRow{
			Name: "all settings", State: checkOK, Detail: "defaults, files and environment fit together",
		})
	}
	rows = append(rows, e.kinds()...)
	paths := e.env.Paths
	rows = append(rows, filesRow("bridges", paths.Bridges(), "", settings.BridgeProblem(&e.env.Local)))
	rows = append(rows, filesRow("saved prompts", paths.Palette(), filepath.Base(paths.Palette()),
		settings.PaletteProblem(&e.env.Local)))
	return append(rows, e.presets()...)
}

// filesRow is the row of files that have a problem, or none; edit is the name of the file to repair.
func filesRow(name, path, edit, problem string) checkRow {
	row := checkRow{Name: name, State: checkOK, Path: path}
	if problem != "" {
		row.State, row.Detail = checkBad, problem
		if edit != "" {
			row.Fix = settings.ConfigEdit.Command(settings.ConfigEditIn{File: edit})
		}
	}
	return row
}

// mends returns the command that repairs a fault of the settings.
func mends(fault *config.Fault) string {
	key, err := config.KeyNamed(fault.Key)
	switch {
	case fault.Layer == config.Environment && err == nil:
		return shell.Line("unset", key.Env())
	case fault.Whole && fault.Key == "":
		if fix := mendsFile(fault.Path); fix != "" {
			return fix
		}
	}
	return settings.ConfigEdit.Command(
		settings.ConfigEditIn{OfProject: settings.OfProject{Project: fault.Layer == config.Project}},
	)
}

// mendsFile returns the command for a file that cannot be read at all; empty for one that is repaired in an editor.
func mendsFile(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > plainfile.Text {
		return shell.Line("mv", path, path+".old")
	}
	if file, err := plainfile.Open(path); err != nil {
		return shell.Line("chmod", "u+r", path)
	} else if file.Close() != nil {
		return ""
	}
	return ""
}

// kinds has a row for each fault of the user's agent kinds, or one for all of them.
func (e *examination) kinds() []checkRow {
	row := checkRow{Name: "agent kinds", State: checkOK, Path: e.env.Paths.Agents()}
	var rows []checkRow
	for _, fault := range verb.Kinds(e.env.Paths).Faults() {
		row.State, row.Detail = checkWarn, verb.TellKind(e.env.Paths, fault)
		if fault.Whole {
			row.State = checkBad
		}
		row.Fix = mendsFile(e.env.Paths.Agents())
		if fault.File != "." {
			row.Path = filepath.Join(e.env.Paths.Agents(), fault.File)
			if row.Fix = mendsFile(row.Path); row.Fix == "" {
				row.Fix = settings.ConfigEdit.Command(settings.ConfigEditIn{File: filepath.Join("agents", fault.File)})
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		rows = append(rows, row)
	}
	return rows
}

// presets has a row for each file of the user's presets and crews that cannot be used.
func (e *examination) presets() []checkRow {
	var rows []checkRow
	for _, folder := range []struct {
		name, path string
		load       func(path string) error
	}{
		{"preset", e.env.Paths.Presets(), func(path string) error {
			_, err := recipe.Load("", path)
			return err
		}},
		{"crew", e.env.Paths.CrewRecipes(), func(path string) error {
			_, err := crewfile.Load("", path)
			return err
		}},
	} {
		files, err := os.ReadDir(folder.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			rows = append(rows, checkRow{
				Name: folder.name, State: checkBad, Path: folder.path, Detail: err.Error(), Fix: mendsFile(folder.path),
			})
		}
		for _, file := range files {
			path := filepath.Join(folder.path, file.Name())
			if filepath.Ext(path) != ".toml" {
				continue
			}
			if err := folder.load(path); err != nil {
				fix := mendsFile(path)
				if fix == "" {
					fix = settings.ConfigEdit.Command(settings.ConfigEditIn{
						File: filepath.Join(filepath.Base(folder.path), file.Name()),
					})
				}
				rows = append(rows, checkRow{
					Name: folder.name + " " + file.Name(), State: checkBad, Path: path,
					Detail: core.AsError(err).Error(), Fix: fix,
				})
			}
		}
	}
	return rows
}

func (e *examination) folders() []checkRow {
	var rows []checkRow
	paths := e.env.Paths
	for _, folder := range []struct {
		name, path string
		// variable says where the folder is.
		variable string
		// others are the permission bits that no other user should have, and worse what
		// it is where they have them: the files in the data folder are the user's alone
		// in any case.
		others fs.FileMode
		worse  string
	}{
		{"configuration", paths.Config, "XDG_CONFIG_HOME", 0o022, checkBad},
		{"data", paths.Data, "XDG_DATA_HOME", 0o077, checkWarn},
		{"state", paths.State, "XDG_STATE_HOME", 0o022, checkWarn},
		{"runtime", paths.Runtime, "XDG_RUNTIME_DIR", 0o077, checkBad},
	} {
		row := folderRow(folder.name, folder.path, folder.others, folder.worse)
		if row.State == checkOK {
			row.writable(folder.variable)
		}
		if err := rundir.CheckRuntime(folder.path); folder.name == "runtime" && err != nil {
			row = checkRow{
				Name: row.Name, State: checkBad, Path: row.Path, Detail: err.Error(),
				Fix: shell.Line("mv", row.Path, row.Path+".old"),
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// folderRow is the row of a folder, which need not exist yet.
func folderRow(name, path string, others fs.FileMode, worse string) checkRow {
	row := checkRow{Name: name, State: checkOK, Path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		row.Detail = "it is created when first needed"
	case err != nil:
		row.State, row.Detail = checkBad, err.Error()
	case !info.IsDir():
		row.State, row.Detail, row.Fix = checkBad, "it is not a folder", shell.Line("mv", path, path+".old")
	case info.Mode().Perm()&others != 0:
		mode := info.Mode().Perm() &^ others
		row.State, row.Fix = worse, doctorFix
		row.Detail = fmt.Sprintf("others may use it: its mode is %04o, not %04o", info.Mode().Perm(), mode)
		row.repair = func(context.Context) error { return os.Chmod(path, mode) }
	default:
		row.Detail = fmt.Sprintf("%04o", info.Mode().Perm())
	}
	return row
}

// writable finds out whether files can be made in a folder, or the folder in the one above that exists. The variable is
// the one that names another place.
func (r *checkRow) writable(variable string) {
	at, mend, err := private.Closed(r.Path)
	if at == "" {
		return
	}
	r.State, r.Detail = checkBad, fmt.Sprintf("nothing can be written in it: %s: %v", at, err)
	folder := filepath.Join(os.TempDir(), "cupola-home-"+strconv.Itoa(os.Getuid()))
	r.Fix = "export " + variable + "=" + shell.Quote(folder)
	if mend {
		r.Fix = shell.Line("chmod", "u+rwx", at)
	}
}
