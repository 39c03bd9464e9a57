package keeper

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"cupola/core"
	"cupola/core/system/textfile"
)

// A single snapshot cannot detect an idle screen or a lost server. The keeper therefore creates a mark file
// while alerts of such types are open; single calls open the journal only if the mark exists.

// needsKeeper reports whether a single snapshot cannot detect alerts of a type.
func needsKeeper(what core.AlertType) bool {
	switch what {
	case core.AlertFileConflict, core.AlertContextLow, core.AlertStalled, core.AlertEngineLost, core.AlertEngineBack:
		return true
	}
	return false
}

// mark creates or removes the mark file.
func (k *keeper) mark(snapshot *core.Snapshot) {
	open := slices.ContainsFunc(snapshot.Alerts, func(a core.Alert) bool { return needsKeeper(a.Type) })
	if open == k.files.Alarmed() {
		return
	}
	var err error
	if open {
		err = textfile.Put(k.files.Alarms, nil)
	} else {
		err = os.Remove(k.files.Alarms)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.log.Warn("open alerts could not be marked", "error", err)
	}
}
