package checkpoints

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/record/checkpoint"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type checkpointIn struct {
	Session   string `arg:"1" required:"true" names:"session" help:"Session, by its exact name"`
	Name      string `help:"Name of the checkpoint (default: the session's name and the time)"`
	Note      string `empty:"none" help:"A note to keep with it"`
	Lines     int    `min:"1" max:"1000000" default:"5000" help:"Lines of scrollback to keep for each pane, at most"`
	Untracked int    `min:"0" max:"10000" default:"10" help:"Megabytes of untracked files to keep for each tree, at most"`
}

type checkpointOut struct {
	Name    string    `json:"name"`
	Session string    `json:"session" names:"session"`
	At      time.Time `json:"at"`
	Note    string    `json:"note,omitempty"`
	// Path is the checkpoint's folder, Bytes what its files hold.
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	// Prompts counts the prompts that were sent to the session and are kept.
	Prompts int `json:"prompt_count"`
	// Panes has one row per pane, Trees one for each git tree that they worked in.
	Panes []checkpointPane `json:"panes"`
	Trees []checkpointTree `json:"trees"`
}

// checkpointPane is the saved state of one pane. Fields that do not apply are empty.
type checkpointPane struct {
	_ struct{} `minimal:"ordinal,agent,line_count" standard:"ordinal,agent,state,dir,session_id,line_count,complete"`
	_ struct{} `table:"PANE,AGENT,STATE,TAKES UP,LINES,FOLDER"`
	// The state is the one at the moment of the checkpoint.
	verb.PaneRow
	Dir    string `json:"dir,omitempty" table:"FOLDER,dim,flex"`
	Branch string `json:"branch,omitempty"`
	// Resume is the agent's own session, which restore takes up.
	SessionID string `json:"session_id,omitempty" table:"TAKES UP,dim,empty=-"`
	// Lost is the reason why restore starts a new session instead; absent if it resumes one, or if the agent has none.
	Lost string `json:"lost,omitempty"`
	// Lines of scrollback are kept, from Source: screen or history. Where Complete
	// is false, Why says what is missing.
	Lines    int    `json:"line_count" table:"LINES"`
	Source   string `json:"source,omitempty"`
	Complete bool   `json:"complete"`
	Why      string `json:"why,omitempty"`
}

// checkpointTree is the saved state of one git tree.
type checkpointTree struct {
	_      struct{} `minimal:"top,changed" table:"TREE,BRANCH,COMMIT,CHANGED FILES"`
	Top    string   `json:"top" table:"TREE,flex"`
	Head   string   `json:"head,omitempty" table:"COMMIT,dim,format=%.10s"`
	Branch string   `json:"branch,omitempty" table:"BRANCH,empty=-"`
	// Changed counts the files in the patch, Untracked those of them that git does
	// not know, LeftOut those that were too large. Filtered counts files that may have
	// changed and are not in the patch: a git filter, which was not run, says what they
	// hold.
	Changed   int `json:"changed" table:"CHANGED FILES"`
	Untracked int `json:"untracked"`
	LeftOut   int `json:"left_out"`
	Filtered  int `json:"filtered"`
}

var keep = registry.Define(registry.Spec[verb.OnFleet, checkpointIn, checkpointOut]{
	Name: "checkpoint", Group: verb.GroupKeep, Short: "Record a session to restore it",
	Aliases: []string{"checkpoint create", "checkpoint save", "session checkpoint"},
	Long: "Keeps how each pane was started, the agents' own session ids, what every pane shows, the prompts sent, " +
		"and for each git tree the commit and the changes since. Nothing in the session or its trees is touched. " +
		"Only the names of a pane's environment variables are kept, because their values may be secret.",
	Scope: registry.Session, Effect: registry.Writes, List: "panes",
	Examples: []string{"api", "web --name=before-the-move --note='all tests pass'"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AlreadyExists, core.CheckpointFailed, core.EngineUnavailable,
		core.PermissionDenied, core.StoreError, core.StoreLocked, core.MigrationFailed,
	},
	Run: runCheckpoint,
})

func runCheckpoint(ctx context.Context, deps verb.OnFleet, in checkpointIn) (checkpointOut, error) {
	shape, err := deps.Fleet.Launcher.Shape(ctx, in.Session)
	if err != nil {
		return checkpointOut{}, err
	}
	now := deps.Env.Now().UTC().Truncate(time.Second)
	draft, err := beginCheckpoint(deps.Env.Paths.Checkpoints(), in.Name, checkpoint.DefaultName(in.Session, now))
	if err != nil {
		return checkpointOut{}, err
	}
	defer draft.Discard()
	g := gathering{deps: deps, shape: shape, draft: draft, in: &in, made: &checkpoint.Checkpoint{
		Session: shape.Session, At: now, Server: shape.Server, Note: in.Note,
	}}
	if err := g.all(ctx); err != nil {
		return checkpointOut{}, err
	}
	if err := draft.Commit(g.made); err != nil {
		return checkpointOut{}, err
	}
	return checkpointOutOf(g.made, deps.Env.Paths.Checkpoints()), nil
}

// beginCheckpoint begins one under the name that was given or, without one,
// under the first that is free.
func beginCheckpoint(root, name, usual string) (*checkpoint.Draft, error) {
	if name != "" {
		return checkpoint.Begin(root, name)
	}
	for n := 1; ; n++ {
		free := usual
		if n > 1 {
			free = fmt.Sprintf("%s-%d", usual, n)
		}
		draft, err := checkpoint.Begin(root, free)
		if known := new(core.Error); errors.As(err, &known) && known.Code == core.AlreadyExists {
			continue
		}
		return draft, err
	}
}

func checkpointOutOf(c *checkpoint.Checkpoint, root string) checkpointOut {
	out := checkpointOut{
		Name: c.Name, Session: c.Session, At: c.At, Note: c.Note, Prompts: c.Prompts,
		Panes: make([]checkpointPane, 0, len(c.Panes)), Trees: make([]checkpointTree, 0, len(c.Trees)),
	}
	out.Path, out.Bytes = checkpoint.Size(root, c.Name)
	for i := range c.Panes {
		p, r := &c.Panes[i], &c.Recipe.Panes[i]
		out.Panes = append(out.Panes, checkpointPane{
			PaneRow: verb.PaneRow{
				PaneRef: core.PaneRef{Session: out.Session, Ordinal: p.Ordinal, Agent: p.Agent, Kind: p.Kind},
				State:   p.State,
			},
			Dir: r.Dir, Branch: p.Branch, SessionID: r.Resume, Lost: p.Lost,
			Lines: p.Lines, Source: p.Source, Complete: p.Complete, Why: p.Why,
		})
	}
	for i := range c.Trees {
		t := &c.Trees[i]
		out.Trees = append(out.Trees, checkpointTree{
			Top: t.Top, Head: t.Head, Branch: t.Branch, Changed: t.Changed, Untracked: t.Untracked,
			LeftOut: len(t.LeftOut), Filtered: len(t.Filtered),
		})
	}
	return out
}

func (o checkpointOut) Hints() *registry.Hints {
	h := &registry.Hints{Summary: fmt.Sprintf("Recorded %s of %s as %s", verb.Plural(len(o.Panes), "pane"), o.Session,
		o.Name)}
	for i := range o.Panes {
		if p := &o.Panes[i]; p.Lost != "" {
			h.Warnings = append(h.Warnings, fmt.Sprintf("%s will begin a new session: %s", p.Agent, p.Lost))
		}
	}
	for _, t := range o.Trees {
		if t.LeftOut > 0 {
			h.Warnings = append(h.Warnings,
				fmt.Sprintf("%s in %s left out as too large; --untracked allows more", wereOf(t.LeftOut), t.Top))
		}
	}
	return h
}

// wereOf counts untracked files with their verb.
func wereOf(n int) string {
	if n == 1 {
		return "1 untracked file was"
	}
	return fmt.Sprintf("%d untracked files were", n)
}

func (o checkpointOut) Next() []registry.Action {
	as := "--as=" + o.Session + "-again"
	return []registry.Action{
		verb.NextAction("restore", "See what restoring it would start", "restore", o.Name, as, "--dry-run"),
		verb.NextAction("list", "List the checkpoints", "checkpoint-list"),
	}
}

func (o checkpointOut) Report() *report.Report {
	r := report.Say(report.Toned(report.Good, "Recorded "), report.Text(o.Session), report.Text(" as "),
		report.Toned(report.Strong, o.Name),
		report.Toned(report.Dim, fmt.Sprintf(" (%s, %s)", verb.Plural(o.Prompts, "prompt"), size(o.Bytes))))
	r.AddRows("", o.Panes, time.Time{}).AddRows("", o.Trees, time.Time{})
	r.Next = []report.Tip{verb.Tip("start it again as another session", "restore", o.Name, "--as="+o.Session+"-again")}
	return r
}

// size is a number of bytes.
type size int64

// String writes it for people.
func (n size) String() string {
	switch {
	case n < 1<<10:
		return verb.Plural(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1<<9)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// Cell marks a count of lines that are not all there are.
func (p *checkpointPane) Cell(title string) (report.Cell, bool) {
	if title == "LINES" && !p.Complete {
		return report.Toned(report.Warn, strconv.Itoa(p.Lines)), true
	}
	return p.PaneRow.Cell(title)
}
