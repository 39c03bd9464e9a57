package transcript

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// opencodeMessages bounds how many messages of a session are read.
const opencodeMessages = 200

// opencodeSessions bounds how many sessions of a folder are looked at.
const opencodeSessions = 100

// opencodeBusy is how long another writer is waited for.
const opencodeBusy = 500 * time.Millisecond

// opencodeMessage is the "data" of OpenCode's messages.
type opencodeMessage struct {
	Role   string `json:"role"`
	Model  string `json:"modelID"`
	Finish string `json:"finish"`
	Time   struct {
		Completed int64 `json:"completed"`
	} `json:"time"`
	Tokens struct {
		Total, Input, Output, Reasoning int
		Cache                           struct{ Read, Write int }
	} `json:"tokens"`
	Error *struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

// opencodePart is the "data" of a part of a message.
type opencodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Tool      string `json:"tool"`
	CallID    string `json:"callID"`
	State     struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output json.RawMessage `json:"output"`
		Error  json.RawMessage `json:"error"`
	} `json:"state"`
}

// OpenDatabase opens OpenCode's database read-only.
func OpenDatabase(path string) (*sql.DB, error) {
	query := url.Values{
		"mode":    {"ro"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", opencodeBusy.Milliseconds()), "query_only(1)"},
	}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String())
}

// Query runs a query and scans each row into dest. An error ends it.
func Query(ctx context.Context, db *sql.DB, query string, args []any, dest ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			yield(err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(dest...); !yield(err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(err)
		}
	}
}

// readDatabase reads the session of an agent: the one that is named, or else the
// one that changed last in its folder.
func readDatabase(ctx context.Context, path string, place *Place) (Account, error) {
	db, err := OpenDatabase(path)
	if err != nil {
		return Account{}, err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	told := Account{Path: path, Session: place.Session, Certain: place.Session != ""}
	if told.Session == "" {
		if told.Session, told.Certain, err = lastSession(ctx, db, path, place); err != nil {
			return Account{}, err
		}
	}
	const query = `select id, time_created, data from message where session_id = ?
		order by time_created desc, id desc limit ?`
	var messages []opencodeRow
	var id string
	var at int64
	var data []byte
	for err := range Query(ctx, db, query, []any{told.Session, opencodeMessages}, &id, &at, &data) {
		if err != nil {
			return Account{}, err
		}
		row := opencodeRow{id: id, at: at}
		if json.Unmarshal(data, &row.message) != nil {
			continue
		}
		messages = append(messages, row)
		// A prompt that nothing follows yet leads to the turn before.
		if row.message.Role == "user" && len(messages) > 1 && !place.whole {
			break
		}
	}
	slices.Reverse(messages)
	for i := range messages {
		if err := told.opencode(ctx, db, &messages[i]); err != nil {
			return Account{}, err
		}
	}
	told.interruptQueued(messages)
	return told, nil
}

type opencodeRow struct {
	id      string
	at      int64
	message opencodeMessage
	// rejected is true if the user did not allow the last tool it called.
	rejected bool
}

// opencodeRejected begins the error of a tool that the user did not allow.
const opencodeRejected = "The user rejected permission"

// interruptQueued marks a last prompt interrupted if it was queued behind a turn that
// a rejection ended: opencode does not begin it until another prompt arrives.
func (a *Account) interruptQueued(messages []opencodeRow) {
	last := len(messages) - 1
	if last < 1 || messages[last].message.Role != "user" {
		return
	}
	for i := last - 1; i >= 0; i-- {
		if m := &messages[i]; m.message.Role == "assistant" {
			a.Turn.Interrupted = m.rejected && m.message.Time.Completed >= messages[last].at
			return
		}
	}
}

// lastSession finds the session of a folder that holds what the agent was asked, that it
// was started with, or that changed last and is no peer's. The last is certain where no
// other one changed since the agent was started, and the sessions of all peers are known.
func lastSession(ctx context.Context, db *sql.DB, path string, place *Place) (string, bool, error) {
	const query = `select id, time_updated from session where directory = ? and parent_id is null
		order by time_updated desc limit ?`
	taken := place.sessionsTaken(path)
	var ids []string
	var id string
	var updated int64
	for err := range Query(ctx, db, query, []any{place.Dir, opencodeSessions}, &id, &updated) {
		if err != nil {
			return "", false, err
		}
		if !slices.Contains(taken, id) && (place.Started.IsZero() || !time.UnixMilli(updated).Before(place.Started)) {
			ids = append(ids, id)
		}
	}
	asked := place.asked()
	var trouble error
	i, one := asked.only(ids, func(id string) []string {
		prompts, err := opencodePrompts(ctx, db, id)
		trouble = errors.Join(trouble, err)
		return prompts
	})
	switch {
	case i >= 0:
		return ids[i], one, trouble
	case place.Launched != "":
		return place.Launched, true, trouble
	case len(ids) == 0:
		return "", false, errors.Join(ErrNone, trouble)
	}
	return ids[0], len(ids) == 1 && !slices.Contains(taken, "") && len(asked) == 0, trouble
}

// sessionsTaken are the sessions of the peers that keep theirs in a database; empty
// where that of one is not known.
func (p *Place) sessionsTaken(path string) (taken []string) {
	if p.Peers == nil {
		return nil
	}
	for _, peer := range p.Peers() {
		if slices.Contains(opencodeRecords(&peer), path) {
			taken = append(taken, peer.known())
		}
	}
	return taken
}

// opencode takes in one message with its parts.
func (a *Account) opencode(ctx context.Context, db *sql.DB, row *opencodeRow) error {
	var found []opencodePart
	var data []byte
	for err := range Query(ctx, db, `select data from part where message_id = ? order by id`, []any{row.id}, &data) {
		if err != nil {
			return err
		}
		var p opencodePart
		if json.Unmarshal(data, &p) == nil {
			found = append(found, p)
		}
	}
	a.opencodeMessage(row, found)
	return nil
}

func (a *Account) opencodeMessage(row *opencodeRow, found []opencodePart) {
	m, at := &row.message, time.UnixMilli(row.at).UTC()
	text := ""
	for _, p := range found {
		switch {
		case p.Type == "text" && !p.Synthetic && text == "":
			text = p.Text
		case p.Type == "text" && !p.Synthetic:
			text += "\n" + p.Text
		case p.Type == "tool":
			a.Turn.call(Tool{
				ID: p.CallID, Name: p.Tool, Input: inputOf(p.State.Input),
				Files: filesOf(p.Tool, p.State.Input),
			})
			row.rejected = p.State.Status == "error" && strings.HasPrefix(textOf(p.State.Error), opencodeRejected)
			if p.State.Status == "completed" || p.State.Status == "error" {
				a.Turn.answer(p.CallID, textOf(p.State.Output)+textOf(p.State.Error), p.State.Status == "error")
			}
		}
	}
	if m.Role == "user" {
		a.begin(text, at)
		return
	}
	a.Turn.say(text, at)
	a.Turn.Complete = m.Finish != "" && m.Finish != "tool-calls" && a.Turn.Message != ""
	a.Turn.Interrupted = row.rejected && m.Time.Completed > 0
	if m.Model != "" {
		a.Model = m.Model
	}
	t := m.Tokens
	if used := t.Input + t.Output + t.Reasoning + t.Cache.Read + t.Cache.Write; used > 0 {
		a.Usage.Tokens = used
	}
	if m.Error != nil {
		a.Turn.Interrupted = m.Error.Name == "MessageAbortedError"
		a.Turn.Complete = false
		if !a.Turn.Interrupted {
			a.Turn.Failed = m.Error.Data.Message
		}
	}
}
