package health

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/fleet/observe"
	"cupola/core/system/plainfile"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type explainIn struct {
	registry.AnySession
	registry.OfPanes
	Screen      registry.ReadPath `help:"Explain a captured screen from this file instead; - reads standard input"`
	Agent       string            `help:"With --screen: kind of the agent that drew it"`
	Title       string            `empty:"none" help:"With --screen: the terminal's title"`
	Command     string            `help:"With --screen: the program in the foreground"`
	Cursor      string            `help:"With --screen: cursor as X,Y,VISIBLE (3,12,true); without it the position is unknown"`
	AlternateOn bool              `help:"With --screen: it is the alternate screen"`
}

type explainOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// State, Reason, Notes, Confidence and Signals describe the pane if one was asked about; absent for several.
	State      core.State  `json:"state,omitempty"`
	Reason     core.Reason `json:"reason,omitempty"`
	Notes      []core.Note `json:"notes"`
	Confidence float64     `json:"confidence"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time       `json:"resets_at,omitzero"`
	Signals  []detect.Signal `json:"signals" minimal:"source,rule,state"`
	// Panes has one row per pane; it is absent for a screen from a file.
	Panes []Explanation `json:"panes"`
}

// Explanation is why one pane is in its state: every signal, with what the agent said beside its screen.
type Explanation struct {
	_ struct{} `minimal:"session,ordinal,state,confidence"`
	verb.PaneRow
	Confidence float64 `json:"confidence"`
	Title      string  `json:"title,omitempty"`
	Command    string  `json:"command,omitempty" names:"command-line"`
	// Version is the version of the agent that runs; VersionUnseen is true if it is newer than any whose screens were
	// recorded, so that its dialogs and keys may differ from what is known.
	Version       string `json:"version,omitempty"`
	VersionUnseen bool   `json:"version_unseen"`
	// ProgramStatus is the state that the program reported to its terminal, and Heard its other reports beside its
	// screen, where the terminal server gets them; absent without.
	ProgramStatus string     `json:"program_status,omitempty"`
	Heard         core.Heard `json:"heard,omitzero"`
	// Hook and Live say what the agent's hooks and its own status file said last;
	// absent where there are none.
	Hook    string          `json:"hook,omitempty"`
	Live    string          `json:"live,omitempty"`
	Signals []detect.Signal `json:"signals"`
}

var explain = registry.Define(registry.Spec[verb.OnFleet, explainIn, explainOut]{
	Name: "explain", Of: "inspect-pane --signals", Group: verb.GroupSee,
	Short: "Explain why an agent is in its state: every signal, with its rule and line",
	Long: "The signals that decided are marked. With --screen it explains a captured screen (tmux capture-pane -p) " +
		"instead, for bug reports; no terminal server is needed then.",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Examples: []string{"api.1", "api"},
	Errors:   append([]core.Code{core.IOError}, verb.Observing...), Run: runExplain,
}).SeeAlso("tail", "health")

// Check sees that what describes a screen from a file comes with one.
func (in explainIn) Check() error {
	switch {
	case in.Screen == "" && (in.Agent+in.Title+in.Command+in.Cursor != "" || in.AlternateOn):
		return registry.Missing(
			"--agent, --title, --command, --cursor and --alternate-on describe a screen from a file",
			"Give --screen FILE too.", "--screen")
	case in.Screen != "" && in.Agent == "":
		return registry.Missing("--screen needs --agent", "Say which kind of agent drew it: --agent claude.", "--agent")
	}
	return nil
}

func runExplain(ctx context.Context, deps verb.OnFleet, in explainIn) (explainOut, error) {
	if in.Screen != "" {
		return explainScreen(deps, in)
	}
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	why, err := deps.Fleet.Observer.Explain(ctx, target)
	if err != nil {
		return explainOut{}, err
	}
	out := explainOut{Filters: verb.Echo(target), Panes: make([]Explanation, len(why))}
	for i := range why {
		out.Panes[i] = explained(&why[i])
	}
	if len(why) == 1 {
		out.setStatus(why[0].Status, why[0].Signals)
	}
	return out, nil
}

// Explain returns why the pane at an address is in its state.
func Explain(ctx context.Context, deps verb.OnFleet, address string) (*Explanation, error) {
	out, err := runExplain(ctx, deps, explainIn{AnySession: registry.AnySession{Session: address}})
	if err != nil || len(out.Panes) == 0 {
		return nil, err
	}
	return &out.Panes[0], nil
}

func (o *explainOut) setStatus(status core.Status, signals []detect.Signal) {
	o.State, o.Reason, o.Notes = status.State, status.Reason, status.Notes
	o.Confidence, o.ResetsAt, o.Signals = status.Confidence, status.ResetsAt, signals
}

func explained(why *observe.Explanation) Explanation {
	row := Explanation{
		PaneRow: verb.RowAt(why.PaneRef, &why.Status), Confidence: why.Status.Confidence, Title: why.Title,
		Command: why.Process.Command, Signals: why.Signals, Heard: why.Heard,
		Version: why.Version, VersionUnseen: why.VersionUnseen,
	}
	if why.ProgramStatus != nil {
		row.ProgramStatus = why.ProgramStatus.Line + " at " + core.Stamp(why.ProgramStatus.At)
	}
	if why.Hook != nil {
		row.Hook = why.Hook.Event + " at " + core.Stamp(why.Hook.At)
	}
	if why.Live != nil {
		row.Live = why.Live.Line
	}
	return row
}

// explainScreen judges a screen from a file.
func explainScreen(deps verb.OnFleet, in explainIn) (explainOut, error) {
	text, err := ScreenText(deps.Env, string(in.Screen))
	if err != nil {
		return explainOut{}, err
	}
	screen, err := ScreenOf(text, in.Title, in.Cursor)
	if err != nil {
		return explainOut{}, err
	}
	screen.View.AlternateOn = in.AlternateOn
	judged, err := deps.Fleet.Observer.Judge(in.Agent, in.Command, screen)
	if err != nil {
		return explainOut{}, err
	}
	out := explainOut{}
	out.setStatus(judged.Status, judged.Signals)
	return out, nil
}

// ScreenOf is a screen of rows of text. Cursor is X,Y,VISIBLE; without it the cursor's position is unknown.
func ScreenOf(text, title, cursor string) (screen *core.Screen, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	screen = &core.Screen{Lines: lines, Visible: len(lines), Title: title}
	if cursor != "" {
		// A viewport without a size says that the cursor's position is unknown.
		if screen.View.Cursor, err = cursorOf(cursor); err != nil {
			return nil, err
		}
		screen.View.Width, screen.View.Height = widest(lines), len(lines)
	}
	return screen, nil
}

// ScreenText reads a captured screen from a file, or from standard input for "-".
func ScreenText(env *verb.Env, file string) (string, error) {
	if file == "-" {
		return env.Stdin()
	}
	text, err := plainfile.Read(file, plainfile.Record)
	if err != nil {
		return "", core.Errorf(core.InvalidInput, "--screen: %w", err)
	}
	return string(text), nil
}

// cursorOf reads X,Y,VISIBLE.
func cursorOf(text string) (core.Cursor, error) {
	parts := strings.Split(text, ",")
	if len(parts) == 3 {
		x, errX := strconv.Atoi(parts[0])
		y, errY := strconv.Atoi(parts[1])
		visible, errV := strconv.ParseBool(parts[2])
		if errX == nil && errY == nil && errV == nil {
			return core.Cursor{X: x, Y: y, Visible: visible}, nil
		}
	}
	return core.Cursor{}, &core.Error{
		Code:    core.InvalidInput,
		Message: fmt.Sprintf("--cursor: %q is not X,Y,VISIBLE", text), Hint: "For example: --cursor 3,12,true.",
	}
}

func widest(lines []string) int {
	width := 0
	for _, line := range lines {
		width = max(width, len([]rune(line)))
	}
	return width
}

func (o explainOut) Report() *report.Report {
	r := &report.Report{}
	if len(o.Panes) == 0 {
		status := core.Status{State: o.State, Reason: o.Reason, Confidence: o.Confidence, Notes: o.Notes}
		return r.Add(explainBlock("", status, o.Signals))
	}
	for i := range o.Panes {
		r.Add(o.Panes[i].Block())
	}
	return r
}

// Block is the explanation for people.
func (row *Explanation) Block() report.Block {
	status := core.Status{State: row.State, Reason: row.Reason, Confidence: row.Confidence, Notes: row.Notes}
	block := explainBlock(row.Address()+" "+row.Agent, status, row.Signals)
	if row.VersionUnseen {
		block.Lines = append(block.Lines, report.Line{report.Toned(report.Warn,
			"version "+row.Version+" is newer than any that is known, so its dialogs and keys may differ")})
	}
	return block
}

func explainBlock(heading string, status core.Status, signals []detect.Signal) report.Block {
	judged := report.Line{
		report.State(status),
		report.Toned(report.Dim, fmt.Sprintf("  confidence %.0f %%", status.Confidence*100)),
	}
	for _, note := range status.Notes {
		judged = append(judged, report.Toned(report.Warn, "  "+string(note)))
	}
	block := report.Block{Heading: heading, Lines: []report.Line{judged}}
	for _, s := range signals {
		mark, tone := "  ", report.Dim
		if s.Decided {
			mark, tone = "* ", report.StateTone(s.State)
		}
		claim := strings.Join(slices.DeleteFunc([]string{string(s.State), string(s.Reason)},
			func(w string) bool { return w == "" }), " ")
		block.Lines = append(block.Lines, report.Line{
			report.Text(mark), report.Toned(tone, fmt.Sprintf("%-20s", claim)),
			report.Text(" " + string(s.Source) + "/" + s.Rule), report.Toned(report.Dim, "  "+s.Line),
		})
	}
	return block
}
