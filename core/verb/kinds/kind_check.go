package kinds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/kindfile"
	"cupola/core/system/plainfile"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/health"
	"cupola/core/verb/registry"
)

type kindCheckIn struct {
	File   registry.ReadPath `arg:"1" required:"true" help:"File of an agent kind, or the name of one"`
	Screen registry.ReadPath `help:"A captured screen: one that 'kind record' wrote, or rows of text (tmux capture-pane -p -e); - reads standard input"`
	Title  string            `empty:"none" help:"With --screen, for rows of text: the terminal's title"`
	Cursor string            `help:"With --screen, for rows of text: cursor as X,Y,VISIBLE (3,12,true); without it the position is unknown"`
}

type kindCheckOut struct {
	Kind core.Kind `json:"kind"`
	Path string    `json:"path"`
	// Valid is true if the file can be used and every recorded case is read as it was recorded.
	Valid bool `json:"valid"`
	// Problems are all faults of the file, in the order of its lines.
	Problems []problemRow `json:"problems" empty:"nothing is wrong with the file"`
	// Screen is how the screen is read; absent without --screen.
	Screen *screenSeen `json:"screen,omitempty"`
	// Cases are the screens that were recorded for the kind.
	Cases []caseRow `json:"cases" empty:"no case is recorded"`
}

// problemRow is one fault of a file.
type problemRow struct {
	_    struct{} `minimal:"line,key,message"`
	Line int      `json:"line,omitempty" table:"LINE"`
	Key  string   `json:"key,omitempty" table:"KEY,strong"`
	What string   `json:"message" table:"PROBLEM,flex"`
	// Expected says what the key takes; absent for a key that does not exist.
	Expected string `json:"expected,omitempty"`
}

// screenSeen is how a kind reads a screen.
type screenSeen struct {
	State  core.State  `json:"state"`
	Reason core.Reason `json:"reason,omitempty"`
	Notes  []core.Note `json:"notes"`
	// Draft is the text in the input box; Unfound says why no box was found, and is absent where one was.
	Draft   string `json:"draft,omitempty"`
	Unfound string `json:"input_box_problem,omitempty"`
	// Asks is the subject of an open dialog, Options its choices.
	Asks    string         `json:"asks,omitempty"`
	Options []agent.Option `json:"options"`
	// Rules has one row per rule, in the order in which they are tried.
	Rules []ruleRow `json:"rules" empty:"the kind has no rules"`
}

// ruleRow says whether one rule matched.
type ruleRow struct {
	_       struct{}    `minimal:"rule,matched,row,line"`
	Rule    string      `json:"rule" table:"RULE,strong"`
	State   core.State  `json:"state,omitempty" table:"STATE"`
	Reason  core.Reason `json:"reason,omitempty"`
	Matched bool        `json:"matched" table:"MATCHED,word,empty=no"`
	// Row counts the visible rows from 1; it is absent for the title and for a rule that did not match.
	Row  int    `json:"row,omitempty" table:"ROW"`
	Line string `json:"line,omitempty" table:"EVIDENCE,flex,or=Why"`
	// Why is the condition that failed.
	Why string `json:"why,omitempty"`
}

// caseRow is a recorded screen and how it is read.
type caseRow struct {
	_      struct{}    `minimal:"file,state,right"`
	File   string      `json:"file" table:"CASE,dim"`
	State  core.State  `json:"state" table:"RECORDED"`
	Reason core.Reason `json:"reason,omitempty"`
	Right  bool        `json:"right" table:"RIGHT,word,empty=no"`
	// Got is the state that is read, with its reason.
	Got string `json:"got" table:"READ AS"`
}

var kindCheck = registry.Define(registry.Spec[*verb.Env, kindCheckIn, kindCheckOut]{
	Name: "kind-check", Group: verb.GroupSetup, Short: "Check the file of an agent kind",
	Long: "Names line and key of everything that is wrong with the file. With --screen it lists which rule matched " +
		"where, and which condition of the others failed. Cases that were recorded for the kind are read too.",
	Scope: registry.Global, Effect: registry.Reads, List: "problems",
	Examples: []string{"opencode", "opencode --screen=-"},
	Errors:   []core.Code{core.HealthFailed, core.NotFound, core.IOError, core.PermissionDenied}, Run: runKindCheck,
}).SeeAlso("kind-new", "kind-record", "inspect-pane")

// Check sees that what describes a screen comes with one.
func (in kindCheckIn) Check() error {
	if in.Screen == "" && in.Title+in.Cursor != "" {
		return registry.Missing("--title and --cursor describe a screen from a file", "Give --screen FILE too.",
			"--screen")
	}
	return nil
}

func runKindCheck(_ context.Context, env *verb.Env, in kindCheckIn) (kindCheckOut, error) {
	kind, path, faults, err := inspect(env, string(in.File))
	if err != nil {
		return kindCheckOut{}, err
	}
	out := kindCheckOut{Path: path, Valid: len(faults) == 0}
	for _, fault := range faults {
		row := problemRow{Line: fault.Line, Key: fault.Key, What: fault.Err.Error()}
		if key, ok := agent.KeyOf(fault.Key); ok {
			row.Expected = key.Form + ". " + key.Says
		}
		out.Problems = append(out.Problems, row)
	}
	if kind != nil {
		if err := out.read(env, kind, in); err != nil {
			return kindCheckOut{}, err
		}
	}
	if !out.Valid {
		e := core.Errorf(core.HealthFailed, "%s is not right: %s", filepath.Base(path), out.wrong())
		e.Details = out
		e.Hint = "Change the lines that are named, then check again; docs/kinds.md says what each key takes."
		return out, e
	}
	return out, nil
}

// inspect reads the file at a path, or the user's file of a kind by its name. A kind that comes with Cupola needs no
// file and has no faults; its path is its id.
func inspect(env *verb.Env, file string) (*agent.Kind, string, []*agent.KeyError, error) {
	path := verb.Absolute(env.Dir, file)
	if agent.IsID(file) {
		own := filepath.Join(env.Paths.Agents(), file+".toml")
		if _, err := os.Stat(own); err == nil || !exists(path) {
			path = own
		}
		if kind, ok := verb.Kinds(env.Paths).Find(file); ok && !exists(path) {
			return kind, string(kind.ID), nil, nil
		}
	}
	text, err := plainfile.Read(path, plainfile.Text)
	if err != nil {
		return nil, path, nil, missingFile(path, err)
	}
	kind, faults := agent.Inspect(filepath.Base(path), string(text), plainfile.Folder(env.Paths.Agents()))
	return kind, path, faults, nil
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// read adds how the kind reads the given screen and the recorded ones.
func (o *kindCheckOut) read(env *verb.Env, kind *agent.Kind, in kindCheckIn) error {
	o.Kind = kind.ID
	if in.Screen != "" {
		screen, err := screenOf(env, in)
		if err != nil {
			return err
		}
		o.Screen = readScreen(kind, screen)
	}
	cases, err := loadCases(env, string(kind.ID))
	if err != nil {
		return err
	}
	o.Cases = readCases(kind, cases)
	o.Valid = o.Valid && !slices.ContainsFunc(o.Cases, func(c caseRow) bool { return !c.Right })
	return nil
}

// screenOf reads the captured screen: a case, or rows of text.
func screenOf(env *verb.Env, in kindCheckIn) (*core.Screen, error) {
	text, err := health.ScreenText(env, string(in.Screen))
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		c, err := kindfile.ParseCase([]byte(text))
		if err != nil {
			return nil, core.Errorf(core.InvalidInput, "--screen: %w", err)
		}
		return c.Screen(), nil
	}
	return health.ScreenOf(text, in.Title, in.Cursor)
}

// readScreen reads a screen by a kind's rules.
func readScreen(kind *agent.Kind, screen *core.Screen) *screenSeen {
	reading := kind.Read(screen)
	verdict := kindfile.Judge(kind, screen, "")
	seen := &screenSeen{
		State: verdict.State, Reason: verdict.Reason, Notes: verdict.Notes, Unfound: reading.Unfound(),
		Rules: []ruleRow{},
	}
	if composer, found := reading.Composer(); found {
		seen.Draft = composer.Draft
	}
	if dialog, open := reading.Dialog(); open {
		seen.Asks, seen.Options = dialog.About, dialog.Options
	}
	for _, t := range reading.Trace() {
		seen.Rules = append(seen.Rules, ruleRow{
			Rule: t.Rule.ID, State: t.Rule.State, Reason: t.Rule.Reason, Matched: t.Matched, Row: t.Row + 1,
			Line: t.Line, Why: t.Why,
		})
	}
	return seen
}

// readCases reads recorded screens by a kind's rules.
func readCases(kind *agent.Kind, cases []namedCase) []caseRow {
	return core.Map(cases, func(c namedCase) caseRow {
		got := kindfile.ReadCase(kind, &c.Case)
		return caseRow{File: c.file, State: c.State, Reason: c.Reason, Got: got.Label(), Right: got.Right}
	})
}

// wrong describes the first fault in one line.
func (o *kindCheckOut) wrong() string {
	if len(o.Problems) > 0 {
		first := o.Problems[0]
		where := ""
		if first.Line > 0 {
			where = fmt.Sprintf("line %d: ", first.Line)
		}
		if first.Key != "" {
			where += first.Key + ": "
		}
		return where + first.What
	}
	i := slices.IndexFunc(o.Cases, func(c caseRow) bool { return !c.Right })
	return fmt.Sprintf("%s was recorded as %s and is read as %s", o.Cases[i].File, o.Cases[i].State, o.Cases[i].Got)
}

// Report shows a person the faults, the rules and the cases.
func (o kindCheckOut) Report() *report.Report {
	r := &report.Report{}
	r.AddTable("", report.TableOf(o.Problems, time.Time{}, "nothing is wrong with the file"))
	if s := o.Screen; s != nil {
		line := []report.Cell{report.State(core.Status{State: s.State, Reason: s.Reason, Notes: s.Notes})}
		if s.Unfound != "" {
			line = append(line, report.Toned(report.Dim, "  no input box: "+s.Unfound))
		} else if s.Draft != "" {
			line = append(line, report.Toned(report.Dim, "  draft: "+s.Draft))
		}
		r.AddLine(line...)
		r.AddTable("Rules", report.TableOf(s.Rules, time.Time{}, "the kind has no rules"))
		for _, option := range s.Options {
			r.AddLine(report.Text(fmt.Sprintf("%d. %s", option.N, option.Label)),
				report.Toned(report.Dim, "  "+string(option.Means)))
		}
	}
	if len(o.Cases) > 0 {
		r.AddTable("Cases", report.TableOf(o.Cases, time.Time{}, ""))
	}
	return r
}

// missingFile is the error of a kind's file that cannot be read: ConfigNotFound for one that does not exist.
func missingFile(path string, err error) error {
	e := core.FileError("read the file of the kind", err)
	if errors.Is(err, fs.ErrNotExist) {
		return &core.Error{Code: core.ConfigNotFound, Message: "there is no file " + path, Err: err}
	}
	return e
}
