package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
)

// Writer is an agent that may keep a transcript. Its Kind is the kind of the program, shown by screen or by protocol.
type Writer struct {
	core.PaneRef
	// Dir is the folder in which it works. Started is when it was started; zero if unknown.
	Dir     string
	Started time.Time
	// Record is the path of its transcript, Own its own id of its session; empty if
	// unknown. Certain is true if the transcript cannot be another agent's.
	Record, Own string
	Certain     bool
	// Earlier are the ids of the sessions in which it was before.
	Earlier []string
}

// Subject describes an agent whose transcript is to be found.
type Subject struct {
	Kind core.Kind
	// Env returns a variable of the environment of the agent's process; empty
	// where it has none.
	Env func(name string) string
	// Dir is the folder in which the agent works.
	Dir string
	// Session is the id of the session that the agent itself named, and Named when it did; the zero time means
	// that it names it now. Empty if it names none.
	Session string
	Named   time.Time
	// Launched is the id of the session that it was started with; it may have changed to
	// another since. Empty if unknown.
	Launched string
	// Asked returns the prompts that the agent is known to have taken since it was started, the newest first;
	// nil returns none.
	Asked func() []core.TakenPrompt
	// Shown returns where the agent's screen shows some prompts, a higher number for what is further down, and a
	// negative one for a prompt that it does not show. It may be nil, and is called only if several transcripts fit.
	Shown func(prompts []string) []int
	// Command reports whether the agent takes a text for a command, which is on no record; nil takes none for one.
	Command func(text string) bool
	// Screen returns the words that the agent's screen shows above its composer, and false if none is drawn. It may
	// be nil, and is called only if nothing else shows whether the agent has started another conversation.
	Screen func() (words string, composed bool)
	// Now is the time at which the agent is looked at; zero is the present.
	Now time.Time
	// Processes are the agent's processes, and Open the files that they hold open.
	Processes []process.Proc
	Open      []string
	// Started is when it was started: a transcript that was not written since then belongs
	// to another agent. Zero means unknown.
	Started time.Time
	// Peers returns the places of the other agents of its kind in its folder; nil returns
	// none.
	Peers func() []*Subject

	// whole is true if more than the last turns are to be read.
	whole bool
	// memo, if not nil, keeps what is known of the agent alone.
	memo *memo
}

// Read finds the transcript of an agent and reads it. It returns ErrNone for kinds that
// keep none, and if there is none yet; what is known of its identity is in the Account all the same.
func Read(ctx context.Context, place *Subject) (Account, error) {
	found, err := Identify(ctx, place)
	if err != nil {
		return Account{}, err
	}
	if found.Path == "" {
		return Account{Identity: found}, ErrNone
	}
	kind, _ := storageOf(place.Kind)
	var result Account
	if kind.newReader == nil {
		result, err = readSession(ctx, found.Path, found.Session, place.whole)
	} else {
		result, err = readLines(found.Path, place.whole, kind.newReader)
	}
	if err != nil {
		return Account{}, err
	}
	found.Session = cmp.Or(found.Session, result.Session)
	result.Identity = found
	if kind.head != nil {
		result.Started = kind.head(found.Path).Started
	}
	return result, nil
}

// ReadTurns is Read, but reads as many turns as are read at all: those in the last 16 MiB of a file, or in the last
// 200 messages of a database.
func ReadTurns(ctx context.Context, place *Subject) (Account, error) {
	whole := *place
	whole.whole = true
	return Read(ctx, &whole)
}

// ReadPath reads a transcript that Identify found; session selects the session in a file that
// contains several.
func ReadPath(ctx context.Context, kind core.Kind, path, session string) (Account, error) {
	storage, ok := storageOf(kind)
	switch {
	case !ok:
		return Account{}, ErrNone
	case storage.newReader == nil:
		return readSession(ctx, path, session, false)
	}
	result, err := readLines(path, false, storage.newReader)
	result.Path, result.Certain = path, err == nil
	return result, err
}

// Tidy keeps agents of a kind that clear away sessions at their start from clearing away one with messages: it removes
// transcripts without messages of sessions that also have another one, and restores the headings of transcripts that
// lost theirs in this way, by the sessions of the agent and its peers.
func Tidy(place *Subject) error {
	kind, _ := storageOf(place.Kind)
	if kind.tidy == nil || place.Env == nil {
		return nil
	}
	return kind.tidy(place)
}

// Started returns when a session of an agent's folder began; zero if that is not on record.
func Started(place *Subject, session string) (started time.Time) {
	kind, _ := storageOf(place.Kind)
	if kind.head == nil || place.Env == nil {
		return time.Time{}
	}
	for _, path := range kind.find(place) {
		first := kind.head(path)
		if first.Session == session && !first.Started.IsZero() && (started.IsZero() || first.Started.Before(started)) {
			started = first.Started
		}
	}
	return started
}

// Keeps reports whether agents of a kind keep a transcript that this package can read.
func Keeps(kind core.Kind) bool {
	_, ok := storageOf(kind)
	return ok
}

// storage finds and reads records of one layout.
type storage struct {
	// folders of an agent's home hold the records; is distinguishes these from other files there, and is nil for a
	// database, which has the name of the kind.
	folders []string
	is      func(path string) bool
	// project is the folder that a record is about which does not say it itself; nil for none.
	project func(path string) string
	// find returns the files that may hold the agent's records.
	find func(*Subject) []string
	// newReader is nil for kinds with a database.
	newReader func() lineReader
	// head reads the beginning of a record.
	head func(path string) head
	// live returns the session that a file names which the agent keeps while it runs, and since when it does, which is
	// zero if it always names the present one; empty if there is none. It is nil for kinds without such a file.
	live func(*Subject) (session string, since time.Time)
	// locks returns when the agent locked the sessions in which its process is or was; nil for kinds that lock none.
	locks func(*Subject) map[string]time.Time
	// tidy does what Tidy does; nil where there is nothing to do.
	tidy func(*Subject) error
}

// formats are how records are kept.
var formats = map[agent.Format]storage{
	agent.FormatClaude: {
		folders: []string{"projects"}, is: ends(".jsonl"),
		find: claudeRecords, newReader: readerOf[claudeReader], head: claudeHead,
	},
	agent.FormatCodex: {
		folders: []string{"sessions", "archived_sessions"}, is: begins("rollout-", ".jsonl"),
		find: codexRecords, newReader: readerOf[codexReader], head: codexHead,
		locks: codexLocks,
	},
	agent.FormatGemini: {
		folders: []string{"tmp"}, is: begins("session-", ".jsonl", ".json"), project: geminiProject,
		find: geminiRecords, newReader: readerOf[geminiReader], head: geminiHead, tidy: geminiTidy,
	},
	agent.FormatQwen: {
		folders: []string{"projects"}, is: ends(".jsonl"),
		find: qwenRecords, newReader: readerOf[qwenReader], head: qwenHead, live: qwenLive,
	},
	agent.FormatCopilot: {
		folders: []string{"session-state"}, is: ends("events.jsonl"),
		find: copilotRecords, newReader: readerOf[copilotReader], head: copilotHead,
		live: copilotLive, locks: copilotLocks,
	},
	agent.FormatOpenCode: {folders: []string{"."}, find: opencodeRecords},
	agent.FormatPi: {
		folders: []string{"sessions"}, is: ends(".jsonl"),
		find: piRecords, newReader: readerOf[piReader], head: piHead,
	},
}

// storageOf returns the storage of a kind; ok is false for kinds without records.
func storageOf(kind core.Kind) (how storage, ok bool) {
	how, ok = formats[agent.NativeOf(kind).Records]
	return how, ok
}

// stem is a file's name without its extension.
func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// home is a path in the folder in which the agent keeps what is its own.
func (p *Subject) home(below ...string) string { return agent.HomeOf(p.Kind, p.Env, below...) }

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

func claudeRecords(p *Subject) []string {
	root := p.home("projects")
	found := listed(root, dashed(p.Dir), "*.jsonl")
	for _, session := range []string{p.Session, p.Launched} {
		// A session keeps the folder of its start when the agent changes to another folder.
		found = withSession(found, session, func() []string { return listed(root, "*", escapeGlob(session)+".jsonl") })
	}
	return found
}

// withSession adds the records of a session, which list returns, to those that were found, unless one is among them.
func withSession(found []string, session string, list func() []string) []string {
	if session == "" || slices.ContainsFunc(found, func(path string) bool { return named(path, session) }) {
		return found
	}
	return append(found, list()...)
}

// claudeHead knows records of sub-agents by their names, which older versions put beside the others.
func claudeHead(path string) head {
	session, spawned := strings.CutPrefix(stem(path), "agent-")
	return head{Session: session, Spawned: spawned}
}

// codexMost bounds how many rollouts are looked into for their folder.
const codexMost = 50

func codexRecords(p *Subject) []string {
	root := p.home("sessions")
	found := listed(root, "*", "*", "*", "rollout-*.jsonl")
	// Names sort by date.
	slices.Sort(found)
	recent := found[max(0, len(found)-codexMost):]
	for _, session := range []string{p.Session, p.Launched} {
		recent = withSession(recent, session, func() []string {
			return slices.DeleteFunc(slices.Clone(found), func(path string) bool { return !named(path, session) })
		})
	}
	for _, path := range p.Open {
		if strings.HasPrefix(filepath.Base(path), "rollout-") && filepath.Ext(path) == ".jsonl" &&
			!slices.Contains(recent, path) {
			recent = append(recent, path)
		}
	}
	return recent
}

// codexHead reads what a rollout says of itself. It is named after its session.
func codexHead(path string) head {
	var meta struct {
		Payload struct {
			Cwd     string          `json:"cwd"`
			Source  json.RawMessage `json:"source"`
			Thread  string          `json:"thread_source"`
			Parent  string          `json:"parent_thread_id"`
			Started string          `json:"timestamp"`
		} `json:"payload"`
	}
	found := head{Session: codexSession(path)}
	if !firstLine(path, &meta) {
		return found
	}
	found.Dir, found.Started = meta.Payload.Cwd, moment(meta.Payload.Started)
	found.Spawned = meta.Payload.Thread == "subagent" || meta.Payload.Parent != "" ||
		bytes.Contains(meta.Payload.Source, []byte(`"subagent"`))
	found.Aside = string(meta.Payload.Source) == `"exec"`
	return found
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

// codexLocks reads the locks of the sessions in which the process writes. It locks a session before anything of
// it is on
// record, and keeps the lock when it leaves the session.
func codexLocks(p *Subject) map[string]time.Time {
	folder, locks := p.home("thread-writer-locks"), map[string]time.Time{}
	for _, path := range p.Open {
		if filepath.Dir(path) != folder {
			continue
		}
		if info, err := os.Stat(path); err == nil {
			locks[stem(path)] = info.ModTime()
		}
	}
	return locks
}

func geminiRecords(p *Subject) []string {
	root := p.home("tmp")
	var found []string
	for _, mark := range listed(root, "*", ".project_root") {
		if dir, err := plainfile.Read(mark, plainfile.Text); err == nil && strings.TrimSpace(string(dir)) == p.Dir {
			found = append(found, listed(filepath.Dir(mark), "chats", "session-*.json*")...)
		}
	}
	return found
}

// geminiHead reads the heading of a record, its first line, which has a kind if a sub-agent wrote it.
func geminiHead(path string) head {
	var first geminiHeading
	if !firstLine(path, &first) {
		return head{}
	}
	if first.SessionID == "" {
		first = lostHeading(path)
	}
	return head{
		Session: first.SessionID, Started: moment(first.StartTime), Spawned: first.Kind != "" && first.Kind != "main",
	}
}

func qwenRecords(p *Subject) []string {
	return listed(p.home("projects"), dashed(p.Dir), "chats", "*.jsonl")
}

func qwenHead(path string) head { return head{Session: stem(path)} }

// qwenLive reads the file that newer versions keep for each process.
func qwenLive(p *Subject) (session string, since time.Time) {
	for _, proc := range p.Processes {
		var file struct{ ProcStart, SessionID string }
		pid, root := process.Nested(proc.PID)
		text, err := plainfile.Read(root+p.home("sessions", strconv.Itoa(pid)+".json"), plainfile.Text)
		// After a crash it stays, and another process may get the number.
		if err == nil && json.Unmarshal(text, &file) == nil && file.SessionID != "" &&
			strings.HasSuffix(file.ProcStart, ":"+strconv.FormatUint(proc.Start, 10)) {
			return file.SessionID, time.Time{}
		}
	}
	return "", time.Time{}
}

func copilotRecords(p *Subject) []string { return listed(p.home("session-state"), "*", "events.jsonl") }

// copilotHead reads in which folder a session began. Its sub-agents write to the same record.
func copilotHead(path string) head {
	var start struct {
		Data struct {
			Context   struct{ Cwd string }
			StartTime string
		}
	}
	firstLine(path, &start)
	// A record without a folder is no agent's: the folder is one that no agent has.
	return head{
		Session: filepath.Base(filepath.Dir(path)), Dir: cmp.Or(start.Data.Context.Cwd, "?"),
		Started: moment(start.Data.StartTime),
	}
}

// copilotLocks reads the locks in the folders of the sessions that the agent holds: it keeps those that it left with
// /new, and gives up the one that it left with /clear.
func copilotLocks(p *Subject) map[string]time.Time {
	pattern, locks := filepath.Join(escapeGlob(p.home("session-state")), "*", "inuse.*.hold"), map[string]time.Time{}
	for _, path := range p.Open {
		if is, err := filepath.Match(pattern, path); !is || err != nil {
			continue
		}
		if info, err := os.Stat(path); err == nil {
			locks[filepath.Base(filepath.Dir(path))] = info.ModTime()
		}
	}
	return locks
}

// copilotLive returns the session that the agent locked last.
func copilotLive(p *Subject) (session string, since time.Time) {
	for id, at := range copilotLocks(p) {
		if session == "" || at.After(since) {
			session, since = id, at
		}
	}
	return session, since
}

// opencodeRecords is the database of OpenCode, or of Kilo, which is built on it.
func opencodeRecords(p *Subject) []string {
	name := string(p.Kind) + ".db"
	for _, path := range p.Open {
		if filepath.Base(path) == name {
			return []string{path}
		}
	}
	return listed(p.home(), name)
}
