package transcript

import (
	"context"
	"encoding/json"
	"time"
)

// sessionEdits reads the calls of editing tools in a session of a database.
func sessionEdits(ctx context.Context, path, session string, since time.Time) (edits []Edit, err error) {
	const query = `select m.time_created, p.data from message m join part p on p.message_id = m.id
		where m.session_id = ? and m.time_created >= ? order by m.time_created, p.id`
	var at int64
	var data []byte
	for err := range Query(ctx, path, query, []any{session, since.UnixMilli()}, &at, &data) {
		if err != nil {
			return nil, err
		}
		var p opencodePart
		if json.Unmarshal(data, &p) != nil || p.Type != "tool" || p.State.Status != "completed" {
			continue
		}
		for _, file := range filesOf(p.Tool, p.State.Input) {
			edits = append(edits, Edit{Path: file, At: time.UnixMilli(at).UTC()})
		}
	}
	return edits, nil
}
