package transcript

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
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

// openDatabase opens OpenCode's database read-only.
func openDatabase(path string) (*sql.DB, error) {
	query := url.Values{
		"mode":    {"ro"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", opencodeBusy.Milliseconds()), "query_only(1)"},
	}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String())
}

// Query runs a query on OpenCode's database, which it opens read-only, and scans each row into dest. An error ends it.
func Query(ctx context.Context, path, query string, args []any, dest ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		db, err := openDatabase(path)
		if err != nil {
			yield(err)
			return
		}
		defer db.Close() //nolint:errcheck // nothing was written
		queryRows(ctx, db, query, args, dest...)(yield)
	}
}

// queryRows is Query on a database that is open.
func queryRows(ctx context.Context, db *sql.DB, query string, args []any, dest ...any) iter.Seq[error] {
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

// readSession reads a session in a database.
func readSession(ctx context.Context, path, session string, whole bool) (Account, error) {
	db, err := openDatabase(path)
	if err != nil {
		return Account{}, err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	result := Account{Identity: Identity{Path: path, Session: session, Certain: session != ""}}
	const query = `select id, time_created, data from message where session_id = ?
		order by time_created desc, id desc limit ?`
	var messages []opencodeRow
	var id string
	var at int64
	var data []byte
	for err := range queryRows(ctx, db, query, []any{result.Session, opencodeMessages}, &id, &at, &data) {
		if err != nil {
			return Account{}, err
		}
		row := opencodeRow{id: id, at: at}
		if json.Unmarshal(data, &row.message) != nil {
			continue
		}
		messages = append(messages, row)
		// A prompt that nothing follows yet leads to the turn before.
		if row.message.Role == "user" && len(messages) > 1 && !whole {
			break
		}
	}
	slices.Reverse(messages)
	for i := range messages {
		if err := result.opencode(ctx, db, &messages[i]); err != nil {
			return Account{}, err
		}
	}
	result.interruptQueued(messages)
	return result, nil
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

// sessionsIn returns the sessions of an agent's folder that changed since it was started, and those that it names,
// the last changed one first. Sessions with a parent belong to sub-agents: their ids are in spawned.
func sessionsIn(ctx context.Context, path string, place *Subject) (records []*record, spawned []string, err error) {
	const query = `select id, coalesce(parent_id, ''), time_updated from session
		where directory = ?1 and time_updated >= ?2 or id in (?3, ?4) order by time_updated desc limit ?5`
	var since int64
	if !place.Started.IsZero() {
		since = place.Started.UnixMilli()
	}
	var id, parent string
	var updated int64
	for err := range Query(ctx, path, query,
		[]any{place.Dir, since, place.Session, place.Launched, mostRecords}, &id, &parent, &updated) {
		switch session := id; {
		case err != nil:
			return nil, nil, err
		case parent != "":
			spawned = append(spawned, id)
		default:
			records = append(records, &record{
				path: path, id: session, grown: time.UnixMilli(updated),
				read: func(time.Time) []prompt { return opencodePrompts(ctx, path, session) },
			})
		}
	}
	return records, spawned, nil
}

// opencodePrompts returns the last prompts of a session, in order.
func opencodePrompts(ctx context.Context, path, session string) (prompts []prompt) {
	const query = `select m.time_created, p.data from part p join message m on m.id = p.message_id
		where m.session_id = ? and json_extract(m.data, '$.role') = 'user' order by m.time_created desc, p.id limit ?`
	var at int64
	var data []byte
	for err := range Query(ctx, path, query, []any{session, 4 * askedMost}, &at, &data) {
		var p opencodePart
		if err == nil && json.Unmarshal(data, &p) == nil && p.Type == "text" && !p.Synthetic {
			prompts = append(prompts, prompt{text: p.Text, at: time.UnixMilli(at).UTC()})
		}
	}
	slices.Reverse(prompts)
	return prompts
}

// opencode takes in one message with its parts.
func (a *Account) opencode(ctx context.Context, db *sql.DB, row *opencodeRow) error {
	var found []opencodePart
	var data []byte
	const parts = `select data from part where message_id = ? order by id`
	for err := range queryRows(ctx, db, parts, []any{row.id}, &data) {
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
			a.Turn.call(p.CallID, p.Tool, p.State.Input)
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
	a.Model = cmp.Or(m.Model, a.Model)
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
