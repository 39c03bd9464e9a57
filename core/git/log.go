package git

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Commit is a commit with the files that it changed; a merge has none.
type Commit struct {
	Hash    string
	At      time.Time
	Author  string
	Email   string
	Message string
	Files   []Change
}

// Subject is the first paragraph of the message, in one line.
func (c *Commit) Subject() string {
	first, _, _ := strings.Cut(c.Message, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// Paths returns the names of the commit's files.
func (c *Commit) Paths() []string {
	paths := make([]string, len(c.Files))
	for i := range c.Files {
		paths[i] = c.Files[i].Path
	}
	return paths
}

// LogRequest selects commits.
type LogRequest struct {
	// Since excludes older commits; zero excludes none.
	Since time.Time
	// Most is the maximum number of commits; zero is all.
	Most int
	// NoMerges excludes merges.
	NoMerges bool
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
	out, err := t.ask(ctx, logWithin, args...)
	if err != nil {
		if strings.Contains(err.Error(), "does not have any commits yet") {
			return []Commit{}, nil
		}
		return nil, err
	}
	return readLog(out), nil
}

// readLog reads commits, each with letters and names of files behind it.
func readLog(text string) []Commit {
	commits := []Commit{}
	words := strings.Split(text, "\x00")
	for i := 0; i < len(words); i++ {
		word := strings.TrimPrefix(words[i], "\n")
		if head, is := strings.CutPrefix(word, commitMark); is {
			if c, ok := readCommit(head); ok {
				commits = append(commits, c)
			}
			continue
		}
		if word == "" || len(commits) == 0 || i+1 >= len(words) {
			continue
		}
		i++
		if c := &commits[len(commits)-1]; words[i] != "" {
			c.Files = append(c.Files, Change{Path: words[i], Kind: letterKind(word)})
		}
	}
	return commits
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
	switch letter[0] {
	case 'A':
		return Added
	case 'D':
		return Deleted
	}
	return Modified
}
