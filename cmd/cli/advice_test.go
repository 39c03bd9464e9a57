package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/record/store"
	"cupola/core/system/process"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// actor is an engine that records what it is asked to do, and does nothing.
type actor struct {
	*verbtest.Server
	acts atomic.Int32
}

// act records an act, and refuses it so that no verb waits for what follows.
func (a *actor) act() error {
	a.acts.Add(1)
	return engine.ErrDenied
}

func (a *actor) Overlaps() bool { return false }

func (a *actor) Processes() process.Source { return process.Local{} }

func (a *actor) Create(context.Context, engine.Launch) (engine.Location, error) {
	return engine.Location{}, a.act()
}

func (a *actor) Respawn(context.Context, core.PaneID, engine.Launch) (engine.Location, error) {
	return engine.Location{}, a.act()
}

func (a *actor) Paste(context.Context, core.PaneID, []byte) error     { return a.act() }
func (a *actor) Press(context.Context, core.PaneID, ...string) error  { return a.act() }
func (a *actor) KillPane(context.Context, core.PaneID) error          { return a.act() }
func (a *actor) KillSession(context.Context, core.SessionID) error    { return a.act() }
func (a *actor) Rename(context.Context, core.SessionID, string) error { return a.act() }
func (a *actor) Resize(context.Context, core.PaneID, int, int) error  { return a.act() }
func (a *actor) Upgrade(context.Context, string) (engine.Upgraded, error) {
	return engine.Upgraded{}, a.act()
}

// adviceStage answers command lines where the examples of a verb run, and follows the commands that the answers print.
type adviceStage struct {
	t       *testing.T
	env     *verb.Env
	engine  *actor
	streams *streams
	known   map[string]advised // the answers of commands that change nothing
	tried   map[string]bool
	catalog *registry.Catalog
}

var (
	planting sync.Mutex
	pages    sync.Map // what was printed before
)

// followed counts the commands that all stages followed, and mistakes what was asked.
var followed, mistakes atomic.Int32

func newAdviceStage(t *testing.T, v *registry.Verb) *adviceStage {
	t.Helper()
	a := &actor{Server: &verbtest.Server{}}
	catalog := allVerbs()
	env := verbtest.Staged(t, a, catalog, v)
	env.Catalog = catalog
	return &adviceStage{
		t: t, env: env, engine: a, streams: newStreams(t), known: map[string]advised{}, tried: map[string]bool{},
		catalog: catalog,
	}
}

// advised is an answer as far as it advises something.
type advised struct {
	Success     bool      `json:"success"`
	Code        core.Code `json:"error_code"`
	Error       string    `json:"error"`
	Hint        string    `json:"hint"`
	Suggestions []string  `json:"suggestions"`
	Actions     []string  `json:"actions"`
	Next        []struct {
		Command string `json:"command"`
	} `json:"next_actions"`
}

// answer runs a command line as the program does, on the stage. What changes nothing is run once.
func (s *adviceStage) answer(args ...string) (doc advised, ok bool) {
	s.t.Helper()
	key := strings.Join(args, "\x00")
	if doc, ok := s.known[key]; ok {
		return doc, true
	}
	doc, ok = s.run(args...)
	v := s.catalog.Read(args).Verb
	if ok && v != nil && (v.Effect == registry.Reads || slices.Contains(args, "--dry-run")) {
		s.known[key] = doc
	}
	return doc, ok
}

func (s *adviceStage) run(args ...string) (doc advised, ok bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	p := s.streams.program(s.t, map[string]string{"CUPOLA_ENGINE_SOCKET": filepath.Join(s.streams.home, "s")}, args...)
	p = newProgram(p.Options, nil, s.catalog)
	onStage := func() { p.out.env, p.wiring.env, p.wiring.network.Env = s.env, s.env, s.env }
	planting.Lock() // cobra's functions of templates belong to the process
	root := p.tree.commands()
	planting.Unlock()
	for _, cmd := range root.Commands() {
		if own := cmd.RunE; own != nil {
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				onStage()
				return own(cmd, args)
			}
		}
	}
	err := root.ExecuteContext(ctx)
	err = cmp.Or(p.settle(), err)
	if p.stop != nil {
		p.stop()
	}
	onStage()
	if err = cmp.Or(err, p.tree.failed); err != nil && !errors.Is(err, errAnswered) {
		p.out.fail(err)
	}
	if ctx.Err() != nil {
		return doc, false // a machine under load
	}
	text := strings.TrimSpace(written(s.t, p.Stdout))
	lines := strings.Split(text, "\n")
	if json.Unmarshal([]byte(text), &doc) == nil {
		return doc, true
	}
	return doc, json.Unmarshal([]byte(lines[len(lines)-1]), &doc) == nil // a stream's last line
}

// codesOfNothing are the codes of commands that could not run as they were printed.
var codesOfNothing = []core.Code{
	core.InternalError, core.InvalidFlag, core.InvalidInput, core.MissingRequired, core.UnknownFlag,
	core.UnknownCommand, core.TooManyValues, core.TooFewValues, core.MissingCommand, core.Ambiguous,
}

// codesOfTargets are the codes of a name that nothing has.
var codesOfTargets = []core.Code{
	core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.NotFound, core.TaskNotFound, core.StoryNotFound,
	core.ChangeNotFound,
}

var (
	inHint = regexp.MustCompile(`'(cupola [^']*)'`)
	blank  = regexp.MustCompile(`(^|[\s/:@=,])[A-Z][A-Z_]+($|[\s/:@=,.])`)
)

// follow runs each command that an answer to some arguments printed.
func (s *adviceStage) follow(args []string, doc advised) {
	s.t.Helper()
	lines := slices.Clone(doc.Actions)
	for _, next := range doc.Next {
		lines = append(lines, next.Command)
	}
	for _, match := range inHint.FindAllStringSubmatch(doc.Hint, -1) {
		if blank.MatchString(match[1]) {
			s.t.Errorf("%q: the hint names %q", args, match[1])
		}
	}
	for _, line := range lines {
		key := string(doc.Code) + " " + line
		if _, explained := pages.LoadOrStore(line, true); explained && strings.HasPrefix(line, "cupola capabilities") {
			continue
		}
		if !s.tried[key] {
			s.tried[key] = true
			s.followLine(args, doc, line)
		}
	}
}

func (s *adviceStage) followLine(args []string, doc advised, line string) {
	s.t.Helper()
	fail := func(format string, values ...any) {
		s.t.Helper()
		s.t.Errorf("%q (%s) prints %q: %s", args, doc.Code, line, fmt.Sprintf(format, values...))
	}
	words, err := shell.Words(line)
	if err != nil || len(words) == 0 {
		fail("no command line: %v", err)
		return
	}
	if blank.MatchString(line) && !blank.MatchString(strings.Join(args, " ")) {
		fail("it has a placeholder")
	}
	if words[0] != "cupola" {
		return
	}
	followed.Add(1)
	read := s.catalog.Read(words[1:])
	if !read.OK {
		fail("it does not parse")
		return
	}
	if read.Verb == nil {
		if words[1] == "mcp" && !slices.Contains(words, "--help") {
			fail("it never ends")
		}
		return
	}
	v := read.Verb
	timed := slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--timeout") })
	if v.Streams && !timed {
		fail("it never ends")
		return
	}
	harmless := v.Effect == registry.Reads || slices.Contains(words, "--dry-run")
	guessed := func(word string) bool {
		return slices.ContainsFunc(doc.Suggestions,
			func(meant string) bool { return word == meant || strings.HasSuffix(word, "="+meant) })
	}
	if slices.Contains(codesOfTargets, doc.Code) && !harmless && slices.ContainsFunc(words[1:], guessed) {
		fail("it acts on a guess")
	}
	if v.Name == "config-edit" {
		return // it needs a terminal
	}
	rest := slices.Clone(words[1:])
	if !slices.Contains(rest, "--dry-run") && v.Field("timeout") != nil {
		rest = slices.DeleteFunc(rest, func(w string) bool { return strings.HasPrefix(w, "--timeout=") })
		rest = registry.WithFlag(rest, "--timeout=1ms")
	}
	before, acts := "", s.engine.acts.Load()
	rehearses := harmless && v.Effect != registry.Reads
	if rehearses {
		before = s.state()
	}
	got, ok := s.answer(rest...)
	switch {
	case !ok:
		return
	case harmless && s.engine.acts.Load() != acts, rehearses && s.state() != before:
		fail("it changed something")
	case got.Success:
	case v.Name == "restart-pane" && got.Code == core.MissingRequired: // it asks which, when it has seen them
	case slices.Contains(codesOfNothing, got.Code):
		fail("it fails with %s: %s", got.Code, got.Error)
	case got.Code == doc.Code && slices.Contains(append(codesOfTargets, core.ConfigInvalid), got.Code):
		fail("it fails in the same way: %s", got.Error)
	}
}

// state is a digest of the files that verbs change.
func (s *adviceStage) state() string {
	sum := sha256.New()
	for _, dir := range []string{s.env.Dir, s.env.Paths.Config, s.env.Paths.Data, s.env.Paths.State} {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil //nolint:nilerr // it may be gone by now
			case entry.IsDir() && entry.Name() == ".git":
				return fs.SkipDir
			case entry.Type().IsRegular():
				text, _ := os.ReadFile(path)
				fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
			}
			return nil
		})
	}
	return string(sum.Sum(nil))
}

// slipped is a word with a typing error.
func slipped(word string) string {
	letters := []byte(word)
	for i := len(letters) - 1; i > 0; i-- {
		if a, b := letters[i-1], letters[i]; a != b && a >= 'a' && a <= 'z' && b >= 'a' && b <= 'z' {
			letters[i-1], letters[i] = b, a
			return string(letters)
		}
	}
	return word + "9"
}

// slipsOf are command lines of a verb, each with one mistake, made from a command that runs.
func slipsOf(v *registry.Verb, example []string) [][]string {
	at := slices.Index(example, v.Name)
	plain := slices.DeleteFunc(slices.Clone(example), func(w string) bool {
		return w == "--dry-run" || w == "--yes" || w == "--force"
	})
	with := func(i int, word string) []string {
		line := slices.Clone(plain)
		line[i] = word
		return line
	}
	lines := [][]string{
		plain, plain[:at+1], append(slices.Clone(plain), "extra"), append(slices.Clone(plain), "--dry-rnu"),
		with(at, slipped(v.Name)), append([]string{slipped(v.Name)}, example[at+1:]...),
		{v.Name, "--"},
	}
	for i := at + 1; i < len(plain); i++ {
		word := plain[i]
		lines = append(lines, slices.Concat(plain[:i], plain[i+1:]))
		name, value, given := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "-") && given:
			lines = append(lines, with(i, slipped(name)+"="+value), with(i, name+"="), with(i, name+"="+slipped(value)))
		case strings.HasPrefix(word, "-"):
			lines = append(lines, with(i, slipped(word)))
		default:
			lines = append(lines, with(i, slipped(word)), with(i, ""), with(i, word+".9"), with(i, word+"-99"),
				with(i, "it's "+word), with(i, word[:len(word)-1]+"8"))
		}
	}
	flags := 0
	for _, field := range v.Fields() {
		switch {
		case !field.Flag() || field.Arg > 0 || registry.GlobalField(field.Name) != nil:
			continue
		case len(field.Enum) > 0:
			lines = append(lines, append(slices.Clone(plain), "--"+field.Name+"="+slipped(field.Enum[0])))
		case field.Type == "since":
			lines = append(lines, append(slices.Clone(plain), "--"+field.Name+"=yesteday"),
				append(slices.Clone(plain), "--"+field.Name+"=rev:9223372036854775808"))
		case field.Lister != "" || field.Name == "session" || field.Name == "panes" || field.Name == "type":
			lines = append(lines, append(slices.Clone(plain), "--"+field.Name+"=apo"))
		}
		value := map[string]string{"duration": "3s", "int": "3"}[field.Type]
		if value = cmp.Or(value, strings.Join(field.Enum[:min(1, len(field.Enum))], "")); value == "" {
			continue // what it takes is not known here
		}
		flags++
		if flags <= 2 {
			lines = append(lines, append(slices.Clone(plain), "--"+slipped(field.Name)+"="+value))
		}
	}
	return lines
}

// TestEveryPrintedCommandRunsAndActsOnNoGuess makes mistakes with every verb, and runs each command that an answer
// prints: it parses, ends, leads somewhere, and changes nothing where its target is a guess.
func TestEveryPrintedCommandRunsAndActsOnNoGuess(t *testing.T) {
	var ran atomic.Int32
	t.Cleanup(func() { // all verbs are through
		whole := int(ran.Load()) == len(allVerbs().Verbs)
		if whole && (mistakes.Load() < 1000 || followed.Load() < 1000) {
			t.Errorf("only %d mistakes, and %d commands followed", mistakes.Load(), followed.Load())
		}
	})
	for _, v := range allVerbs().Verbs {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			defer ran.Add(1)
			s := newAdviceStage(t, v)
			for i, example := range v.Examples() {
				words, err := shell.Words(example)
				if err != nil {
					t.Fatal(err)
				}
				asked := [][]string{words[1:]}
				if read := s.catalog.Read(words[1:]); read.Verb.Streams {
					asked = nil // its output is the line's output
				}
				if i == 0 {
					asked = append(asked, slipsOf(v, words[1:])...)
				}
				for _, args := range asked {
					read := s.catalog.Read(args)
					if read.OK && read.Verb != nil && (read.Verb.Streams || v.Field("timeout") != nil) {
						continue // it runs, and takes its time
					}
					mistakes.Add(1)
					if doc, ok := s.answer(args...); ok {
						s.follow(args, doc)
					}
				}
			}
		})
	}
}

// TestTheCommandsOfEveryCodeLeadOutOfIt runs the commands of each code where the failure is.
func TestTheCommandsOfEveryCodeLeadOutOfIt(t *testing.T) {
	for _, row := range advice.Codes() {
		t.Run(string(row.Code), func(t *testing.T) {
			t.Parallel()
			s := newAdviceStage(t, allVerbs().Find("status"))
			failed := &core.Error{Code: row.Code, Message: "as planned"}
			switch row.Code {
			case core.ConfigInvalid:
				if err := errors.Join(os.MkdirAll(s.env.Paths.Config, 0o700),
					os.WriteFile(s.env.Paths.File(), []byte("[display\ntheme = \n"), 0o600)); err != nil {
					t.Fatal(err)
				}
			case core.StoreError, core.MigrationFailed, core.StoreLocked:
				open := func(context.Context) (*store.Store, error) { return nil, failed }
				s.env.OpenStore, s.env.OpenForWriting = open, open
			case core.EngineUnavailable:
				s.env.OpenFleet = func() (*fleet.Fleet, error) { return nil, failed }
			}
			for _, line := range row.Actions {
				words, err := shell.Words(line)
				if err != nil {
					t.Fatal(err)
				}
				s.followLine([]string{"a call"}, advised{Code: row.Code}, line)
				if words[1] == "doctor" {
					continue // its failure is its report
				}
				if got, _ := s.answer(words[1:]...); got.Code == row.Code {
					t.Errorf("%s fails with %s, which it is to mend: %s", line, got.Code, got.Error)
				}
			}
		})
	}
}

// TestWordsOfOtherProgramsLeadToCommandsThatRun asks as people and agents do who know other programs.
func TestWordsOfOtherProgramsLeadToCommandsThatRun(t *testing.T) {
	t.Parallel()
	s := newAdviceStage(t, allVerbs().Find("status"))
	for _, line := range []string{
		"stop api", "stop api.1", "restart api.1", "restart api", "logs api.1", "logs api", "submit hi",
		"crew", "story", "relay-", "capabilities demo", "capabilities capabilitie", "events", "stream",
		"summary", "serve-status", "approve api.1", "deny api.1", "delete api", "close api",
		"destroy api", "exec api ls", "attach-session api", "boot new", "bus-doctor", "bus serve --dry-run",
		"hosts-check gpu9", "serve-stop 9", "budget set 5", "config set display.thme nord", "scripted word",
		"demo extra", "mcp extra", "remote extra", "completion fish9", "help tial", "man a b",
		"kill aip --yes", "keys aip C-c", "answer aip --approve", "interrupt aip", "send aip hi",
		"send api.7 hi", "rename aip x", "label aip x", "bead-close bd-99", "bead-claim bd-99",
		"assign api --bead=bd-99", "checkpoint aip", "save aip", "restore non", "crew-stop 9", "story-stop 9",
		"relay-cancel 9", "pipeline-cancel 9", "dismiss-alert 9", "worktree-merge aip/cc_1",
	} {
		mistakes.Add(1)
		if doc, ok := s.answer(strings.Fields(line)...); ok {
			s.follow(strings.Fields(line), doc)
		}
	}
}
