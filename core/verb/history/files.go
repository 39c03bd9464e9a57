package history

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/worklog"
	"cupola/core/git"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type filesIn struct {
	registry.OfSession
	Window        time.Duration `default:"1h" help:"Only files changed within this time"`
	registry.Page `default:"limit=100"`
}

type filesOut struct {
	Filters filesFilters `json:"filters,omitzero"`
	// Files has one row per file, the newest first.
	Files []fileRow `json:"files"`
	// Conflicts has one row per file that several agents changed.
	Conflicts []conflictRow `json:"conflicts"`
	// Trees has one row per git working tree that was looked at.
	Trees []treeRow `json:"trees"`
	verb.Paged

	at time.Time
}

// filesFilters echoes what was asked for.
type filesFilters struct {
	Session string `json:"session,omitempty" names:"session"`
	WindowS int    `json:"window_s,omitempty"`
}

// fileRow is one file that changed. What does not apply is empty.
type fileRow struct {
	_ struct{} `minimal:"path,change,agent" standard:"path,change,at,session,agent,by,conflict"`
	_ struct{} `table:"FILE,CHANGE,AGO,BY,KNOWN FROM,TREE"`
	// Tree is the root of the working tree, Path is relative to that.
	Tree string `json:"tree" table:"TREE,dim,drop=1"`
	Path string `json:"path" table:"FILE,strong,flex"`
	// Change is added, modified, deleted, renamed, untracked or unmerged.
	Change git.Kind  `json:"change" table:"CHANGE"`
	At     time.Time `json:"at" table:"AGO,dim,ago"`
	// Commit is the hash of the commit that holds the change.
	Commit string `json:"commit,omitempty"`
	// Filter is the git filter that the file is under, which was not run: whether the
	// file changed is not known for sure.
	Filter string `json:"filter,omitempty"`
	// Session, Address and Agent name its owner; By says how that is known:
	// transcript, worktree, cwd or unknown; before if it changed before any session in
	// the tree began.
	Session string `json:"session,omitempty" names:"session"`
	Address string `json:"address,omitempty" names:"session" table:"BY,empty=-,and=Agent"`
	Agent   string `json:"agent,omitempty"`
	By      string `json:"by,omitempty" table:"KNOWN FROM,dim"`
	// Conflict is true if several agents changed it.
	Conflict bool `json:"conflict"`
}

// conflictRow is a file that several agents changed.
type conflictRow struct {
	_    struct{}  `minimal:"path,addresses"`
	Tree string    `json:"tree"`
	Path string    `json:"path"`
	At   time.Time `json:"at"`
	// Where is tree for one file, or worktrees where each changed it in a worktree of
	// its own.
	Where string `json:"where"`
	// Agents are the addresses of their panes.
	Agents []string `json:"addresses" names:"session"`
}

// treeRow is a git working tree in which sessions are.
type treeRow struct {
	_      struct{} `minimal:"tree,branch"`
	Tree   string   `json:"tree"`
	Branch string   `json:"branch,omitempty"`
	Head   string   `json:"head,omitempty"`
	// Linked is true for a worktree next to its repository.
	Linked bool `json:"linked"`
	// Sessions and Agents are the sessions and agents in it.
	Sessions []string `json:"session_names" names:"session"`
	Agents   []string `json:"addresses" names:"session"`
	// Problem is the reason why nothing is known of it.
	Problem string `json:"problem,omitempty"`
}

var files = registry.Define(registry.Spec[verb.OnFleet, filesIn, filesOut]{
	Name: "files", Group: verb.GroupSee,
	Short: "List changed files, and who changed them",
	Long: "A file is credited to the agent whose transcript says it edited it, or else to the only agent in a " +
		"worktree or folder, or else to none (by: unknown, or before if it changed before any session there " +
		"began). Files that git ignores are left out. A conflict is a file that several agents changed.",
	Scope: registry.Global, Effect: registry.Reads, List: "files",
	Deprecated: registry.Prefixed{Prefix: "files", Flags: []string{"limit", "window"}},
	Examples:   []string{"", "--session=api --window=24h --limit=20"},
	Errors:     []core.Code{core.SessionNotFound, core.ToolNotFound, core.EngineUnavailable, core.PermissionDenied},
	Run:        runFiles,
}).SeeAlso("summary")

func (o filesOut) Next() []registry.Action {
	if len(o.Conflicts) == 0 {
		return nil
	}
	return verb.NextOnly("diff", "See what each agent did", "diff")
}

func runFiles(ctx context.Context, deps verb.OnFleet, in filesIn) (filesOut, error) {
	now := deps.Env.Now()
	work, err := deps.Fleet.Surveyor.Work(ctx, worklog.Request{Session: in.Session, Since: now.Add(-in.Window)})
	if err != nil {
		return filesOut{}, err
	}
	hidden, err := verb.HiddenNow(ctx, deps.Env, in.Session)
	if err != nil {
		return filesOut{}, err
	}
	hidden.Work(work)
	warnOfTrees(deps.Env, work)
	shown, page := verb.Cut(work.Files, in.Page)
	out := filesOut{
		Filters: filesFilters{Session: in.Session, WindowS: int(in.Window.Seconds())},
		Files:   make([]fileRow, 0, len(shown)), Paged: page, at: now,
	}
	several := map[string]bool{}
	for i := range work.Conflicts {
		c := &work.Conflicts[i]
		for _, tree := range c.Trees {
			several[filepath.Join(tree, c.Path)] = true
		}
		out.Conflicts = append(out.Conflicts, conflictRowOf(c))
	}
	for i := range shown {
		row := fileRowOf(shown[i])
		row.Conflict = several[filepath.Join(row.Tree, row.Path)]
		out.Files = append(out.Files, row)
	}
	for i := range work.Trees {
		t := &work.Trees[i]
		row := treeRow{Tree: t.Root, Branch: t.Branch, Head: t.Head, Linked: t.Linked, Problem: t.Trouble}
		row.Sessions = slices.DeleteFunc(append([]string{}, t.Sessions...), hidden.Hides)
		row.Agents = verb.Addresses(slices.DeleteFunc(slices.Clone(t.Agents),
			func(ref core.PaneRef) bool { return hidden.Hides(ref.Session) }))
		out.Trees = append(out.Trees, row)
	}
	return out, nil
}

// warnOfTrees warns of what is not known of working trees, and why.
func warnOfTrees(env *verb.Env, work *worklog.Work) {
	for i := range work.Trees {
		t := &work.Trees[i]
		if t.Trouble != "" {
			env.Warn("what changed in " + t.Root + " is not known: " + t.Trouble)
		}
		if t.Left > 0 {
			env.Warn(fmt.Sprintf("in %s, there are too many changes to list: %s not among the files", t.Root,
				verb.Plural(t.Left, "change")))
		}
		var under []string
		for j := range work.Files {
			if f := &work.Files[j]; f.Tree == t.Root && f.Filter != "" {
				under = append(under, f.Path+" ("+f.Filter+")")
			}
		}
		if n := len(under); n > 0 {
			env.Warn(fmt.Sprintf("in %s, %s under a git filter, which is not run here, so it is not certain that "+
				"they changed: %s",
				t.Root, verb.Plural(n, "file"), verb.SomeOf(under)))
		}
	}
}

func fileRowOf(f worklog.FileChange) fileRow {
	row := fileRow{
		Tree: f.Tree, Path: f.Path, Change: f.Kind, At: f.At, Commit: f.Commit, Filter: f.Filter,
		Session: f.Session, Agent: f.Agent, By: f.By,
	}
	if f.Pane != "" {
		row.Address = f.Address()
	}
	return row
}

func conflictRowOf(c *worklog.FileConflict) conflictRow {
	row := conflictRow{Tree: c.Tree, Path: c.Path, At: c.At, Where: "tree"}
	if c.Worktrees {
		row.Where = "worktrees"
	}
	refs := core.Map(c.Agents, func(one worklog.Credit) core.PaneRef { return one.PaneRef })
	row.Agents = verb.Addresses(refs)
	return row
}

func (o filesOut) Report() *report.Report {
	r := &report.Report{}
	if len(o.Conflicts) > 0 {
		block := report.Block{Heading: "Several agents changed"}
		for _, c := range o.Conflicts {
			block.Lines = append(block.Lines, report.Line{
				report.Toned(report.Bad, c.Path), report.Text(" by " + strings.Join(c.Agents, ", ")),
				report.Toned(report.Dim, " in "+c.Tree),
			})
		}
		r.Add(block)
	}
	table := report.TableOf(o.Files, o.at, "nothing changed")
	switch {
	case len(o.Trees) == 0:
		table.Empty = "no session is in a git working tree"
	case slices.ContainsFunc(o.Trees, func(t treeRow) bool { return t.Problem != "" }):
		table.Empty = "nothing is known to have changed"
	}
	return r.AddTable("", table)
}

// Cell shows in different words a change that is committed, one that is unknown, and one that
// several agents made.
func (r *fileRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "FILE" && r.Conflict:
		return report.Toned(report.Bad, r.Path), true
	case title == "CHANGE" && r.Commit != "":
		return report.Text("committed"), true
	case title == "CHANGE" && r.Filter != "":
		return report.Toned(report.Warn, string(r.Change)+"?"), true
	}
	return report.Cell{}, false
}
