package loop

import (
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
)

// Directory is the directory that holds the runs.
type Directory = run.Directory[story.Run, *story.Run]

// DirectoryIn returns the runs in a directory. Index lists them, keep is how long they stay on
// record; both may be zero.
func DirectoryIn(dir string, index *run.Index, keep time.Duration) *Directory {
	return &Directory{Dir: dir, File: "run.json", Noun: "run of stories", Index: index, Keep: keep}
}

// Relays is the directory of the relays that asked the agents of a run.
func Relays(b *Directory, id string) string { return filepath.Join(b.Folder(id), "relays") }

// Events returns the events of a run from an offset in bytes on, and the offset behind them.
func Events(b *Directory, id string, offset int64) ([]story.Event, int64, error) {
	events, next, err := run.ReadLog[story.Event](eventsPath(b, id), offset)
	if err != nil {
		return nil, offset, core.FileError("read the events of the run", err)
	}
	return events, next, nil
}

func eventsPath(b *Directory, id string) string { return filepath.Join(b.Folder(id), "events.jsonl") }
