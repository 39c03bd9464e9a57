package tmux

import (
	"cmp"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/engine"
)

// snapshotReader parses an answer to listCommands, record by record.
type snapshotReader struct {
	snapshot
	line *paneLine
	in   records
	// values is where the fields of a record are put.
	values []string
	// next is behind the pane that the last record behind a mark was of. They come
	// in the order of the panes, and as often.
	next int
}

// readSnapshot reads the sessions and then the panes, which it brings into order:
// each pane once, in the oldest of the sessions that show it.
func readSnapshot(out string, detail engine.Detail) (*snapshot, error) {
	r := snapshotReader{line: lineFor(detail), in: records{out: out}, values: newValues()}
	r.panes = make([]pane, 0, strings.Count(out, "\nP|"))
	for r.in.more() {
		head, rest, _ := strings.Cut(r.in.out, "|")
		r.in.out = rest
		if err := r.record(head); err != nil {
			return nil, err
		}
	}
	r.arrange()
	return &r.snapshot, nil
}

func (r *snapshotReader) record(head string) error {
	switch head {
	case "S":
		fields := r.values[:sessionFields+len(engine.SessionTags)]
		if err := r.in.versioned(); err != nil {
			return err
		}
		if err := cmp.Or(checkVersion(r.in.version), r.in.next(fields)); err != nil {
			return err
		}
		r.server = fields[0] + "/" + fields[1]
		r.sessions = append(r.sessions, readSession(fields))
		return nil
	case "P":
		pane, err := r.line.next(&r.in, r.values)
		r.panes = append(r.panes, pane)
		return err
	case deadMark, tagsMark:
		return r.marked(head)
	}
	return anomaly{fmt.Sprintf("%.60q", head)}
}

// marked reads what only some panes have into the one it belongs to.
func (r *snapshotReader) marked(mark string) error {
	if err := r.in.fields(r.values[:1]); err != nil {
		return err
	}
	id := core.PaneID(r.values[0])
	for range r.panes {
		pane := &r.panes[r.next%len(r.panes)]
		r.next++
		if pane.ID == id {
			return cmp.Or(r.line.setMarked(pane, mark, &r.in, r.values), r.in.end())
		}
	}
	return anomaly{fmt.Sprintf("no pane %.60q", id)}
}
