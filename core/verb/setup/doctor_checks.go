package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/engines"
	"cupola/core/engine/own"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/record/store"
	"cupola/core/system/disk"
	"cupola/core/verb"
	"cupola/core/verb/settings"
	"cupola/core/verb/tools"
)

// The areas of an examination.
const (
	areaEngine    = "engine"
	areaTerminal  = "terminal"
	areaSettings  = "settings"
	areaFolders   = "folders"
	areaStore     = "store"
	areaKeeper    = "keeper"
	areaAgents    = "agents"
	areaProcesses = "processes"
	areaAccounts  = "accounts"
	areaHooks     = "hooks"
	areaTools     = "tools"
	areaRelay     = "relay"
	areaDisk      = "disk"
	areaNotify    = "notify"
)

// examination looks at everything, all areas at the same time. Each returns its
// rows.
type examination struct {
	ctx context.Context //nolint:containedctx // it lives as long as one call
	env *verb.Env
	// programs are agents and tools; versioned asks them for their versions, once.
	programs  []tools.ProgramRow
	versioned func() []tools.ProgramRow
	// backends counts the backends of relays; nil until they were looked at.
	backends *relayHealth
}

// examine looks at all areas; the rows are in their order.
func examine(ctx context.Context, env *verb.Env) doctorOut {
	e := examination{ctx: ctx, env: env, programs: tools.ProgramRows(&env.Local)}
	e.versioned = sync.OnceValue(func() []tools.ProgramRow {
		asked := slices.Clone(e.programs)
		tools.AskVersions(ctx, &env.Local, asked)
		return asked
	})
	areas := []struct {
		name string
		look func() []checkRow
	}{
		{areaEngine, e.engine},
		{areaTerminal, e.terminal},
		{areaSettings, e.settings},
		{areaFolders, e.folders},
		{areaStore, e.store},
		{areaKeeper, e.keeper},
		{areaAgents, func() []checkRow { return e.listPrograms(tools.ToolAgent) }},
		{areaProcesses, e.leftovers},
		{areaAccounts, e.accounts},
		{areaHooks, e.hooks},
		{areaTools, func() []checkRow { return e.listPrograms(tools.ToolOther) }},
		{areaRelay, e.relays},
		{areaDisk, e.disks},
		{areaNotify, e.notifications},
	}
	found := make([][]checkRow, len(areas))
	var all sync.WaitGroup
	for i, area := range areas {
		all.Go(func() {
			found[i] = area.look()
			for j := range found[i] {
				found[i][j].Area = area.name
			}
		})
	}
	all.Wait()
	return doctorOut{Checks: slices.Concat(found...), Relay: e.backends}
}

func (e *examination) engine() []checkRow {
	row := checkRow{Name: engineName(""), State: checkOK}
	f, err := e.env.Fleet()
	if err != nil {
		row.State, row.Detail, row.err = checkBad, core.AsError(err).Error(), err
		if core.AsError(err).Code == core.ConfigInvalid {
			row.Detail, row.Fix = "the settings cannot be read: "+row.Detail, "cupola config-paths"
		}
		return []checkRow{row}
	}
	info, err := f.Overview.EngineInfo(e.ctx)
	row.Name, row.Version, row.Path = engineName(info.Program), info.Version, info.Socket
	var sessions resolve.Sessions
	if err == nil {
		sessions, err = f.Overview.Sessions(e.ctx)
	}
	switch {
	case fault.NotAnswering(err):
		row.State, row.Detail, row.err = checkBad, core.AsError(err).Error(), err
	case err != nil:
		row.State, row.Detail, row.Fix, row.err = checkBad, core.AsError(err).Error(), tools.InstallTmux(), err
	case !sessions.EngineUp:
		row.Detail = "installed; no server runs yet, and 'cupola spawn' starts one"
		for _, server := range f.Overview.OtherServers() {
			row.State, row.Detail = checkWarn, "no server runs here; "+verb.DescribeOtherServer(server)
		}
	case info.Note != "":
		row.noted(info)
	case info.Transport == "exec":
		row.Detail = "a server runs; each question starts a tmux process"
	default:
		row.Detail = "a server runs; it is asked over its socket"
	}
	e.foundByNote(&row)
	rows := []checkRow{row}
	if other := info.Beside; other != nil {
		beside := checkRow{
			Name: engineName(other.Program), State: checkOK, Version: other.Version, Path: other.Socket,
			Detail: "a server runs beside, and its sessions are shown too",
		}
		if other.Note != "" {
			beside.noted(*other)
		}
		e.foundByNote(&beside)
		rows = append(rows, beside)
	}
	return rows
}

// foundByNote reports that Cupola's own server was found by its note.
func (e *examination) foundByNote(row *checkRow) {
	usual := engines.SocketIn(e.env.Paths.Runtime)
	if row.Path != usual && row.Path == own.Usual(usual, e.env.Paths.OwnServer()) {
		row.Detail += "; it was started where XDG_RUNTIME_DIR was " + filepath.Dir(filepath.Dir(row.Path))
	}
}

// noted says what is to be noted of an engine.
func (r *checkRow) noted(info engine.Info) {
	r.State, r.Detail = checkWarn, info.Note
	if info.Program == engine.Tmux {
		r.Detail = "each question starts a tmux process: " + info.Note
		return
	}
	r.Fix = "cupola engine-upgrade"
}

// engineName returns the name of a terminal server by its program.
func engineName(program string) string {
	if program == "" || program == engine.Tmux {
		return engine.Tmux
	}
	return "own server"
}

func (e *examination) terminal() []checkRow {
	var rows []checkRow
	getenv := e.env.Getenv
	row := checkRow{Name: "locale", State: checkOK, Detail: settings.FirstOf(getenv, "LC_ALL", "LC_CTYPE", "LANG")}
	if folded := strings.ToLower(strings.ReplaceAll(row.Detail, "-", "")); !strings.Contains(folded, "utf8") {
		row.State, row.Fix = checkWarn, "export LANG=C.UTF-8"
		row.Detail = fmt.Sprintf("%q is not UTF-8: programs may draw characters beyond ASCII wrongly", row.Detail)
	}
	rows = append(rows, row)
	row = checkRow{Name: "TERM", State: checkOK, Detail: getenv("TERM")}
	if e.env.Human && (row.Detail == "" || row.Detail == "dumb") {
		row.State, row.Detail = checkWarn, "TERM says that the terminal can do nothing, so there is no dashboard"
	}
	rows = append(rows, row)
	return rows
}

func (e *examination) store() []checkRow {
	path := e.env.Paths.Store()
	row := checkRow{Name: "records", State: checkOK, Path: path}
	health, err := store.Inspect(e.ctx, path, store.Options{Log: e.env.Log})
	switch {
	case err != nil:
		row.State, row.Detail = checkBad, core.AsError(err).Error()
	case !health.Exists:
		row.Detail = "nothing was recorded yet"
	case health.Damage != "":
		row.State, row.Detail, row.Fix = checkBad, "the file is damaged: "+health.Damage, doctorFix
		row.repair = func(ctx context.Context) error {
			return store.Repair(ctx, path, store.Options{Warn: e.env.Warn, Log: e.env.Log})
		}
	default:
		row.Version, row.Detail = fmt.Sprint(health.Version), fmt.Sprintf("whole, %d KB", health.Bytes>>10)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 && row.State == checkOK {
		row.State, row.Fix = checkBad, doctorFix
		row.Detail = fmt.Sprintf("others may read it: its mode is %04o", info.Mode().Perm())
		row.repair = func(context.Context) error { return os.Chmod(path, 0o600) }
	}
	return []checkRow{row}
}

func (e *examination) keeper() []checkRow {
	f, err := e.env.Fleet()
	if err != nil {
		return nil // the engine's row says why
	}
	row := checkRow{Name: "keeper", State: checkOK}
	state, socket, err := f.Dir.Keeper(e.ctx)
	row.Path = socket
	switch {
	case err != nil:
		row.State, row.Detail = checkBad, core.AsError(err).Error()
	case state == rundir.KeeperAlive:
		row.Detail = "a keeper runs"
	case state == rundir.KeeperStale:
		row.State, row.Detail, row.Fix = checkWarn, "a keeper ended without cleaning up; the next one does it",
			doctorFix
		row.repair = func(ctx context.Context) error { return f.Dir.ClearStale(ctx) }
	default:
		row.Detail = "no keeper runs; the next dashboard or watch starts one"
	}
	return []checkRow{row}
}

func (e *examination) disks() []checkRow {
	var rows []checkRow
	least := e.env.Settings().Alerts.Thresholds()
	for _, folder := range []struct{ name, path string }{
		{"space for data", e.env.Paths.Data},
		{"space here", e.env.Dir},
	} {
		if folder.path == "" {
			continue
		}
		row := checkRow{Name: folder.name, State: checkOK, Path: folder.path}
		space, err := disk.Of(folder.path)
		if err != nil {
			row.State, row.Detail = checkWarn, err.Error()
			rows = append(rows, row)
			continue
		}
		row.Detail = fmt.Sprintf("%d %% free, %d MB", space.Percent(), space.Free>>20)
		if least.Full(space) {
			row.State = checkWarn
		}
		rows = append(rows, row)
	}
	return rows
}
