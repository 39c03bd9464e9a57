package keeper

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"cupola/core"
	"cupola/core/textfile"
)

// A look of a moment cannot tell that a screen is still, or that the server was
// lost. So the keeper leaves a mark while such an alert is open, and only where it
// is there do those who look once open the journal for what is on record.

// needsKeeper reports whether one look cannot tell if there is an alert of a type.
func needsKeeper(what core.AlertType) bool {
	switch what {
	case core.AlertFileConflict, core.AlertContextLow, core.AlertStalled, core.AlertEngineLost, core.AlertEngineBack:
		return true
	}
	return false
}

// mark leaves the mark, or takes it away.
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
