package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is a commit with the files that it changed; those of a merge are left
// out.
type Commit struct {
	Hash    string
	At      time.Time
	Author  string
	Email   string
	Subject string
	Files   []Change
}

// The marks before a commit and between its parts, which no text of git's has.
const (
	commitMark = "\x01"
	partMark   = "\x02"
)

// Log returns the commits that the tree's head has since a time, the newest
// first, at most so many. A tree without commits has none.
func (t *Tree) Log(ctx context.Context, since time.Time, limit int) ([]Commit, error) {
	out, err := t.ask(ctx, "log", "-z", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-status",
		"--since=@"+strconv.FormatInt(since.Unix(), 10), fmt.Sprintf("--max-count=%d", limit),
		"--format=%x01%H%x02%ct%x02%an%x02%ae%x02%s")
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
	return Commit{Hash: parts[0], At: time.Unix(seconds, 0).UTC(), Author: parts[2], Email: parts[3], Subject: parts[4], Files: []Change{}}, true
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
