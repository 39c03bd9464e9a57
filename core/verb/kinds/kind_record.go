package kinds

import (
	"cmp"
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
	"cupola/core/fleet/observe"
	"cupola/core/system/plainfile"
	"cupola/core/system/shell"
	"cupola/core/system/textfile"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type kindRecordIn struct {
	Name    string `arg:"1" required:"true" help:"Name of the kind: small letters, digits and dashes"`
	Session string `arg:"2" required:"true" names:"session" help:"The pane in which the program runs: NAME.N, %ID, or a session for its first program"`
	State   string `enum:"idle,working,waiting,limited,error,starting" help:"State that the program is in now; without it, which one to bring about next"`
	Reason  string `enum:"approval,question,plan,trust,login,dialog,rate_limit,quota,auth,billing,server,other" help:"Why: approval or question with waiting, and so on"`
	Force   bool   `help:"Derive the file anew though it was changed by hand"`
	registry.Preview
}

type kindRecordOut struct {
	Kind string `json:"kind"`
	Pane string `json:"pane" names:"session"`
	// Case is the file of the screen that was recorded; absent if none was.
	Case string `json:"case,omitempty"`
	// Path is the file of the kind, and Written whether it was derived anew. A file that was changed by hand is not:
	// then Text is its content.
	Path    string `json:"path,omitempty"`
	Written bool   `json:"written"`
	Text    string `json:"text,omitempty"`
	// Cases are all that are recorded, and how the file reads them.
	Cases []caseRow `json:"cases" empty:"no case is recorded"`
	// Missing are the keys that could not be derived.
	Missing []string `json:"missing"`
	// Step is the state to bring about next; absent once all are recorded.
	Step string `json:"step,omitempty"`

	next *step
}

// step is a state to bring about in the pane.
type step struct {
	state  core.State
	reason core.Reason
	says   string
}

// steps are the states that a kind should know, in the order in which they are easily brought about. The last one is
// left to chance.
var steps = []step{
	{core.Idle, "", "Wait until the program takes a prompt, with an empty input box."},
	{core.Working, "", "Send a prompt that takes a while, and record while the program works on it."},
	{core.Idle, "", "Wait until it has answered, so that the input box is known below a conversation too."},
	{
		core.Waiting, core.ReasonApproval,
		"Have it run a command or change a file, and record while it asks for your permission.",
	},
	{core.Working, "", "Let it do that, and record once more while it works: a spinner takes many forms."},
	{core.Errored, core.ReasonOther, "When a turn fails one day, record what it shows then."},
}

var kindRecord = registry.Define(registry.Spec[verb.OnFleet, kindRecordIn, kindRecordOut]{
	Name: "kind-record", Group: verb.GroupSetup,
	Short: "Derive an agent kind from a pane",
	Long: "Records the states of a program in a pane, and derives the kind from them. " +
		"Call it once for each state: each call says which to bring about next. What a pane shows becomes a case, " +
		"and input box and rules are derived from all cases, unless the file was changed by hand.",
	Scope: registry.Resource, Effect: registry.Writes, OnTerminals: true,
	Examples: []string{"mine api.1 --dry-run", "mine api.1 --state=idle --dry-run"},
	Errors: append([]core.Code{core.AlreadyExists, core.NotReady, core.IOError, core.ConfigInvalid},
		verb.Observing...),
	Run: runKindRecord,
}).SeeAlso("kind-check", "kind-new", "adopt")

// Check sees that state and reason fit.
func (in kindRecordIn) Check() error {
	if err := checkName(in.Name); err != nil {
		return err
	}
	reasons := core.ReasonsOf(core.State(in.State))
	switch {
	case in.Reason != "" && in.State == "":
		return registry.Missing("--reason needs --state", "Say which state it is the reason of.", "--state")
	case in.Reason != "" && !slices.Contains(reasons, core.Reason(in.Reason)):
		valid := strings.Split(core.Join(reasons, ","), ",")
		return registry.CheckEnum("--reason", []string{in.Reason}, valid)
	case in.State == string(core.Waiting) && in.Reason == "":
		return registry.Missing("waiting needs a reason", "For example --reason=approval.", "--reason")
	}
	return nil
}

func runKindRecord(ctx context.Context, deps verb.OnFleet, in kindRecordIn) (kindRecordOut, error) {
	env := deps.Env
	if builtIn(core.Kind(in.Name)) {
		return kindRecordOut{}, &core.Error{
			Code: core.AlreadyExists, Message: in.Name + " is a kind that comes with Cupola",
			Hint: "Take another name.",
		}
	}
	address, err := addressOf(ctx, deps, in.Session)
	if err != nil {
		return kindRecordOut{}, err
	}
	pane, screen, err := deps.Fleet.Output.Screen(ctx, address)
	if err != nil {
		return kindRecordOut{}, err
	}
	out := kindRecordOut{Kind: in.Name, Pane: pane.Address(), Cases: []caseRow{}, Missing: []string{}}
	cases, err := loadCases(env, in.Name)
	if err != nil {
		return out, err
	}
	if in.State != "" {
		before := cases
		c := namedCase{Case: kindfile.Of(screen, core.State(in.State), core.Reason(in.Reason))}
		c.Command = pane.Process.Command
		same := slices.IndexFunc(cases, func(o namedCase) bool {
			return o.Label() != c.Label() && o.Shows(&c.Case)
		})
		if same >= 0 {
			return out, &core.Error{
				Code:    core.NotReady,
				Message: fmt.Sprintf("the pane shows what %s shows: %s", cases[same].file, cases[same].Label()),
				Hint:    "Bring the program into the state first, then record it.",
			}
		}
		c.file = fmt.Sprintf("%02d-%s.json", len(cases)+1, c.Label())
		cases = append(slices.Clone(cases), c)
		if err := out.derive(env, in, pane, before, cases); err != nil {
			return out, err
		}
	}
	out.step(cases)
	return out, nil
}

// addressOf returns the address of the pane to record; of a named session, that of its first program.
func addressOf(ctx context.Context, deps verb.OnFleet, named string) (string, error) {
	snapshot, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Brief: true})
	if err != nil {
		return "", err
	}
	if session := snapshot.Session(named); session != nil {
		if programs := session.Programs(); len(programs) > 0 {
			return string(programs[0].ID), nil
		}
	}
	return named, nil
}

// derive writes the new case, and the file of the kind unless it was changed by hand.
func (o *kindRecordOut) derive(env *verb.Env, in kindRecordIn, pane *core.Pane, before, cases []namedCase) error {
	argv := commandOf(pane)
	text, notes := kindfile.Derive(in.Name, head, argv, plain(cases))
	o.Missing = append(o.Missing, notes...)
	o.Path = filepath.Join(env.Paths.Agents(), in.Name+".toml")
	had, err := textfile.Read(o.Path)
	if err != nil {
		return err
	}
	old, _ := kindfile.Derive(in.Name, head, argv, plain(before))
	kept := had != nil && !in.Force && string(had) != old && string(had) != text
	if kept {
		o.Text = text
		o.Missing = append(o.Missing,
			"the file was changed by hand and is left as it is; 'text' is the derived form")
		text = string(had)
	}
	kind, faults := agent.Inspect(in.Name+".toml", text, plainfile.Folder(env.Paths.Agents()))
	if kind != nil {
		o.Cases = readCases(kind, cases)
	} else {
		o.Missing = append(o.Missing, faults[0].Error())
	}
	if in.DryRun {
		o.Text = text
		return nil
	}
	c := &cases[len(cases)-1]
	o.Case = filepath.Join(casesOf(env, in.Name), c.file)
	encoded, err := c.Encode()
	if err != nil {
		return err
	}
	if err := write(o.Case, string(encoded)+"\n", false); err != nil {
		return err
	}
	if o.Written = !kept; o.Written {
		return write(o.Path, text, true)
	}
	return nil
}

// commandOf returns the command line of the program in a pane; only its name if that is all that is known.
func commandOf(pane *core.Pane) []string {
	if argv, err := shell.Words(pane.Agent.Launch); err == nil && len(argv) > 0 {
		return argv
	}
	return []string{pane.Process.Command}
}

// step says which state to bring about next: the first of the steps that has fewer cases than it should have.
func (o *kindRecordOut) step(cases []namedCase) {
	count := map[string]int{}
	for i := range cases {
		count[cases[i].Label()]++
	}
	for i := range steps {
		one := kindfile.Case{State: steps[i].state, Reason: steps[i].reason}
		count[one.Label()]--
		if count[one.Label()] < 0 {
			o.next, o.Step = &steps[i], steps[i].says
			return
		}
	}
}

// namedCase is a case with the name of its file.
type namedCase struct {
	kindfile.Case
	file string
}

// plain returns the cases without the names of their files.
func plain(cases []namedCase) []kindfile.Case {
	return core.Map(cases, func(n namedCase) kindfile.Case { return n.Case })
}

// casesOf returns the folder of the cases of a kind.
func casesOf(env *verb.Env, name string) string { return filepath.Join(env.Paths.Agents(), name) }

// loadCases reads the cases of a kind, in the order in which they were recorded. A kind without a folder has none.
func loadCases(env *verb.Env, name string) ([]namedCase, error) {
	entries, err := os.ReadDir(casesOf(env, name))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, core.FileError("list the cases of "+name, err)
	}
	var cases []namedCase
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		path := filepath.Join(casesOf(env, name), entry.Name())
		text, err := plainfile.Read(path, plainfile.Text)
		if err != nil {
			return nil, core.FileError("read a case of "+name, err)
		}
		c, err := kindfile.ParseCase(text)
		if err != nil {
			return nil, core.Errorf(core.ConfigInvalid, "%s: %w", path, err)
		}
		cases = append(cases, namedCase{c, entry.Name()})
	}
	slices.SortFunc(cases, func(a, b namedCase) int { return cmp.Compare(a.file, b.file) })
	return cases, nil
}

// Next says how to record the next state.
func (o kindRecordOut) Next() []registry.Action {
	var actions []registry.Action
	if o.next != nil {
		args := []string{"kind-record", o.Kind, o.Pane, "--state=" + string(o.next.state)}
		if o.next.reason != "" {
			args = append(args, "--reason="+string(o.next.reason))
		}
		actions = append(actions, verb.NextAction("record", o.Step, args...))
	}
	if o.Written {
		actions = append(actions, verb.NextAction("check", "Check it", "kind-check", o.Kind))
	}
	return actions
}

// Report shows a person what was recorded.
func (o kindRecordOut) Report() *report.Report {
	r := &report.Report{}
	if o.Case != "" {
		r.AddLine(report.Text("Recorded "), report.Toned(report.Dim, o.Case))
	}
	if o.Written {
		r.AddLine(report.Text("Wrote "), report.Toned(report.Strong, o.Path))
	}
	if len(o.Cases) > 0 {
		r.AddTable("Cases", report.TableOf(o.Cases, time.Time{}, ""))
	}
	for _, note := range o.Missing {
		r.AddLine(report.Toned(report.Warn, note))
	}
	if o.Text != "" {
		r.Add(report.Block{Raw: o.Text})
	}
	return r
}
