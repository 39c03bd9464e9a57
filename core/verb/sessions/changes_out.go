package sessions

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/changes"
	"cupola/core/git/forge"
	"cupola/core/git/worktree"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ChangesOut is the answer of the verb changes.
type ChangesOut struct {
	Base   changes.Base `json:"compared_with"`
	DryRun bool         `json:"dry_run"`
	// Act was done, and Did says it in words; both are absent where nothing was.
	Act TreeAct `json:"act,omitempty"`
	Did string  `json:"done,omitempty"`
	// Commit is the hash of the commit that was made.
	Commit string `json:"commit,omitempty"`
	// Trees has a row for each working tree, those with changes first.
	Trees []ChangedTree `json:"working_trees" empty:"no session works in a git working tree"`
}

// ChangedTree is a working tree with what changed in it.
type ChangedTree struct {
	_    struct{} `minimal:"tree,branch" standard:"tree,worktree,branch,ahead,behind,changed_files"`
	_    struct{} `table:"TREE,BRANCH,AHEAD,BEHIND,ADDED,DELETED,PULL REQUEST"`
	Tree string   `json:"tree"`
	// Worktree is whose worktree it is, as SESSION/AGENT; absent for other trees.
	Worktree string `json:"worktree,omitempty"`
	// Agents are the addresses of the agents that work there.
	Agents  []string `json:"addresses" names:"session"`
	Name    string   `json:"-" table:"TREE,strong,flex"`
	Branch  string   `json:"branch,omitempty" table:"BRANCH,empty=-"`
	Ahead   int      `json:"ahead" table:"AHEAD"`
	Behind  int      `json:"behind" table:"BEHIND,dim"`
	Added   int      `json:"lines_added" table:"ADDED,good,format=+%d"`
	Deleted int      `json:"lines_deleted" table:"DELETED,bad,format=-%d"`
	// Looked is true if it is compared with the last look at it.
	Looked bool          `json:"looked"`
	Files  []ChangedFile `json:"changed_files"`
	Patch  string        `json:"patch,omitempty"`
	Cut    bool          `json:"cut"`
	// Pull is the pull request of its branch; absent if there is none, and if it was not asked for.
	Pull *PullRow `json:"pull_request,omitempty"`
	// Problem is the reason why it cannot be read.
	Problem string `json:"problem,omitempty"`
}

// ChangedFile is one file that changed.
type ChangedFile struct {
	_      struct{} `minimal:"path,change"`
	Path   string   `json:"path"`
	From   string   `json:"from_path,omitempty"`
	Change git.Kind `json:"change"`
	// Added and Deleted count lines; absent for files that are not text.
	Added     verb.MaybeInt `json:"added,omitzero"`
	Deleted   verb.MaybeInt `json:"deleted,omitzero"`
	Staged    bool          `json:"staged"`
	Unstaged  bool          `json:"unstaged"`
	Committed bool          `json:"committed"`
	// Also names the other worktrees in which it changed too.
	Also []string `json:"also_changed_in"`
}

// PullRow is a pull request.
type PullRow struct {
	Number int             `json:"number"`
	Title  string          `json:"title"`
	URL    string          `json:"url"`
	State  forge.PullState `json:"pull_state"`
	Checks forge.Checks    `json:"check_state,omitempty"`
}

func rowOfChanges(t *changes.Tree) ChangedTree {
	row := ChangedTree{
		Tree: t.Root, Worktree: t.Worktree, Name: t.Name(), Branch: t.Branch, Ahead: t.Ahead, Behind: t.Behind,
		Looked: t.Looked, Problem: t.Trouble,
	}
	row.Added, row.Deleted = t.Lines()
	for i := range t.Files {
		f := &t.Files[i]
		row.Files = append(row.Files, ChangedFile{
			Path: f.Path, From: f.From, Change: f.Kind,
			Added: verb.MaybeInt(f.Added), Deleted: verb.MaybeInt(f.Deleted),
			Staged: f.Staged, Unstaged: f.Unstaged, Committed: f.Committed, Also: f.Also,
		})
	}
	return row
}

// ask asks for the pull request of the branch. A branch that no remote has can have none.
func (r *ChangedTree) ask(ctx context.Context, env *verb.Env) error {
	if !forge.Published(ctx, r.Tree, r.Branch, env.Environ) {
		return nil
	}
	pull, err := forge.At(ctx, r.Tree, env.Environ, env.Bridges.Find).PullOf(ctx, r.Branch)
	if core.AsError(err).HasCode(core.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Pull = &PullRow{
		Number: pull.Number, Title: pull.Title, URL: pull.URL, State: pull.State, Checks: pull.Checks,
	}
	return nil
}

// Said says what was done.
func (o ChangesOut) Said() string { return o.Did }

// Next leads from changes to what can be done with them.
func (o ChangesOut) Next() []registry.Action {
	if o.Act != "" {
		return nil
	}
	for i := range o.Trees {
		if t := &o.Trees[i]; len(t.Files) > 0 && t.Worktree != "" {
			return verb.NextOnly("changes", "See what changed there", "changes", t.Tree, "--patch")
		}
	}
	return nil
}

// Cell shows a pull request, and why a tree cannot be read.
func (r *ChangedTree) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "PULL REQUEST" && r.Pull == nil:
		return report.Cell{}, true
	case title == "PULL REQUEST":
		pull := &forge.Pull{Number: r.Pull.Number, State: r.Pull.State, Checks: r.Pull.Checks}
		return report.Text(pull.String() + " " + pull.Words()), true
	case title == "BRANCH" && r.Problem != "":
		return report.Toned(report.Bad, r.Problem), true
	}
	return report.Cell{}, false
}

// Report shows what was done, or the trees with their files.
func (o ChangesOut) Report() *report.Report {
	if o.Act != "" {
		return report.Say(report.Text(o.Did))
	}
	r := report.TableOf(o.Trees, time.Time{}, "No session works in a git working tree.").Report()
	for i := range o.Trees {
		t := &o.Trees[i]
		if len(t.Files) == 0 {
			continue
		}
		block := report.Block{Heading: t.Name}
		for j := range t.Files {
			block.Lines = append(block.Lines, t.Files[j].line())
		}
		if t.Patch != "" {
			block.Quote = t.Patch
		}
		r.Add(block)
	}
	return r
}

// line shows a file to people.
func (f *ChangedFile) line() report.Line {
	state := string(f.Change)
	switch {
	case f.Committed:
		state = "committed"
	case f.Staged && f.Unstaged:
		state += ", staged in part"
	case f.Staged:
		state += ", staged"
	}
	line := report.Line{report.Text(f.Path), report.Toned(report.Dim, "  "+state)}
	if len(f.Also) > 0 {
		line = append(line, report.Toned(report.Bad, "  also in "+strings.Join(f.Also, ", ")))
	}
	return line
}

// namesOfTrees are the names by which trees are found.
func namesOfTrees(roots []string) (names []string) {
	for _, root := range roots {
		name := filepath.Base(root)
		if worktree.Within(root) {
			name = filepath.Base(filepath.Dir(root)) + "/" + name
		}
		names = append(names, cmp.Or(name, root))
	}
	return names
}
