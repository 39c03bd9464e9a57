package search

import (
	"encoding/json"
	"time"

	"cupola/core/term/cast"
	"cupola/core/term/cells"
)

// Recordings are the sources for the recordings of panes in a folder. What a pane drew in one piece is one text.
func Recordings(folder string) ([]*Source, error) {
	files, err := cast.Files(folder)
	if err != nil {
		return nil, err
	}
	all := make([]*Source, len(files))
	for i, file := range files {
		at := func(line []byte) time.Time {
			when, _ := eventIn(line, file.Began)
			return when
		}
		r := &lineReader{path: file.Path, end: file.Bytes, modified: file.Written, at: at}
		r.texts = func(line []byte) []Hit {
			when, text := eventIn(line, file.Began)
			return []Hit{{At: when, Who: ByScreen, Pane: file.Pane, Text: cells.Strip(text)}}
		}
		all[i] = &Source{Newest: file.Written, read: r.read}
	}
	return all, nil
}

// eventIn reads an event of a recording that began at a time: when it was, and what the pane drew then; nothing of
// other lines.
func eventIn(line []byte, began time.Time) (at time.Time, text string) {
	var event []json.RawMessage
	var seconds float64
	var what string
	if json.Unmarshal(line, &event) != nil || len(event) < 3 || json.Unmarshal(event[0], &seconds) != nil ||
		json.Unmarshal(event[1], &what) != nil || what != "o" || json.Unmarshal(event[2], &text) != nil {
		return time.Time{}, ""
	}
	return began.Add(time.Duration(seconds * float64(time.Second))), text
}
