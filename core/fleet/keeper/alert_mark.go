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

// mark creates or removes the mark file.
func (k *keeper) mark(snapshot *core.Snapshot) {
	open := slices.ContainsFunc(snapshot.Alerts, func(a core.Alert) bool { return a.Type.Kind().Watched })
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
