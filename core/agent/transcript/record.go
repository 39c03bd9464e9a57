package transcript

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
)

// mostRecords bounds how many records are looked into for an agent's.
const mostRecords = 100

// record is a conversation on record: a file, or a session of a database.
type record struct {
	path string
	// id is the id of its session; empty if only the file says it.
	id string
	// grown is when it was last written.
	grown time.Time
	// begins is when its session began; zero if unknown.
	begins time.Time
	// aside is true if it was written by a run without a terminal.
	aside bool
	// read returns its prompts since a time, and perhaps older ones.
	read func(since time.Time) []prompt

	// known are its prompts since depth.
	known   []prompt
	depth   time.Time
	started bool
}

// key is a text that no other record has.
func (r *record) key() string { return r.path + "#" + r.id }

// same reports whether both are records of one session.
func (r *record) same(other *record) bool { return r.id != "" && r.id == other.id }

// named reports whether it is a record of a session.
func (r *record) named(session string) bool {
	return session != "" && (r.id == session || r.id == "" && strings.Contains(r.path, session))
}

// prompts returns its prompts since a time, and perhaps older ones.
func (r *record) prompts(since time.Time) []prompt {
	if !r.started || since.Before(r.depth) {
		r.started, r.depth, r.known = true, since, r.read(since)
	}
	return r.known
}

// took reports whether it holds a prompt.
func (r *record) took(p core.TakenPrompt) bool {
	return slices.ContainsFunc(r.prompts(p.Sent.Add(-clockSkew)), func(of prompt) bool { return of.is(p.Text, p.Sent) })
}

// holds reports whether it holds a prompt with its time, as a record does that was forked.
func (r *record) holds(p prompt) bool {
	return !p.at.IsZero() && slices.ContainsFunc(r.prompts(p.at), func(own prompt) bool {
		return own.text == p.text && own.at.Equal(p.at)
	})
}

// last returns its last prompt; the zero prompt without one.
func (r *record) last() prompt {
	prompts := r.prompts(always)
	if len(prompts) == 0 {
		return prompt{}
	}
	return prompts[len(prompts)-1]
}

// after reports whether the prompt was given after a time; grown is when its record was last written.
func (p prompt) after(at, grown time.Time) bool {
	return p.text != "" && (p.at.After(at) || p.at.IsZero() && grown.After(at))
}

// fit describes the record for a user who has to choose.
func (r *record) fit() Fit {
	last := r.last()
	return Fit{Session: r.id, Path: r.path, Prompt: core.Excerpt(last.text), At: cmp.Or(last.at, r.grown.UTC())}
}

// newestFirst sorts records by when something was last asked in them.
func newestFirst(records []*record) []*record {
	at := func(r *record) time.Time { return cmp.Or(r.last().at, r.grown) }
	if len(records) > 1 {
		slices.SortStableFunc(records, func(a, b *record) int { return at(b).Compare(at(a)) })
	}
	return records
}

// distinct returns one record of each session, of several the one in which something was said last.
func distinct(records []*record) []*record {
	var found []*record
	for _, r := range records {
		if r.id == "" || !slices.ContainsFunc(found, r.same) {
			found = append(found, append(ofSession(records, r.id), r)[0])
		}
	}
	return found
}

// ofSession returns the record of a session, if there is one: of several the one in which something was said last.
func ofSession(records []*record, session string) []*record {
	var own []*record
	for _, r := range records {
		if r.named(session) {
			own = append(own, r)
		}
	}
	// Gemini starts another record when a session is resumed, and continues in the first.
	for _, r := range own {
		if len(own) > 1 && r.last().text != "" {
			return []*record{r}
		}
	}
	return own[:min(1, len(own))]
}

// head holds the facts at the start of a record.
type head struct {
	// Session is its id, Dir the folder of its agent; empty if the record does not have it.
	Session, Dir string
	// Spawned is true if a sub-agent wrote it, Aside if it is of a run without a terminal.
	Spawned, Aside bool
	// Started is when the session began; zero if it does not say that.
	Started time.Time
}

// records returns the records that may be an agent's, the one written last first, and the ids of the sessions of
// sub-agents. A record that was not written since the agent was started counts only if the agent names it or holds it
// open.
func (p *Subject) records(ctx context.Context, kind storage) (records []*record, spawned []string, err error) {
	if kind.newReader == nil {
		if files := kind.find(p); len(files) > 0 {
			return sessionsIn(ctx, files[0], p)
		}
		return nil, nil, nil
	}
	known := func(path string) bool {
		return slices.Contains(p.Open, path) || named(path, p.Session) || named(path, p.Launched)
	}
	grown := map[string]time.Time{}
	paths := slices.DeleteFunc(kind.find(p), func(path string) bool {
		info, err := os.Stat(path)
		if err != nil {
			return true
		}
		grown[path] = info.ModTime()
		return info.ModTime().Before(p.Started) && !known(path)
	})
	slices.SortStableFunc(paths, func(a, b string) int { return grown[b].Compare(grown[a]) })
	for i, path := range paths {
		if i >= mostRecords && !known(path) {
			continue
		}
		first := kind.head(path)
		switch {
		case first.Spawned:
			spawned = append(spawned, first.Session)
		case first.Dir == "" || first.Dir == p.Dir || known(path):
			records = append(records, &record{
				path: path, id: cmp.Or(first.Session, p.idOf(path)), grown: grown[path], begins: first.Started,
				aside: first.Aside,
				read:  func(since time.Time) []prompt { return promptsOf(path, since, kind.newReader) },
			})
		}
	}
	return records, spawned, nil
}

// idOf returns which of the agent's known sessions a record's path names; empty if none.
func (p *Subject) idOf(path string) string {
	for _, session := range []string{p.Session, p.Launched} {
		if named(path, session) {
			return session
		}
	}
	return ""
}

// named reports whether a record's path holds the id of a session, or its first eight
// characters, which Gemini uses in names.
func named(path, session string) bool {
	if session == "" {
		return false
	}
	const short = 8
	return strings.Contains(path, session) ||
		len(session) > short && strings.HasSuffix(strings.TrimSuffix(stem(path), ".jsonl"), "-"+session[:short])
}

// promptsOf returns the prompts in the end of a record of lines: those since a time, and perhaps older ones.
func promptsOf(path string, since time.Time, fresh func() lineReader) (prompts []prompt) {
	_ = fromEnd(path, time.Time{}, func(text []byte) bool {
		s := fresh()
		for line := range strings.Lines(string(text)) {
			s.line([]byte(line))
		}
		result, _ := s.account()
		prompts = result.prompts
		return len(prompts) >= askedMost || len(prompts) > 0 && !prompts[0].at.IsZero() && prompts[0].at.Before(since)
	})
	return prompts
}

// firstLine reads a JSON object from the first line of a file into a value, and reports whether there is one.
func firstLine(path string, into any) bool {
	const limit = 1 << 20
	file, err := plainfile.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	line, err := bufio.NewReader(io.LimitReader(file, limit)).ReadBytes('\n')
	return (err == nil || errors.Is(err, io.EOF)) && json.Unmarshal(line, into) == nil
}
