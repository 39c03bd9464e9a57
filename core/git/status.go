package git

import (
	"context"
	"strings"
)

// Kind is the kind of a change.
type Kind string

// The kinds of changes.
const (
	Added     Kind = "added"
	Modified  Kind = "modified"
	Deleted   Kind = "deleted"
	Renamed   Kind = "renamed"
	Untracked Kind = "untracked"
	Unmerged  Kind = "unmerged"
)

// Change is one file of a working tree that is not as in the last commit.
type Change struct {
	// Path is relative to the tree's root. From is the previous path of a renamed file;
	// empty otherwise.
	Path, From string
	Kind       Kind
	// Staged is true if the index differs from the last commit, Unstaged if the tree differs from the index.
	Staged, Unstaged bool
	// Filter is the git filter that applies to the file. It was not run, so it is not
	// certain that the file changed; empty without a filter.
	Filter string
}

// Status is how a working tree differs from its last commit.
type Status struct {
	// Head is the last commit, empty if there is none. Branch is the checked-out branch,
	// empty if the head is detached.
	Head, Branch string
	// Changes are in git's order. Left is how many a Bound left out.
	Changes []Change
	Left    int
}

// Status returns how the tree differs from its last commit. It omits ignored files and
// changes within submodules.
func (t *Tree) Status(ctx context.Context) (Status, error) { return t.StatusWithin(ctx, Bound{}) }

// StatusWithin is Status with a bound.
func (t *Tree) StatusWithin(ctx context.Context, bound Bound) (Status, error) {
	c := &Command{Dir: t.Root, Environ: t.environ, Within: treeWithin, once: true}
	reader := newStatusReader(bound)
	err := c.records(ctx, bound.Most > 0, reader.record, "status", "--porcelain=v2", "-z", "--branch",
		"--untracked-files=all", "--ignore-submodules=all")
	if err != nil {
		return Status{}, err
	}
	status := reader.status
	var paths []string
	for _, change := range status.Changes {
		if change.Kind != Untracked && change.Kind != Deleted {
			paths = append(paths, change.Path)
		}
	}
	under, err := c.Filtered(ctx, paths)
	if err != nil {
		return Status{}, err
	}
	for i := range status.Changes {
		status.Changes[i].Filter = under[status.Changes[i].Path]
	}
	return status, nil
}

// statusReader reads the records of version 2 of the porcelain form.
type statusReader struct {
	status Status
	bound  Bound
	// renamed is a change whose previous path is the next record.
	renamed *Change
}

func newStatusReader(bound Bound) *statusReader {
	return &statusReader{status: Status{Changes: []Change{}}, bound: bound}
}

func (r *statusReader) record(record string) {
	if r.renamed != nil {
		change := *r.renamed
		change.From, r.renamed = record, nil
		r.keep(change)
		return
	}
	if len(record) < 2 {
		return
	}
	change := Change{Kind: Modified}
	fields := 0
	switch record[0] {
	case '#':
		r.status.header(record)
		return
	case '1':
		change.Kind, fields = kindOf(record), 8
	case '2':
		change.Kind, fields = Renamed, 9
	case 'u':
		change.Kind, fields = Unmerged, 10
	case '?':
		change.Kind, fields = Untracked, 1
	default:
		return
	}
	change.Staged, change.Unstaged = stages(record)
	if parts := strings.SplitN(record, " ", fields+1); len(parts) == fields+1 {
		change.Path = parts[fields]
	}
	if change.Kind == Renamed {
		r.renamed = &change
		return
	}
	r.keep(change)
}

func (r *statusReader) keep(change Change) {
	if change.Path != "" {
		r.bound.keep(&r.status.Changes, &r.status.Left, r.bound.Most, change)
	}
}

func (s *Status) header(record string) {
	if head, is := strings.CutPrefix(record, "# branch.oid "); is && head != "(initial)" {
		s.Head = head
	}
	if branch, is := strings.CutPrefix(record, "# branch.head "); is && branch != "(detached)" {
		s.Branch = branch
	}
}

// stages reads from the two letters of a changed file where it differs.
func stages(record string) (staged, unstaged bool) {
	if len(record) < 4 || record[0] != '1' && record[0] != '2' {
		return false, true
	}
	return record[2] != '.', record[3] != '.'
}

// kindOf reads the two letters of a changed file: in the index and in the tree.
func kindOf(record string) Kind {
	if len(record) < 4 {
		return Modified
	}
	switch letters := record[2:4]; {
	case strings.Contains(letters, "D"):
		return Deleted
	case strings.Contains(letters, "A"):
		return Added
	}
	return Modified
}
