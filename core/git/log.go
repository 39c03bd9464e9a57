package git

import (
	"context"
	"strconv"
	"strings"
	"time"

	"cupola/core"
)

// Commit is a commit with the files that it changed; a merge has none.
type Commit struct {
	Hash    string
	At      time.Time
	Author  string
	Email   string
	Message string
	Files   []Change
	// Left is how many files a Bound left out.
	Left int
}

// Subject is the first paragraph of the message, in one line.
func (c *Commit) Subject() string {
	first, _, _ := strings.Cut(c.Message, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// Paths returns the names of the commit's files.
func (c *Commit) Paths() []string {
	return core.Map(c.Files, func(one Change) string { return one.Path })
}

// LogRequest selects commits.
type LogRequest struct {
	// Since excludes older commits; zero excludes none.
	Since time.Time
	// Most is the maximum number of commits; zero is all.
	Most int
	// NoMerges excludes merges.
	NoMerges bool
	// Files bounds the files of the commits.
	Files Bound
}

// The marks before a commit and between its parts, which no text of git's has.
const (
	commitMark = "\x01"
	partMark   = "\x02"
)

// Log returns the commits that led to the tree's head, the newest first. A tree
// without commits has none.
func (t *Tree) Log(ctx context.Context, request LogRequest) ([]Commit, error) {
	args := []string{
		"log", "-z", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-status",
		"--format=%x01%H%x02%ct%x02%an%x02%ae%x02%B",
	}
	if !request.Since.IsZero() {
		args = append(args, "--since=@"+strconv.FormatInt(request.Since.Unix(), 10))
	}
	if request.Most > 0 {
		args = append(args, "--max-count="+strconv.Itoa(request.Most))
	}
	if request.NoMerges {
		args = append(args, "--no-merges")
	}
	c := &Command{Dir: t.Root, Environ: t.environ, Within: logWithin}
	reader := newLogReader(request.Files)
	if err := c.records(ctx, request.Files.Most > 0, reader.record, args...); err != nil {
		if strings.Contains(err.Error(), "does not have any commits yet") {
			return []Commit{}, nil
		}
		return nil, err
	}
	return reader.commits, nil
}

// logReader reads commits, each with letters and names of files behind it.
type logReader struct {
	commits []Commit
	bound   Bound
	// letter is the status letter of the file whose name is the next record; empty if the next record is a letter.
	letter string
}

func newLogReader(bound Bound) *logReader { return &logReader{commits: []Commit{}, bound: bound} }

func (r *logReader) record(record string) {
	if letter := r.letter; letter != "" {
		r.letter = ""
		if c := &r.commits[len(r.commits)-1]; record != "" {
			r.bound.keep(&c.Files, &c.Left, (r.bound.Most+9)/10, Change{Path: record, Kind: letterKind(letter)})
		}
		return
	}
	record = strings.TrimPrefix(record, "\n")
	if head, is := strings.CutPrefix(record, commitMark); is {
		if c, ok := readCommit(head); ok {
			r.commits = append(r.commits, c)
		}
		return
	}
	if len(r.commits) > 0 {
		r.letter = record
	}
}

func readCommit(head string) (Commit, bool) {
	parts := strings.SplitN(head, partMark, 5)
	if len(parts) < 5 {
		return Commit{}, false
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return Commit{}, false
	}
	return Commit{
		Hash: parts[0], At: time.Unix(seconds, 0).UTC(), Author: parts[2], Email: parts[3],
		Message: strings.TrimSpace(parts[4]), Files: []Change{},
	}, true
}

func letterKind(letter string) Kind {
	switch {
	case strings.HasPrefix(letter, "A"):
		return Added
	case strings.HasPrefix(letter, "D"):
		return Deleted
	}
	return Modified
}
