package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/fault"
	"cupola/core/run/relay"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

type doctorIn struct {
	Fix bool `raises:"destroys" help:"Fix Cupola's own files: folder permissions, stale locks, a damaged store; with --yes also hooks"`
	registry.Consent
	Relay    bool `help:"Check only the backends of relays"`
	Problems bool `help:"Show only what is bad or to look at; the counts are of all"`
	Notify   bool `help:"Check only notifications, and send a test every way that is set"`
	All      bool `help:"Show people also the optional programs that are not installed"`
}

// OnlyShows reports whether nothing is fixed.
func (in doctorIn) OnlyShows() bool { return !in.Fix && !in.Notify }

type doctorOut struct {
	// Healthy is true if nothing is bad.
	Healthy bool `json:"healthy"`
	// Checks has a row for each check, or only those that are bad or to
	// look at.
	Checks []checkRow `json:"checks"`
	OK     int        `json:"ok"`
	Warn   int        `json:"warn"`
	Bad    int        `json:"bad"`
	// Missing counts what Cupola could use and does not have.
	Missing int `json:"missing_count"`
	// Fixed counts what --fix repaired.
	Fixed int `json:"fixed_count"`
	// Relay counts the backends of relays.
	Relay *relayHealth `json:"relay,omitempty"`

	// relayOnly is true where nothing else was looked at, and all where people see optional programs, too.
	relayOnly, all bool
	// wrong is why the examination fails; nil where all is well.
	wrong *core.Error
}

// checkRow is one thing that was looked at. What does not apply is empty.
type checkRow struct {
	_ struct{} `minimal:"area,name,state" standard:"area,name,state,version,detail,fix"`
	// Area is engine, terminal, settings, folders, store, keeper, agents, processes,
	// accounts, hooks, tools, relay, disk or notify.
	Area string `json:"area" table:",dim"`
	Name string `json:"name" table:"WHAT,strong"`
	// State is ok, warn, bad or missing.
	State   string `json:"state" table:"STATE,word"`
	Version string `json:"version,omitempty" table:"VERSION"`
	// VersionUnseen is true of an agent that is newer than any version whose screens were recorded.
	VersionUnseen bool   `json:"version_unseen,omitempty"`
	Path          string `json:"path,omitempty"`
	Detail        string `json:"detail,omitempty" table:"SEEN,dim,flex,or=Path"`
	// Fix is the command that repairs it.
	Fix   string `json:"fix,omitempty" names:"command" table:"FIX,code"`
	Fixed bool   `json:"fixed"`
	// Category is the sort of a backend: cli, local or host; Available is true for one that can be
	// asked now.
	Category  relay.Category `json:"category,omitempty"`
	Available *bool          `json:"available,omitempty"`

	// repair repairs it; nil where Cupola cannot. It must only be called with consent
	// where a file that is not Cupola's is changed.
	repair  func(context.Context) error
	foreign bool
	// err is why it is bad, where that is an error.
	err error
}

// The states of checks.
const (
	checkOK      = "ok"
	checkWarn    = "warn"
	checkBad     = "bad"
	checkMissing = "missing"
)

const doctorFix = "cupola doctor --fix"

var doctorSpec = registry.Spec[*verb.Env, doctorIn, doctorOut]{
	Name: "doctor", Group: verb.GroupSetup, Short: "Check everything Cupola uses",
	Long: "Fails with HEALTH_FAILED if something is wrong, and with exit status 2 if nothing can work: no tmux, or " +
		"no agent. Missing optional tools and warnings are no failure. --fix changes only Cupola's own files unless " +
		"--yes is given. With --relay the exit status is 0 if every backend can be asked, 1 if some can and 2 if " +
		"none can. Programs that are not installed and servers that were not set up do not count.",
	Scope: registry.Global, Effect: registry.Writes, List: "checks",
	Examples: []string{"", "--problems", "--relay", "--fix"},
	Errors:   []core.Code{core.HealthFailed, core.EngineUnavailable, core.ToolNotFound, core.ConfigInvalid},
	Run:      runDoctor,
}

var doctor = registry.Define(doctorSpec).SeeAlso("tools", "backends", "config-show")

var notifyTest = registry.Define(notifyTestSpec()).SeeAlso("doctor", "config-show")

// notifyTestSpec is doctor --notify by another name. It needs no terminal server.
func notifyTestSpec() registry.Spec[*verb.Env, doctorIn, doctorOut] {
	spec := doctorSpec.As("notify-test", "doctor --notify", "Send a test notification every way that is set", "")
	spec.Errors = []core.Code{core.HealthFailed, core.ConfigInvalid}
	return spec
}

func (out doctorOut) Hints() *registry.Hints {
	return &registry.Hints{Summary: out.counts()}
}

func runDoctor(ctx context.Context, env *verb.Env, in doctorIn) (doctorOut, error) {
	if env.Progress != nil {
		env.Progress(core.Progress{Phase: "doctor", Percent: -1, Message: "looking at everything"})
	}
	if in.Relay {
		return doctorOfRelays(ctx, env, in.Problems)
	}
	if in.Notify {
		return doctorOfNotifications(ctx, env, in.Problems)
	}
	out := examine(ctx, env)
	out.all = in.All
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	for i := range out.Checks {
		row := &out.Checks[i]
		if in.Fix && row.repair != nil && (!row.foreign || in.Given()) {
			if err := row.repair(ctx); err != nil {
				row.Detail += "; it could not be repaired: " + core.AsError(err).Error()
			} else {
				row.State, row.Fixed, row.Fix = checkOK, true, ""
				out.Fixed++
			}
		}
		out.count(row.State)
	}
	out.Healthy = out.Bad == 0
	return out.judged(out.failure(), in.Problems)
}

// judged is an examination with its verdict, an error if something is wrong. Brief ones list only problems.
func (out doctorOut) judged(wrong *core.Error, brief bool) (doctorOut, error) {
	out.wrong = wrong
	if brief {
		out.Checks = out.problems()
	}
	if wrong == nil {
		return out, nil
	}
	failed := *wrong
	failed.Details = out
	return out, &failed
}

// problems are the rows that are bad or to look at; never nil.
func (out doctorOut) problems() []checkRow {
	return slices.DeleteFunc(append([]checkRow{}, out.Checks...),
		func(row checkRow) bool { return row.State != checkBad && row.State != checkWarn })
}

// Terse names the problems, which is the purpose of one line.
func (out doctorOut) Terse() string {
	words := []string{
		"cupola/1", "doctor", fmt.Sprintf("healthy=%t", out.Healthy), fmt.Sprintf("ok=%d", out.OK),
		fmt.Sprintf("warn=%d", out.Warn), fmt.Sprintf("bad=%d", out.Bad), fmt.Sprintf("missing=%d", out.Missing),
		fmt.Sprintf("fixed=%d", out.Fixed),
	}
	names := core.Map(out.problems(), func(row checkRow) string {
		return render.TerseValue(row.Area + "/" + row.Name + "/" + row.State)
	})
	return strings.Join(append(words, "problems="+cmp.Or(strings.Join(names, ","), "-")), " ")
}

func (out *doctorOut) count(state string) {
	switch state {
	case checkOK:
		out.OK++
	case checkWarn:
		out.Warn++
	case checkBad:
		out.Bad++
	default:
		out.Missing++
	}
}

// failure is the failure that an examination ends with; nil where all is well.
func (out doctorOut) failure() *core.Error {
	agents := false
	var bad, fixes []string
	for _, row := range out.Checks {
		switch {
		case row.Area == areaEngine && row.State == checkBad && !core.AsError(row.err).HasCode(core.ConfigInvalid):
			if fault.NotAnswering(row.err) {
				silent := *core.AsError(row.err)
				silent.Actions = []string{"cupola status"}
				return &silent
			}
			return &core.Error{
				Code: core.EngineUnavailable, Message: "tmux cannot be used: " + row.Detail,
				Actions: []string{"cupola setup"}, Err: row.err,
			}
		case row.Area == areaAgents && row.State != checkMissing:
			agents = true
		}
		if row.State == checkBad {
			bad = append(bad, row.Area+" "+row.Name)
			if row.Fix != "" && !slices.Contains(fixes, row.Fix) {
				fixes = append(fixes, row.Fix)
			}
		}
	}
	switch {
	case out.Bad > 0:
		return &core.Error{
			Code: core.HealthFailed, Message: "bad: " + strings.Join(bad, ", ") + " (" + out.counts() + ")",
			Hint: "Run the command in each row's fix; 'cupola doctor --fix' does what is Cupola's own.", Actions: fixes,
		}
	case !agents:
		return &core.Error{
			Code: core.ToolNotFound, Message: "no agent is installed",
			Hint:    "Install one, for example with: npm install -g @anthropic-ai/claude-code",
			Actions: []string{"cupola tools"},
		}
	}
	return nil
}

// counts says in a few words how much is how.
func (out doctorOut) counts() string {
	return verb.Listed(
		verb.Counted{N: out.Bad, What: "bad"},
		verb.Counted{N: out.Warn, What: "to look at"},
		verb.Counted{N: out.OK, What: "ok"},
		verb.Counted{N: out.Missing, What: "optional and not installed"},
		verb.Counted{N: out.Fixed, What: "repaired"},
	)
}

func (out doctorOut) Next() []registry.Action {
	var next []registry.Action
	for _, row := range out.Checks {
		if (row.State == checkWarn || row.State == checkBad) && row.Fix != "" {
			next = append(next,
				registry.Action{Action: "mend", Description: row.Name + ": " + row.Detail, Command: row.Fix})
		}
	}
	return next
}

// Verdict says in one line whether all is well.
func (out doctorOut) Verdict() report.Line {
	if out.wrong != nil {
		return report.Line{report.Toned(report.Bad, "Something is wrong"), report.Text(": " + out.wrong.Error())}
	}
	if out.Warn > 0 {
		return report.Line{report.Toned(report.Warn, "All works"), report.Text("; " + out.counts())}
	}
	return report.Line{report.Toned(report.Good, "All is well"), report.Text("; " + out.counts())}
}

// Report shows the verdict, the faults with the commands that repair them, and then the rest. Optional programs that
// are not installed are only counted, unless all is to be shown or no agent is installed.
func (out doctorOut) Report() *report.Report {
	wrong, rest, optional := out.problems(), []checkRow{}, 0
	for _, row := range out.Checks {
		switch {
		case row.State == checkMissing && !out.all && !out.relayOnly &&
			(row.Area != areaAgents || !out.wrong.HasCode(core.ToolNotFound)):
			optional++
		case row.State == checkMissing && row.Area == areaAgents:
			wrong = append(wrong, row)
		case row.State != checkBad && row.State != checkWarn:
			rest = append(rest, row)
		}
	}
	r := report.Say(out.Verdict()...)
	for _, part := range []struct {
		heading string
		rows    []checkRow
	}{{"To repair", wrong}, {"Checked", rest}} {
		if len(part.rows) > 0 {
			r.AddTable(part.heading, tableOf(part.rows))
		}
	}
	if out.relayOnly {
		r.AddLine(report.Text(out.Relay.String()))
	}
	if optional > 0 {
		r.AddLine(report.Toned(report.Dim, verb.Plural(optional, "optional program")+
			" not installed: cupola doctor --all"))
	}
	return r
}

// tableOf names each area once.
func tableOf(rows []checkRow) *report.Table {
	table := report.TableOf(rows, time.Time{}, "")
	for i := len(table.Rows) - 1; i > 0; i-- {
		if rows[i].heading() == rows[i-1].heading() {
			table.Rows[i][0].Text = ""
		}
	}
	return table
}

// heading is the text before the first of several rows.
func (r *checkRow) heading() string { return strings.TrimSpace(r.Area + " " + string(r.Category)) }

// Cell shows repaired and unbroken rows in different words, and the category of a backend.
func (r *checkRow) Cell(title string) (report.Cell, bool) {
	if title == "" && r.Category != "" {
		return report.Toned(report.Dim, r.heading()), true
	}
	if title == "STATE" && r.Fixed {
		return report.Toned(report.ToneOf(r.State), "mended"), true
	}
	return report.Cell{}, false
}
