// Package changes shows what changed in the working trees of the agents, and how.
package changes

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/changes"
	"cupola/core/term/cells"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// row is a working tree, or one of its files.
type row struct {
	tree *changes.Tree
	file *changes.File
}

// Question asks what changed in the working trees of the fleet since a base.
type Question struct{ Base changes.Base }

// PatchQuestion asks how a file of a tree changed, or all its files for an empty path.
type PatchQuestion struct {
	Tree *changes.Tree
	Path string
}

// Patch is the diff of one file of a tree, or of all its files.
type Patch struct {
	Text string
	// Cut is true if it is longer.
	Cut bool
}

// The working trees of the agents with what changed there, and the last patch.
var (
	readTrees = &screen.Slot[[]changes.Tree]{}
	readPatch = &screen.Slot[Patch]{}
)

// Screen is the list of trees and files with the difference of the selected one, or that alone.
type Screen struct {
	list  screen.Listed[row]
	whole bool
	// base names the state with which the trees are compared.
	base changes.Base
	diff diff
	// drawn is where the difference was drawn last.
	drawn layout.Rect
	snap  *core.Snapshot
}

// New makes the screen.
func New() *Screen { return &Screen{base: changes.BaseBranch} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "changes", Key: "4", Does: "changes: what the agents changed",
	Words: "git diff review merge commit stage",
	Keys:  []*intent.Scope{&intent.Changing, &intent.Reviewing}, Open: screen.Always(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope {
	if s.whole {
		return &intent.Reviewing
	}
	return &intent.Changing
}

// Sent forgets the comments that were sent with a prompt.
func (s *Screen) Sent(prompt string) { s.diff.sent(prompt) }

// Wants asks for the trees, repeatedly while they are displayed, and for the patch of the selection when it changes.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	if w.Snapshot == nil {
		return nil
	}
	wants := []screen.Want{{Slot: readTrees, Question: Question{s.base}, Version: w.Acts, Follow: true}}
	wants = append(wants, w.WantWork())
	s.gather(w)
	if at := s.list.Selected(); at != nil {
		tree, path := at.names()
		wants = append(wants, screen.Want{Slot: readPatch, Question: PatchQuestion{Tree: tree, Path: path}})
	}
	return wants
}

func (r *row) names() (*changes.Tree, string) {
	if r.file != nil {
		return r.tree, r.file.Path
	}
	return r.tree, ""
}

func (r *row) key() string {
	tree, path := r.names()
	return tree.Root + "\x00" + path
}

// gather lists the trees that changed, and finds the selected row again.
func (s *Screen) gather(w *screen.World) {
	s.snap = w.Snapshot
	var rows []row
	trees := readTrees.In(w).Value
	for i := range trees {
		tree := &trees[i]
		rows = append(rows, row{tree: tree})
		for j := range tree.Files {
			rows = append(rows, row{tree, &tree.Files[j]})
		}
	}
	if file := slices.IndexFunc(rows, func(r row) bool { return r.file != nil }); len(s.list.Rows) == 0 && file > 0 {
		s.list.Choose(rows[file].key()) // the first file says more than its tree
	}
	s.list.Take(rows, (*row).key)
}

// Handle moves, and says what an act is about.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if s.whole {
		if rest, is := s.reviews(wanted); is {
			return rest
		}
	}
	switch w := wanted.(type) {
	case intent.Scroll:
		if s.whole || s.drawn.Contains(w.X, w.Y) {
			return s.diff.reader.Handle(wanted)
		}
	case intent.Turn, intent.Shift, intent.ToggleWrap, intent.Find, intent.FindNext, intent.AskFind:
		return s.diff.reader.Handle(wanted)
	}
	at := s.list.Selected()
	switch wanted.(type) {
	case intent.Move, intent.Scroll, intent.Jump, intent.Pick:
		return s.list.Handle(wanted)
	case intent.Peek:
		s.show(!s.whole && at != nil)
	case intent.Back:
		if !s.whole {
			return wanted
		}
		s.show(false)
	case intent.Copy:
		return intent.CopyText{Text: s.diff.of.Text}
	case intent.NextBase:
		s.base = s.base.Next()
	default:
		if !intent.Among(wanted, acts...) {
			return wanted
		}
		if at != nil {
			return s.about(wanted, at)
		}
	}
	return nil
}

// acts are about the selected tree or file.
var acts = []intent.Intent{
	intent.Stage{},
	intent.AskCommit{},
	intent.AskDiscard{},
	intent.AskMergeTree{},
	intent.AskPublish{},
	intent.LookAt{},
	intent.Edit{},
	intent.GoTo{},
}

// Applies reports whether an intent has something to do in the selected tree, file or difference.
func (s *Screen) Applies(wanted intent.Intent) bool {
	at := s.list.Selected()
	if at == nil {
		return !intent.Among(wanted, append(acts, intent.Peek{}, intent.NextBase{}, intent.AskFind{})...)
	}
	switch wanted.(type) {
	case intent.Peek:
		return !s.whole || s.diff.prompt() != "" && screen.Acts(s.askSend(""))
	case intent.NextSession:
		return len(s.diff.review.hunks) > 1
	case intent.Stage, intent.AskDiscard:
		if s.whole {
			return len(s.diff.review.hunks) > 0
		}
	}
	return !intent.Among(wanted, acts...) || screen.Acts(s.about(wanted, at))
}

// show gives the difference the whole display, where its lines are selected, or ends that.
func (s *Screen) show(whole bool) {
	s.whole = whole
	s.diff.reader.Text.Sign = nil
	if whole {
		s.diff.reader.Text.Sign = s.diff.sign
		s.diff.begin()
	} else if s.diff.reader.Text.Query() == "" {
		s.diff.reader.Text.Marked = -1
	}
}

// reviews handles what concerns the lines of the difference; it reports false for the rest.
func (s *Screen) reviews(wanted intent.Intent) (intent.Intent, bool) {
	if s.diff.move(wanted) {
		return nil, true
	}
	switch w := wanted.(type) {
	case intent.NextSession:
		s.diff.nextHunk(w.By)
	case intent.Mark:
		return s.diff.mark(w), true
	case intent.Stage, intent.AskDiscard:
		return s.diff.act(wanted), true
	case intent.AskComment:
		return s.diff.askComment(), true
	case intent.Comment:
		s.diff.comment(w.Text)
	case intent.Peek:
		if text := s.diff.prompt(); text != "" {
			return s.askSend(text), true
		}
		return nil, false
	default:
		return nil, false
	}
	return nil, true
}

// askSend asks whether to send the comments to the agent who works in the tree.
func (s *Screen) askSend(text string) intent.Intent {
	pane := AgentAt(s.snap, s.list.Selected().tree.Root)
	if pane == nil {
		return intent.Refuse{Why: "no agent works in " + s.list.Selected().tree.Name() + "; mark one on the fleet"}
	}
	return intent.AskAgain{Target: screen.TargetOfPane(pane), Text: text}
}

// about adds the selected tree or file to an intent.
func (s *Screen) about(wanted intent.Intent, r *row) intent.Intent {
	tree, path := r.names()
	switch wanted.(type) {
	case intent.Stage:
		stage := sessions.ChangesIn{Tree: tree.Root, Do: sessions.Stage}
		if r.file == nil {
			return intent.Act{Input: stage, What: "all of " + tree.Name()}
		}
		if stage.Paths = []string{path}; r.file.Staged && !r.file.Unstaged {
			stage.Do = sessions.Unstage
		}
		return intent.Act{Input: stage, What: path}
	case intent.LookAt:
		return intent.Act{Input: sessions.ChangesIn{Tree: tree.Root, Do: sessions.Look}, What: tree.Name()}
	case intent.AskPublish:
		if tree.Branch == "" {
			return intent.Refuse{Why: "no branch is checked out in " + tree.Name()}
		}
		return intent.AskPublish{Root: tree.Root, What: whatIsPublished(tree)}
	case intent.AskCommit:
		if files, _ := tree.Uncommitted(); files == 0 {
			return intent.Refuse{Why: "there is nothing to commit in " + tree.Name()}
		}
		return intent.AskCommit{Root: tree.Root, What: whatIsCommitted(tree)}
	case intent.AskDiscard:
		if r.file == nil || r.file.Committed {
			return intent.Refuse{Why: "select a file that is not committed; D discards its change"}
		}
		added, deleted := max(0, r.file.Added), max(0, r.file.Deleted)
		return intent.AskDiscard{
			In: &sessions.ChangesIn{Tree: tree.Root, Do: sessions.Discard, Paths: []string{path}},
			What: fmt.Sprintf("It is %s in %s: +%d -%d lines. u brings it back.",
				r.file.Kind, tree.Name(), added, deleted),
		}
	case intent.AskMergeTree:
		switch {
		case tree.Worktree == "":
			return intent.Refuse{Why: tree.Name() + " is no worktree of an agent; M merges one of those"}
		case tree.Ahead == 0:
			return intent.Refuse{Why: tree.Base + " has all commits of " + tree.Name()}
		}
		return intent.AskMergeTree{Root: tree.Root, What: whatIsMerged(tree)}
	case intent.Edit:
		return intent.Edit{Root: tree.Root, Path: path}
	}
	return s.agent(tree)
}

// agent leads to an agent that works in a tree.
func (s *Screen) agent(tree *changes.Tree) intent.Intent {
	if pane := AgentAt(s.snap, tree.Root); pane != nil {
		return intent.GoTo{Pane: pane.ID, Session: pane.Session}
	}
	return intent.GoTo{}
}

// AgentAt returns the first agent that works in a tree; nil for none.
func AgentAt(snapshot *core.Snapshot, root string) *core.Pane {
	if snapshot == nil {
		return nil
	}
	for _, pane := range snapshot.Panes() {
		if pane.IsAgent() && pane.ID.Host() == "" && inside(pane.Process.Dir, root) {
			return pane
		}
	}
	return nil
}

func inside(dir, root string) bool {
	return dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))
}

func whatIsCommitted(tree *changes.Tree) string {
	files, staged := tree.Uncommitted()
	if staged > 0 {
		return fmt.Sprintf("What is staged in %s: %s.", tree.Name(), counted(staged, "file"))
	}
	return fmt.Sprintf("Nothing is staged in %s, so all that changed: %s.", tree.Name(), counted(files, "file"))
}

func whatIsMerged(tree *changes.Tree) string {
	text := fmt.Sprintf("%s of %s into %s.", counted(tree.Ahead, "commit"), tree.Worktree, tree.Base)
	if tree.Behind > 0 {
		text += fmt.Sprintf(" It lacks %s of %s.", counted(tree.Behind, "commit"), tree.Base)
	}
	if files, _ := tree.Uncommitted(); files > 0 {
		text += fmt.Sprintf(" %s not committed: C commits first.", counted(files, "file is", "files are"))
	}
	return text
}

func whatIsPublished(tree *changes.Tree) string {
	text := "Branch " + tree.Branch + " of " + tree.Name() + "."
	if files, _ := tree.Uncommitted(); files > 0 {
		text += fmt.Sprintf(" %s not committed: C commits first.", counted(files, "file is", "files are"))
	}
	return text
}

// counted counts things; several names them where that is not the noun with an s.
func counted(n int, noun string, several ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(several) > 0:
		return fmt.Sprintf("%d %s", n, several[0])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// View draws the list and the difference, or the difference alone.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	if len(s.list.Rows) == 0 {
		s.whole = false
		return screen.Empty(w, r, empty(w))
	}
	if s.whole {
		return s.difference(w, r)
	}
	return screen.Split(w, r, len(s.list.Rows)+1,
		func(r layout.Rect) []string { return s.table(w, r, zones) },
		func(r layout.Rect) []string { return s.difference(w, r) })
}

func empty(w *screen.World) string {
	switch {
	case !readTrees.In(w).Read:
		return "reading" + w.Theme.Glyphs().Ellipsis
	case readTrees.In(w).Wrong != "":
		return cells.Clean(readTrees.In(w).Wrong)
	}
	return "no agent works in a git working tree"
}

// table draws the list.
func (s *Screen) table(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	head, body := r.Top(1)
	files := 0
	trees := readTrees.In(w).Value
	for i := range trees {
		files += len(trees[i].Files)
	}
	note := counted(len(trees), "tree") + ", " + counted(files, "file") + " "
	title := widget.Line{{Token: theme.Header, Text: "  Changes"}, {Token: theme.Dim, Text: since[s.base]}}
	lines := widget.Bar(w.Theme, head, title, widget.Styled(theme.Dim, note))
	rows := widget.Rows{Left: make([]widget.Line, len(s.list.Rows)), Right: make([]widget.Line, len(s.list.Rows))}
	for i, each := range s.list.Rows {
		if each.file == nil {
			rows.Left[i], rows.Right[i] = treeRow(w, each.tree)
		} else {
			rows.Left[i], rows.Right[i] = fileRow(each.file)
		}
	}
	return append(lines, s.list.Draw(w, body, rows, zones)...)
}

// since say in the title what trees are compared with.
var since = map[changes.Base]string{
	changes.BaseBranch: "  since they left their branch", changes.BaseCommit: "  since the last commit",
	changes.BaseLook: "  since your last look",
}

func treeRow(w *screen.World, tree *changes.Tree) (left, right widget.Line) {
	left = widget.Line{{Token: theme.Strong, Text: cells.Clean(tree.Name())}}
	add := func(token theme.Token, text string) {
		left = append(left, widget.Span{Token: token, Text: "  " + cells.Clean(text)})
	}
	switch {
	case tree.Trouble != "":
		add(theme.Danger, tree.Trouble)
		return left, nil
	case tree.Worktree == "":
		add(theme.Dim, tree.Branch)
	default:
		add(theme.Dim, "from "+tree.Base)
		if tree.Ahead > 0 {
			add(theme.Accent, fmt.Sprintf("%d ahead", tree.Ahead))
		}
		if tree.Behind > 0 {
			add(theme.Warn, fmt.Sprintf("%d behind", tree.Behind))
		}
	}
	if pull := w.PullAt(tree.Root); pull != nil {
		left = append(append(left, widget.Span{Text: "  "}), screen.PullOf(w.Theme, pull)...)
	}
	if len(tree.Files) == 0 {
		return left, widget.Styled(theme.Dim, "nothing changed ")
	}
	return left, append(screen.Counts(tree.Lines()), widget.Span{Text: " "})
}

// signs are the letters of kinds, as git has them.
var signs = map[git.Kind]string{
	git.Added: "A", git.Modified: "M", git.Deleted: "D", git.Renamed: "R", git.Untracked: "?", git.Unmerged: "!",
}

func fileRow(f *changes.File) (left, right widget.Line) {
	token, stage := theme.Text, " "
	switch {
	case f.Kind == git.Unmerged:
		token = theme.Danger
	case f.Committed:
		token = theme.Dim
	case f.Staged && f.Unstaged:
		stage = "~"
	case f.Staged:
		stage = "+"
	}
	path := f.Path
	if f.From != "" {
		path += " from " + f.From
	}
	if len(f.Also) > 0 {
		token, stage = theme.Danger, "!"
	}
	left = widget.Line{
		{Token: theme.Accent, Text: "  " + stage},
		{Token: theme.Dim, Text: signs[f.Kind] + " "},
		{Token: token, Text: cells.Clean(path)},
	}
	if len(f.Also) > 0 {
		left = append(left, widget.Span{Token: theme.Danger, Text: "  also " + cells.Clean(strings.Join(f.Also, ", "))})
	}
	if f.Added < 0 {
		return left, widget.Styled(theme.Dim, " no text ")
	}
	return left, append(append(widget.Line{{Text: " "}}, screen.Counts(f.Added, f.Deleted)...), widget.Span{Text: " "})
}

// difference draws the difference of the selected row below its name.
func (s *Screen) difference(w *screen.World, r layout.Rect) []string {
	s.drawn = r
	head, body := r.Top(1)
	tree, path := s.list.Selected().names()
	title := widget.Line{{Token: theme.Strong, Text: cells.Clean(path)}}
	if path == "" {
		title = widget.Line{{Token: theme.Strong, Text: cells.Clean(tree.Name())}}
	}
	if f := s.list.Selected().file; f != nil {
		title = append(title, widget.Span{Token: theme.Dim, Text: "  " + stateOf(f)})
	} else if pull := w.PullAt(tree.Root); pull != nil {
		title = append(title, widget.Span{Token: theme.Dim, Text: "  " + pull.Words() + "  " + pull.URL})
	} else {
		title = append(title, widget.Span{Token: theme.Dim, Text: "  " + tree.Root})
	}
	if s.whole && s.base != changes.BaseBranch {
		title = append(title, widget.Span{Token: theme.Dim, Text: since[s.base]})
	}
	read := readPatch.In(w)
	if asked, is := read.Question.(PatchQuestion); !is || asked.Tree.Root != tree.Root || asked.Path != path {
		return append(widget.Bar(w.Theme, head, title, nil),
			screen.Reading(w, body)...)
	}
	s.diff.take(w, tree.Root, path, read)
	if n := s.diff.comments(); n > 0 {
		title = append(title, widget.Span{Token: theme.Ask, Text: "  " + counted(n, "comment")})
	}
	drawn := s.diff.reader.Text.Draw(w.Theme, body, w.Cache) // it says then which lines show
	if s.whole && r.W >= besideFrom && !w.OneColumn() {
		drawn = s.diff.beside.draw(w, body, &s.diff)
	}
	return append(widget.Bar(w.Theme, head, title, s.diff.reader.Place()), drawn...)
}

// stateOf says where a change is.
func stateOf(f *changes.File) string {
	switch {
	case f.Kind == git.Unmerged:
		return "has a conflict"
	case f.Committed:
		return "committed"
	case f.Staged && f.Unstaged:
		return string(f.Kind) + ", staged in part"
	case f.Staged:
		return string(f.Kind) + ", staged"
	case f.Kind == git.Untracked:
		return "new, not staged"
	}
	return string(f.Kind) + ", not staged"
}
