package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/disk"
	"cupola/core/fleet"
	"cupola/core/plugin"
	"cupola/core/store"
	"cupola/robot/registry"
)

// The areas of an examination.
const (
	areaEngine   = "engine"
	areaTerminal = "terminal"
	areaSettings = "settings"
	areaFolders  = "folders"
	areaStore    = "store"
	areaKeeper   = "keeper"
	areaAgents   = "agents"
	areaHooks    = "hooks"
	areaTools    = "tools"
	areaDisk     = "disk"
)

// examination looks at everything, an area after the other.
type examination struct {
	ctx  context.Context //nolint:containedctx // it lives as long as one call
	deps *registry.Deps
	rows []checkRow
	// programs are agents and tools with their versions.
	programs []programRow
}

func (e *examination) all() []checkRow {
	areas := []struct {
		name string
		look func()
	}{
		{areaEngine, e.engine},
		{areaTerminal, e.terminal},
		{areaSettings, e.settings},
		{areaFolders, e.folders},
		{areaStore, e.store},
		{areaKeeper, e.keeper},
		{areaAgents, e.agents},
		{areaHooks, e.hooks},
		{areaTools, e.tools},
		{areaDisk, e.disks},
	}
	for i, area := range areas {
		if e.ctx.Err() != nil {
			break
		}
		if e.deps.Progress != nil {
			e.deps.Progress(fleet.Progress{Phase: "doctor", Percent: 100 * i / len(areas), Message: "looking at " + area.name})
		}
		from := len(e.rows)
		area.look()
		for j := range e.rows[from:] {
			e.rows[from+j].Area = area.name
		}
	}
	return e.rows
}

func (e *examination) add(row checkRow) { e.rows = append(e.rows, row) }

func (e *examination) engine() {
	row := checkRow{Name: "tmux", State: checkOK}
	f, err := e.deps.Fleet()
	if err != nil {
		row.State, row.Detail, row.err = checkBad, core.AsError(err).Error(), err
		if core.AsError(err).Code == core.ConfigInvalid {
			row.Detail, row.Fix = "the settings cannot be read: "+row.Detail, "cupola config-edit"
		}
		e.add(row)
		return
	}
	info, err := fleet.EngineInfo(e.ctx, f)
	row.Version, row.Path = info.Version, info.Socket
	switch {
	case err != nil:
		row.State, row.Detail, row.Fix, row.err = checkBad, core.AsError(err).Error(), "apt install tmux, or brew install tmux", err
	case info.Note != "":
		row.State, row.Detail = checkWarn, "it is spoken to by one process per question: "+info.Note
	case info.Transport == "exec":
		row.Detail = "it is spoken to by one process per question"
	default:
		row.Detail = "it is spoken to over its socket"
	}
	e.add(row)
}

func (e *examination) terminal() {
	getenv := e.deps.Getenv
	row := checkRow{Name: "locale", State: checkOK, Detail: firstOf(getenv, "LC_ALL", "LC_CTYPE", "LANG")}
	if folded := strings.ToLower(strings.ReplaceAll(row.Detail, "-", "")); !strings.Contains(folded, "utf8") {
		row.State, row.Fix = checkWarn, "export LANG=C.UTF-8"
		row.Detail = fmt.Sprintf("%q is not UTF-8: programs in a terminal draw what is not ASCII wrongly", row.Detail)
	}
	e.add(row)
	row = checkRow{Name: "TERM", State: checkOK, Detail: getenv("TERM")}
	if e.deps.Human && (row.Detail == "" || row.Detail == "dumb") {
		row.State, row.Detail = checkWarn, "the terminal says of itself that it can do nothing, so there is no dashboard"
	}
	e.add(row)
}

func firstOf(getenv func(string) string, names ...string) string {
	for _, name := range names {
		if value := getenv(name); value != "" {
			return value
		}
	}
	return ""
}

func (e *examination) settings() {
	files := e.deps.Files()
	for _, layer := range []config.Layer{config.User, config.Project} {
		path := files.Of(layer)
		if _, err := os.Stat(path); path == "" || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		row := checkRow{Name: string(layer) + " settings", State: checkOK, Path: path}
		if err := config.Check(files, layer); err != nil {
			row.State, row.Detail, row.Fix = checkBad, core.AsError(err).Error(), "cupola config-edit"
		}
		e.add(row)
	}
	row := checkRow{Name: "all settings", State: checkOK, Detail: "defaults, files and environment fit together"}
	if _, err := config.Load(files, e.deps.Getenv); err != nil {
		row.State, row.Detail, row.Fix = checkBad, core.AsError(err).Error(), "cupola config-show"
	}
	e.add(row)
	row = checkRow{Name: "agent kinds", State: checkOK, Path: e.deps.Paths.Agents()}
	if _, err := userKinds(e.deps); err != nil {
		row.State, row.Detail = checkBad, core.AsError(err).Error()
	}
	e.add(row)
	row = checkRow{Name: "bridges", State: checkOK, Path: e.deps.Paths.Bridges()}
	if problems := bridgeProblems(e.deps); len(problems) > 0 {
		row.State, row.Detail = checkBad, strings.Join(problems, "; ")
	}
	e.add(row)
}

// bridgeProblems say what is wrong with the user's own bridges.
func bridgeProblems(deps *registry.Deps) []string {
	var problems []string
	for _, id := range deps.Bridges.Changed() {
		tool, err := deps.Bridges.Tool(id)
		if err != nil {
			problems = append(problems, core.AsError(err).Error())
			continue
		}
		for _, name := range tool.ActionNames() {
			action := tool.Actions[name]
			if unknown := unknownModifiers(action); len(unknown) > 0 {
				problems = append(problems, fmt.Sprintf("%s-%s takes %s, which nobody knows", id, name, strings.Join(unknown, ", ")))
			}
			if err := action.Verify(); err != nil {
				problems = append(problems, err.Error())
			}
		}
	}
	return problems
}

func (e *examination) folders() {
	paths := e.deps.Paths
	for _, folder := range []struct {
		name, path string
		// others are the permission bits that nobody else should have, and worse what
		// it is where they have them: the files in the data folder are the user's alone
		// in any case.
		others fs.FileMode
		worse  string
	}{
		{"configuration", paths.Config, 0o022, checkBad},
		{"data", paths.Data, 0o077, checkWarn},
		{"state", paths.State, 0o022, checkWarn},
		{"runtime", paths.Runtime, 0o077, checkBad},
	} {
		e.add(folderRow(folder.name, folder.path, folder.others, folder.worse))
	}
}

// folderRow is the row of a folder, which need not exist yet.
func folderRow(name, path string, others fs.FileMode, worse string) checkRow {
	row := checkRow{Name: name, State: checkOK, Path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		row.Detail = "it is made when it is first needed"
	case err != nil:
		row.State, row.Detail = checkBad, err.Error()
	case !info.IsDir():
		row.State, row.Detail, row.Fix = checkBad, "it is no folder", registry.Line("rm", path)
	case info.Mode().Perm()&others != 0:
		mode := info.Mode().Perm() &^ others
		row.State, row.Fix = worse, mendsItself
		row.Detail = fmt.Sprintf("others may use it: its mode is %04o, not %04o", info.Mode().Perm(), mode)
		row.mend = func(context.Context) error { return os.Chmod(path, mode) }
	default:
		row.Detail = fmt.Sprintf("%04o", info.Mode().Perm())
	}
	return row
}

func (e *examination) store() {
	path := e.deps.Paths.Store()
	row := checkRow{Name: "records", State: checkOK, Path: path}
	health, err := store.Inspect(e.ctx, path, store.Options{Log: e.deps.Log})
	switch {
	case err != nil:
		row.State, row.Detail = checkBad, core.AsError(err).Error()
	case !health.Exists:
		row.Detail = "nothing was recorded yet"
	case health.Damage != "":
		row.State, row.Detail, row.Fix = checkBad, "the file is damaged: "+health.Damage, mendsItself
		row.mend = func(ctx context.Context) error {
			return store.Mend(ctx, path, store.Options{Told: e.deps.Warn, Log: e.deps.Log})
		}
	default:
		row.Version, row.Detail = fmt.Sprint(health.Version), fmt.Sprintf("whole, %d KB", health.Bytes>>10)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 && row.State == checkOK {
		row.State, row.Fix = checkBad, mendsItself
		row.Detail = fmt.Sprintf("others may read it: its mode is %04o", info.Mode().Perm())
		row.mend = func(context.Context) error { return os.Chmod(path, 0o600) }
	}
	e.add(row)
}

func (e *examination) keeper() {
	f, err := e.deps.Fleet()
	if err != nil {
		return // the engine's row says why
	}
	row := checkRow{Name: "keeper", State: checkOK}
	state, socket, err := fleet.Keeper(e.ctx, f)
	row.Path = socket
	switch {
	case err != nil:
		row.State, row.Detail = checkBad, core.AsError(err).Error()
	case state == fleet.KeeperAlive:
		row.Detail = "somebody keeps the picture"
	case state == fleet.KeeperStale:
		row.State, row.Detail, row.Fix = checkWarn, "a keeper ended without clearing up; the next one does it", mendsItself
		row.mend = func(ctx context.Context) error { return fleet.ClearSeat(ctx, f) }
	default:
		row.Detail = "nobody keeps the picture; the next dashboard or watch will"
	}
	e.add(row)
}

func (e *examination) agents() {
	rows, err := programRows(e.deps)
	if err != nil {
		return // the row of the agent kinds says why
	}
	askVersions(e.ctx, e.deps, rows)
	e.programs = rows
	e.listPrograms(toolAgent)
}

func (e *examination) tools() { e.listPrograms(toolOther) }

// listPrograms adds the rows of agents or of tools.
func (e *examination) listPrograms(kind string) {
	for _, program := range e.programs {
		if program.Kind != kind {
			continue
		}
		row := checkRow{Name: program.Tool, State: checkOK, Version: program.Version, Path: program.Path, Detail: program.Gives}
		switch {
		case !program.Installed && program.Problem != "":
			row.State, row.Detail = checkBad, program.Problem
		case !program.Installed:
			row.State, row.Fix = checkMissing, program.Install
		case program.Problem != "":
			row.State, row.Detail = checkWarn, "it does not say its version: "+program.Problem
		}
		e.add(row)
	}
}

func (e *examination) hooks() {
	plugins, err := e.deps.Plugins()
	if err != nil {
		return // the row of the agent kinds says why
	}
	for _, p := range plugins {
		if e.installed(string(p.Kind)) {
			e.add(hooksRow(p))
		}
	}
}

func (e *examination) installed(agent string) bool {
	for _, program := range e.programs {
		if program.Kind == toolAgent && program.Tool == agent {
			return program.Installed
		}
	}
	return false
}

// hooksRow is the row of the hooks in one agent's settings.
func hooksRow(p *plugin.Plugin) checkRow {
	row := checkRow{Name: string(p.Kind), State: checkOK, Path: p.File, Detail: "installed"}
	status, err := p.Status()
	install := "cupola plugin-install " + string(p.Kind) + " --yes"
	switch {
	case err != nil:
		row.State, row.Detail = checkWarn, core.AsError(err).Error()
	case status.State == plugin.Absent:
		row.State, row.Fix, row.Detail = checkMissing, install, "without hooks its state is read off its screen alone"
	case status.State == plugin.Drifted:
		row.State, row.Fix, row.Detail = checkWarn, install, "not as they should be: "+strings.Join(sortedProblems(status), "; ")
		row.foreign, row.mend = true, func(context.Context) error { return reinstall(p) }
	}
	return row
}

func reinstall(p *plugin.Plugin) error {
	change, err := p.Install()
	if err != nil {
		return err
	}
	return change.Apply()
}

func (e *examination) disks() {
	least := config.Alerts{DiskPercent: 5, DiskMB: 1024}
	if settings, err := config.Load(e.deps.Files(), e.deps.Getenv); err == nil {
		least = settings.Alerts
	}
	for _, folder := range []struct{ name, path string }{{"space for data", e.deps.Paths.Data}, {"space here", e.deps.Dir}} {
		if folder.path == "" {
			continue
		}
		row := checkRow{Name: folder.name, State: checkOK, Path: folder.path}
		space, err := disk.Of(folder.path)
		if err != nil {
			row.State, row.Detail = checkWarn, err.Error()
			e.add(row)
			continue
		}
		row.Detail = fmt.Sprintf("%d %% free, %d MB", space.Percent(), space.Free>>20)
		if space.Percent() < least.DiskPercent || space.Free>>20 < uint64(least.DiskMB) {
			row.State = checkWarn
		}
		e.add(row)
	}
}
