package transcript

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/plainfile"
)

// Writer is an agent that may keep a transcript.
type Writer struct {
	core.PaneRef
	// Dir is the folder in which it works. Started is when it was started; zero if unknown.
	Dir     string
	Started time.Time
	// Record is the path of its transcript, Own its own id of its session; empty if
	// unknown. Certain is true if the transcript cannot be another agent's.
	Record, Own string
	Certain     bool
}

// Place is what is known about an agent whose transcript is to be found.
type Place struct {
	Kind core.Kind
	// Env returns a variable of the environment of the agent's process; empty
	// where it has none.
	Env func(name string) string
	// Dir is the folder in which the agent works.
	Dir string
	// Session is the id of its session; empty if unknown.
	Session string
	// Launched is the id of the session that it was started with; it may have changed to
	// another since. Empty if unknown.
	Launched string
	// Asked returns known prompts to the agent since it was started, the newest first; nil
	// returns none. It is called only if nothing else identifies the transcript.
	Asked func() []string
	// Open are the files that its processes hold open.
	Open []string
	// Started is when it was started: a transcript that was not written since then belongs
	// to another agent. Zero means unknown.
	Started time.Time
	// Peers returns the places of the other agents of its kind in its folder; nil returns
	// none. It is called only if nothing else identifies the transcript.
	Peers func() []Place

	// whole is true if more than the last turns are to be read.
	whole bool
}

// Read finds the transcript of an agent and reads it. It returns ErrNone for kinds that
// keep none, and if there is none yet.
func Read(ctx context.Context, place Place) (Account, error) {
	kind, ok := kinds[place.Kind]
	if !ok || place.Env == nil {
		return Account{}, ErrNone
	}
	if kind.newReader == nil {
		path := kind.find(&place)
		if len(path) == 0 {
			return Account{}, ErrNone
		}
		return readDatabase(ctx, path[0], &place)
	}
	path, certain := place.choose(kind)
	if path == "" {
		return Account{}, ErrNone
	}
	told, err := readLines(path, place.whole, kind.newReader)
	if err != nil {
		return Account{}, err
	}
	told.Path, told.Certain = path, certain
	if id := kind.session(path); id != "" {
		told.Session = id
	}
	if kind.begun != nil {
		told.Begun = kind.begun(path)
	}
	return told, nil
}

// ReadTurns is Read, but reads as many turns as are read at all: those in the last 16 MiB of a file, or in the last
// 200 messages of a database.
func ReadTurns(ctx context.Context, place Place) (Account, error) {
	place.whole = true
	return Read(ctx, place)
}

// Find returns the path of an agent's transcript and the id of its session, without reading
// it; empty if unknown. certain is true if no other agent can have written it.
func Find(place Place) (path, session string, certain bool) {
	kind, ok := kinds[place.Kind]
	switch {
	case !ok || place.Env == nil:
		return "", place.Session, false
	case kind.newReader == nil:
		if found := kind.find(&place); len(found) > 0 {
			path = found[0]
		}
		return path, place.Session, place.Session != ""
	}
	path, certain = place.choose(kind)
	if session = place.Session; session == "" && certain {
		session = kind.session(path)
	}
	return path, session, certain
}

// ReadPath reads a transcript that Find found; session selects the session in a file that
// contains several.
func ReadPath(ctx context.Context, kind core.Kind, path, session string) (Account, error) {
	storage, ok := kinds[kind]
	switch {
	case !ok:
		return Account{}, ErrNone
	case storage.newReader == nil:
		return readDatabase(ctx, path, &Place{Kind: kind, Session: session})
	}
	told, err := readLines(path, false, storage.newReader)
	told.Path, told.Certain = path, err == nil
	return told, err
}

// Tidy removes transcripts without messages of sessions that also have another transcript.
// Some kinds write such files, and delete the whole session when they find one at their
// start.
func Tidy(place Place) error {
	kind := kinds[place.Kind]
	if kind.tidy == nil || place.Env == nil {
		return nil
	}
	return kind.tidy(&place)
}

// Keeps reports whether agents of a kind keep a transcript that this package can read.
func Keeps(kind core.Kind) bool {
	_, ok := kinds[kind]
	return ok
}

// storage is how one agent kind keeps its records.
type storage struct {
	// find returns the records that may be the agent's.
	find func(*Place) []string
	// newReader is nil for kinds with a database.
	newReader func() lineReader
	// session returns the id of a record's session where its path has it.
	session func(path string) string
	// begun returns when a record's session began; nil where that does not matter.
	begun func(path string) time.Time
	// tidy takes away records that say nothing of sessions that have others; nil where
	// there are none.
	tidy func(*Place) error
}

var kinds = map[core.Kind]storage{
	"claude": {find: claudeRecords, newReader: func() lineReader { return &claudeReader{} }, session: stem},
	"codex":  {find: codexRecords, newReader: func() lineReader { return &codexReader{} }, session: codexSession},
	"gemini": {
		find: geminiRecords, newReader: newGeminiReader, session: func(string) string { return "" }, begun: geminiBegun,
		tidy: geminiTidy,
	},
	"qwen": {find: qwenRecords, newReader: func() lineReader { return &qwenReader{} }, session: stem},
	"copilot": {
		find: copilotRecords, newReader: func() lineReader { return &copilotReader{} },
		session: func(path string) string { return filepath.Base(filepath.Dir(path)) },
	},
	"opencode": {find: opencodeRecords},
}

// choose returns the record that is the agent's: one that its process holds
// open, that its session names, that holds what it was asked, or the last one written
// that is no peer's. The last is certain where no other one was written since the agent
// was started, and no peer can have written that one.
func (p *Place) choose(kind storage) (path string, certain bool) {
	records := kind.find(p)
	said := func(record string) []string { return promptsOf(record, kind.newReader) }
	for _, record := range records {
		if slices.Contains(p.Open, record) {
			return record, true
		}
	}
	if p.Session != "" {
		path = newest(records, p.Session, said)
		return path, path != ""
	}
	peers := p.peers(kind, records)
	written := writtenSince(records, p.Started)
	written = slices.DeleteFunc(written, func(record string) bool { return slices.Contains(peers.taken, record) })
	own := newest(records, p.Launched, said)
	asked := p.asked()
	switch i, one := asked.only(written, said); {
	case own != "" && (i < 0 || !one || written[i] == own):
		return own, true
	case i >= 0:
		return written[i], one
	case len(written) == 0:
		return "", false
	}
	return written[0], len(written) == 1 && !peers.rival && len(asked) == 0
}

// newest returns the record of a session that was written last, of several the one in
// which something was said; empty without one.
func newest(records []string, session string, said func(record string) []string) string {
	if session == "" {
		return ""
	}
	own := slices.DeleteFunc(slices.Clone(records), func(record string) bool { return !named(record, session) })
	if own = writtenSince(own, time.Time{}); len(own) == 0 {
		return ""
	}
	// Gemini begins another record when a session is taken up, and goes on in the first.
	for _, record := range own {
		if len(own) > 1 && len(said(record)) > 0 {
			return record
		}
	}
	return own[0]
}

// writtenSince returns those records that were written since a time, the newest first.
func writtenSince(records []string, since time.Time) []string {
	at := map[string]time.Time{}
	for _, record := range records {
		if info, err := os.Stat(record); err == nil && !info.ModTime().Before(since) {
			at[record] = info.ModTime()
		}
	}
	return slices.SortedFunc(maps.Keys(at), func(a, b string) int { return at[b].Compare(at[a]) })
}

// peerRecords holds the records of an agent's peers, and whether the record of one of
// them is unknown.
type peerRecords struct {
	taken []string
	rival bool
}

// peers returns the records that belong to peers with the same storage.
func (p *Place) peers(kind storage, records []string) (found peerRecords) {
	if p.Peers == nil || len(records) == 0 {
		return peerRecords{}
	}
	for _, peer := range p.Peers() {
		theirs := kind.find(&peer)
		if !slices.ContainsFunc(theirs, func(record string) bool { return slices.Contains(records, record) }) {
			continue
		}
		i := slices.IndexFunc(theirs, func(record string) bool {
			return slices.Contains(peer.Open, record) || peer.known() != "" && named(record, peer.known())
		})
		if i >= 0 {
			found.taken = append(found.taken, theirs[i])
		}
		found.rival = found.rival || i < 0 && peer.known() == ""
	}
	return found
}

// known is the best that is known of the session without reading any.
func (p *Place) known() string { return cmp.Or(p.Session, p.Launched) }

// named reports whether a record's path holds the id of a session, or its first eight
// characters, which Gemini uses in names.
func named(path, session string) bool {
	if strings.Contains(path, session) {
		return true
	}
	const short = 8
	return len(session) > short && strings.HasSuffix(strings.TrimSuffix(stem(path), ".jsonl"), "-"+session[:short])
}

// stem is a file's name without its extension.
func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// home is a path in the folder in which the agent keeps what is its own.
func (p *Place) home(below ...string) string { return agent.Home(p.Kind, p.Env, below...) }

// listed are the files that a pattern below a folder finds; none without one.
func listed(folder string, pattern ...string) []string {
	if folder == "" {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(append([]string{escapeGlob(folder)}, pattern...)...))
	if err != nil {
		return nil
	}
	return found
}

// escapeGlob makes a pattern that only matches the path itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// dashed is a path as Claude and Qwen make a folder's name of it.
func dashed(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

func claudeRecords(p *Place) []string {
	root := p.home("projects")
	if p.Session != "" {
		// A session keeps the folder of its start when the agent goes elsewhere.
		if found := listed(root, "*", escapeGlob(p.Session)+".jsonl"); len(found) > 0 {
			return found
		}
	}
	return listed(root, dashed(p.Dir), "*.jsonl")
}

// codexMost bounds how many rollouts are looked into for their folder.
const codexMost = 50

func codexRecords(p *Place) []string {
	root := p.home("sessions")
	var open []string
	for _, path := range p.Open {
		if strings.HasPrefix(filepath.Base(path), "rollout-") && filepath.Ext(path) == ".jsonl" {
			open = append(open, path)
		}
	}
	if len(open) > 0 {
		return open
	}
	if p.Session != "" {
		return listed(root, "*", "*", "*", "rollout-*-"+escapeGlob(p.Session)+".jsonl")
	}
	found := listed(root, "*", "*", "*", "rollout-*.jsonl")
	// Names sort by date.
	slices.Sort(found)
	found = found[max(0, len(found)-codexMost):]
	return slices.DeleteFunc(found, func(path string) bool {
		var meta struct{ Payload struct{ Cwd string } }
		return json.Unmarshal(firstLine(path, 1<<20), &meta) != nil || meta.Payload.Cwd != p.Dir
	})
}

// codexSession is the id at the end of a rollout's name.
func codexSession(path string) string {
	const id = 36
	name := stem(path)
	if len(name) < id || strings.Count(name[len(name)-id:], "-") != 4 {
		return ""
	}
	return name[len(name)-id:]
}

func geminiRecords(p *Place) []string {
	root := p.home("tmp")
	var found []string
	for _, mark := range listed(root, "*", ".project_root") {
		if dir, err := plainfile.Read(mark, plainfile.Text); err == nil && strings.TrimSpace(string(dir)) == p.Dir {
			found = append(found, listed(filepath.Dir(mark), "chats", "session-*.json*")...)
		}
	}
	return found
}

func qwenRecords(p *Place) []string {
	return listed(p.home("projects"), dashed(p.Dir), "chats", "*.jsonl")
}

func copilotRecords(p *Place) []string {
	found := listed(p.home("session-state"), "*", "events.jsonl")
	return slices.DeleteFunc(found, func(path string) bool {
		var start struct {
			Data struct{ Context struct{ Cwd string } }
		}
		return json.Unmarshal(firstLine(path, 1<<20), &start) != nil || start.Data.Context.Cwd != p.Dir
	})
}

func opencodeRecords(p *Place) []string {
	for _, path := range p.Open {
		if filepath.Base(path) == "opencode.db" {
			return []string{path}
		}
	}
	return listed(p.home(), "opencode.db")
}
