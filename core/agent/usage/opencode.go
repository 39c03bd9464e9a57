package usage

import (
	"context"
	"encoding/json"
	"time"

	"cupola/core/agent/transcript"
	"cupola/core/record/store"
)

// overlap is how long before the last message that was read the next look begins:
// OpenCode changes messages while they grow.
const overlap = time.Hour

// opencodeState is the reader's state for OpenCode's database as a whole.
type opencodeState struct {
	// Updated is when the last message that was read changed, Unix milliseconds.
	Updated int64
}

type opencodeMessage struct {
	Role   string  `json:"role"`
	Model  string  `json:"modelID"`
	Cost   float64 `json:"cost"`
	Tokens struct {
		Input     int64 `json:"input"`
		Output    int64 `json:"output"`
		Reasoning int64 `json:"reasoning"`
		Cache     struct {
			Read  int64 `json:"read"`
			Write int64 `json:"write"`
		} `json:"cache"`
	} `json:"tokens"`
}

// readDatabase reads what changed in OpenCode's database: a part for every session
// in it, and one for how far it was read.
func readDatabase(ctx context.Context, s transcript.File, before *store.UsageFile) ([]store.UsagePart, error) {
	var state opencodeState
	if before != nil {
		into([]byte(before.State), &state)
	}
	const query = `select m.id, m.time_created, m.time_updated, m.data, s.id, coalesce(s.parent_id, ''), s.directory
		from message m join session s on s.id = m.session_id where m.time_updated >= ? order by m.time_updated, m.id`
	sessions := opencodeSessions{File: s, at: map[string]int{}}
	var row opencodeRow
	for err := range transcript.Query(ctx, s.Path, query, []any{state.Updated - overlap.Milliseconds()},
		&row.id, &row.created, &row.updated, &row.data, &row.session, &row.parent, &row.folder) {
		if err != nil {
			return nil, err
		}
		state.Updated = max(state.Updated, row.updated)
		sessions.add(&row)
	}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	whole := store.UsageFile{
		Kind: s.Kind, Path: s.Path, Size: s.Size, Modified: s.Modified.UnixNano(), State: string(text),
	}
	return append(sessions.parts, store.UsagePart{File: whole}), nil
}

type opencodeRow struct {
	id               string
	created, updated int64
	data             string
	session, parent  string
	folder           string
}

// opencodeSessions are the parts that were read, with the place of each session.
type opencodeSessions struct {
	transcript.File
	parts []store.UsagePart
	at    map[string]int
}

func (o *opencodeSessions) add(row *opencodeRow) {
	var m opencodeMessage
	if !into([]byte(row.data), &m) || m.Role != "assistant" {
		return
	}
	at, known := o.at[row.session]
	if !known {
		at = len(o.parts)
		o.at[row.session] = at
		file := store.UsageFile{
			Kind: o.Kind, Path: o.Path + "#" + row.session, State: "{}", Session: row.session,
			Folder: row.folder,
		}
		if row.parent != "" {
			file.Session = row.parent
		}
		o.parts = append(o.parts, store.UsagePart{File: file})
	}
	file := &o.parts[at].File
	file.Modified = max(file.Modified, row.updated*int64(time.Millisecond))
	out := reading{kind: o.Kind}
	out.add(row.id, time.UnixMilli(row.created).UTC(), m.Model, store.UsageTokens{
		Input: m.Tokens.Input, CacheRead: m.Tokens.Cache.Read, CacheWrite: m.Tokens.Cache.Write,
		Output: m.Tokens.Output + m.Tokens.Reasoning, Reasoning: m.Tokens.Reasoning,
	}, dollars(m.Cost))
	o.parts[at].Requests = append(o.parts[at].Requests, out.requests...)
}

// opencodeSource is the database with what is written beside it: it changes where
// either does.
func opencodeSource(s transcript.File) transcript.File {
	if log, is := transcript.FileOf(s.Kind, s.Path+"-wal"); is {
		s.Size += log.Size
		if log.Modified.After(s.Modified) {
			s.Modified = log.Modified
		}
	}
	return s
}
