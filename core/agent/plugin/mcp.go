package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config/tomlfile"
	"cupola/core/system/textfile"
)

// serverName is Cupola's name among an agent's MCP servers.
const serverName = "cupola"

// serverEntry is Cupola among the MCP servers in an agent's configuration.
type serverEntry struct {
	spec agent.MCP
	file string
	// server is configured; entry is its value there, as JSON.
	server agent.MCPServer
	entry  string
}

// written says how the entry is written in a text.
func (s *serverEntry) written() servers {
	if s.isTOML() {
		return &tomlServers{s.spec.Table, s.entry}
	}
	return &jsonServers{s.spec.Table, s.entry}
}

// servers are the MCP servers in the text of a configuration.
type servers interface {
	// find returns the entry of Cupola as JSON; empty if there is none.
	find(text string) (string, error)
	// with adds the entry, and without takes it out and reports whether anything is left.
	with(text string) (string, error)
	without(text string) (rest string, left bool, err error)
}

// status looks at the entry in the configuration.
func (s *serverEntry) status() (Status, error) {
	text, err := textfile.Read(s.file)
	if err != nil || text == nil {
		return Status{State: Absent}, err
	}
	return s.statusOf(string(text))
}

func (s *serverEntry) statusOf(text string) (Status, error) {
	found, err := s.written().find(text)
	switch {
	case err != nil:
		return Status{}, s.undecoded(err)
	case found == "":
		return Status{State: Absent}, nil
	case s.spec.SameServer(found, s.entry):
		return Status{State: Installed}, nil
	}
	return Status{State: Drifted, Problems: []string{"the MCP server is " + core.OneLine(found)}}, nil
}

// plan adds to a change of several files how the configuration would be with the entry, or without it. The change of
// another part of the same file is extended.
func (s *serverEntry) plan(c *Change, installed bool) error {
	var change *textfile.Change
	for i := range c.Files {
		if c.Files[i].File == s.file {
			change = c.Files[i].Change
		}
	}
	if change == nil {
		text, err := textfile.Read(s.file)
		if err != nil {
			return err
		}
		change = &textfile.Change{File: s.file, Before: text, After: text}
		defer func() { c.add(MCP, change) }()
	}
	text, there := string(change.After), change.After != nil
	status, err := s.statusOf(text)
	switch {
	case err != nil:
		return err
	case installed && status.State == Installed && s.current(text), !installed && status.State == Absent:
		return nil
	}
	if status.State != Absent {
		if text, there, err = s.written().without(text); err != nil {
			return s.undecoded(err)
		}
	}
	switch {
	case installed && !there:
		change.After, err = s.fresh(change.Before)
	case installed:
		text, err = s.written().with(text)
		change.After = []byte(text)
	case there:
		change.After = []byte(text)
	default:
		change.After, change.Folders = nil, s.foldersOf(string(change.Before))
	}
	if err != nil {
		return s.undecoded(err)
	}
	return nil
}

// current reports whether the entry of a text has the variables and sessions of this one, too.
func (s *serverEntry) current(text string) bool {
	found, _ := s.written().find(text) // statusOf found it
	var have, want any
	return json.Unmarshal([]byte(found), &have) == nil && json.Unmarshal([]byte(s.entry), &want) == nil &&
		reflect.DeepEqual(have, want)
}

// fresh is a configuration of our own. Its end or its comment says how many folders were made for it.
func (s *serverEntry) fresh(before []byte) ([]byte, error) {
	text, err := s.written().with("")
	if err != nil {
		return nil, err
	}
	folders := missing(s.file, map[string]bool{})
	if before != nil {
		folders = s.foldersOf(string(before))
	}
	switch {
	case folders == 0:
	case s.isTOML():
		text = strings.Replace(text, tomlComment, tomlCommentNew, 1)
	default:
		text = strings.TrimRight(text, "\n") + strings.Repeat(" ", folders-1)
	}
	return []byte(text), nil
}

// foldersOf is how many folders were made for a configuration of our own.
func (s *serverEntry) foldersOf(text string) int {
	if !s.isTOML() {
		return foldersBehind(text)
	}
	return strings.Count(text, tomlCommentNew)
}

func (s *serverEntry) isTOML() bool { return filepath.Ext(s.file) == ".toml" }

func (s *serverEntry) undecoded(err error) error {
	e := core.Errorf(core.DecodeFailed, "%s: %w", s.file, err)
	e.Hint = "Correct the file at the line named; it was left as it is."
	return e
}

// jsonServers are servers in a file of JSON, which may have comments. The entry belongs into a table, as JSON.
type jsonServers struct{ table, entry string }

// entryIn returns the path of the entry in a document; nil if there is none.
func (s *jsonServers) entryIn(d *document) ([]int, *node, error) {
	if d.root.kind != '{' {
		return nil, nil, errors.New("line 1: the settings are no object")
	}
	at, table := d.root.find(s.table)
	switch {
	case table == nil:
		return nil, nil, nil
	case table.kind != '{':
		return nil, nil, fmt.Errorf("line %d: %s is no object", lineOf(d.text, table.start), s.table)
	}
	if i, entry := table.find(serverName); entry != nil {
		return []int{at, i}, entry, nil
	}
	return nil, nil, nil
}

func (s *jsonServers) find(text string) (string, error) {
	d, err := open(text)
	if err != nil {
		return "", err
	}
	_, entry, err := s.entryIn(d)
	if err != nil || entry == nil {
		return "", err
	}
	plain, err := hujson.Standardize([]byte(d.text[entry.start:entry.end]))
	return string(plain), err
}

func (s *jsonServers) with(text string) (string, error) {
	d, err := open(text)
	if err != nil {
		return "", err
	}
	entry := json.RawMessage(s.entry)
	if _, table := d.root.find(s.table); table != nil {
		return d.add(table, 1, serverName, entry)
	}
	if strings.TrimSpace(text) == "" {
		fresh, err := d.render(object{{s.table, object{{serverName, entry}}}}, 0, true)
		return fresh + "\n", err
	}
	return d.add(d.root, 0, s.table, object{{serverName, entry}})
}

func (s *jsonServers) without(text string) (string, bool, error) {
	d, err := open(text)
	if err != nil {
		return "", false, err
	}
	path, _, err := s.entryIn(d)
	if err != nil || path == nil {
		return text, true, err
	}
	rest, left := d.drop(path)
	return rest, left, nil
}

// tomlServers are servers in a file of TOML. The entry is a table of its own, below the one named, behind everything
// else, under a comment.
type tomlServers struct{ table, entry string }

// The comments above the entry.
const (
	tomlComment = "# Cupola, as an MCP server"
	// tomlCommentJoin says that the text before it had no line end.
	tomlCommentJoin = "# Cupola, as an MCP server (behind an unended line)"
	// tomlCommentNew says that the folder of the file was made for it.
	tomlCommentNew = "# Cupola, as an MCP server (in a new folder)"
)

func (s *tomlServers) header() string { return "[" + s.table + "." + serverName + "]" }

func (s *tomlServers) find(text string) (string, error) {
	var all map[string]any
	if _, err := tomlfile.Parse(text, &all); err != nil {
		line, what := tomlfile.Fault(err)
		return "", fmt.Errorf("line %d: %s", line, what)
	}
	table, _ := all[s.table].(map[string]any)
	entry, there := table[serverName]
	if !there {
		return "", nil
	}
	found, err := json.Marshal(entry)
	return string(found), err
}

func (s *tomlServers) with(text string) (string, error) {
	var entry map[string]any
	if err := json.Unmarshal([]byte(s.entry), &entry); err != nil {
		return "", err
	}
	comment, gap := tomlComment, "\n"
	switch {
	case text == "":
		gap = ""
	case !strings.HasSuffix(text, "\n"):
		comment, gap = tomlCommentJoin, "\n\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s\n%s\n", text, gap, comment, s.header())
	for _, key := range slices.Sorted(maps.Keys(entry)) {
		value, err := tomlValue(entry[key])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s = %s\n", key, value)
	}
	return b.String(), nil
}

// tomlValue writes a text, a list of texts, or an object of texts as TOML.
func tomlValue(value any) (string, error) {
	object, is := value.(map[string]any)
	if !is {
		text, err := json.Marshal(value) // the others are written alike in JSON
		return string(text), err
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		text, err := json.Marshal(object[key])
		if err != nil {
			return "", err
		}
		pairs = append(pairs, key+" = "+string(text))
	}
	return "{ " + strings.Join(pairs, ", ") + " }", nil
}

func (s *tomlServers) without(text string) (string, bool, error) {
	begin := strings.Index(text, s.header())
	if begin < 0 || begin > 0 && text[begin-1] != '\n' {
		return "", false, fmt.Errorf("%s.%s is there in another form: take it out by hand", s.table, serverName)
	}
	// Agents add tables of their own below it, for example which tools need no approval.
	end, below := begin, strings.TrimSuffix(s.header(), "]")+"."
	for end == begin || strings.HasPrefix(text[end:], below) {
		next := strings.Index(text[end:], "\n[")
		if next < 0 {
			end = len(text)
			break
		}
		end += next + 1
	}
	before, after := text[:begin], text[end:]
	for _, comment := range []string{tomlComment, tomlCommentJoin, tomlCommentNew} {
		rest, is := strings.CutSuffix(before, comment+"\n")
		if !is {
			continue
		}
		before = rest
		if strings.HasSuffix(before, "\n\n") { // agents may have written the file anew, without the empty line
			before = strings.TrimSuffix(before, "\n")
		}
		if comment == tomlCommentJoin && after == "" {
			before = strings.TrimSuffix(before, "\n")
		}
	}
	rest := before + after
	return rest, strings.TrimSpace(rest) != "" || before != "", nil
}
