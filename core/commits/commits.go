// Package commits says what a git repository's history tells of its files: which
// change most, which change together, which commits name something. It runs git,
// which only reads; it starts nothing else and keeps nothing.
package commits

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cupola/core"
)

// Commit is one commit that is no merge.
type Commit struct {
	Hash    string
	At      time.Time
	Author  string
	Message string
	// Files are the paths that it changed, from the repository's root.
	Files []string
}

// Log is a part of a repository's history.
type Log struct {
	// Root is the folder of the work tree.
	Root string
	// Commits are the newest first.
	Commits []Commit
	// Complete is false where older commits within the time asked for were left out.
	Complete bool
	// Tracked are the files that the repository holds now.
	Tracked map[string]bool
}

// Request says which commits are wanted.
type Request struct {
	// Since leaves out older ones; zero is all.
	Since time.Time
	// Most is how many at most; 0 is Usual.
	Most int
}

// Usual is how many commits are read where nobody says.
const Usual = 5000

// within is how long git may take.
const within = 20 * time.Second

// Read reads the history of the repository that a folder is in. It returns
// ProjectNotFound where there is none, and ToolNotFound without git. A repository
// without commits has an empty log.
func Read(ctx context.Context, dir string, request Request) (*Log, error) {
	g := &git{dir: dir, environ: environment(os.Environ())}
	root, err := g.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	g.dir = strings.TrimSuffix(string(root), "\n")
	most := request.Most
	if most <= 0 {
		most = Usual
	}
	log := &Log{Root: g.dir, Tracked: map[string]bool{}}
	if _, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		args := []string{"log", "-z", "--name-only", "--no-renames", "--no-merges", "--no-show-signature", "--max-count=" + strconv.Itoa(most+1), "--format=" + format}
		if !request.Since.IsZero() {
			args = append(args, "--since="+request.Since.UTC().Format(time.RFC3339))
		}
		out, err := g.run(ctx, args...)
		if err != nil {
			return nil, err
		}
		log.Commits = parse(out)
	}
	log.Complete = len(log.Commits) <= most
	log.Commits = log.Commits[:min(most, len(log.Commits))]
	tracked, err := g.run(ctx, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	for path := range strings.SplitSeq(string(tracked), "\x00") {
		if path != "" {
			log.Tracked[path] = true
		}
	}
	return log, nil
}

// Path is a file as the log names it: from the root, with slashes. Dir is the
// folder that a relative path begins in.
func (l *Log) Path(dir, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(folder, filepath.Base(file))
	}
	inside, err := filepath.Rel(l.Root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(inside)
}

// format has two empty fields before each commit, so that it stands out among
// file names: those are never empty, and nothing in a commit holds a NUL.
const format = "%x00%x00%H%x00%ct%x00%an%x00%B%x00"

// parse reads what git prints in that format. What it does not understand it
// passes over.
func parse(out []byte) []Commit {
	words := strings.Split(string(out), "\x00")
	var commits []Commit
	for i := 0; i < len(words); {
		const fields = 4
		if !isHash(words[i]) || len(words)-i < fields {
			i++
			continue
		}
		seconds, err := strconv.ParseInt(words[i+1], 10, 64)
		if err != nil {
			i++
			continue
		}
		commit := Commit{Hash: words[i], At: time.Unix(seconds, 0).UTC(), Author: words[i+2], Message: strings.TrimSpace(words[i+3])}
		i += fields
		// An empty field ends the commit; its files follow.
		for i++; i < len(words) && words[i] != ""; i++ {
			if file := strings.TrimPrefix(words[i], "\n"); file != "" {
				commit.Files = append(commit.Files, file)
			}
		}
		commits = append(commits, commit)
	}
	return commits
}

func isHash(word string) bool {
	_, err := hex.DecodeString(word)
	return err == nil && (len(word) == 40 || len(word) == 64)
}

// git runs git in one folder.
type git struct {
	dir     string
	environ []string
}

func (g *git) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", g.dir, "-c", "core.quotePath=false"}, args...)...)
	cmd.Env = g.environ
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case errors.Is(err, exec.ErrNotFound):
		return nil, &core.Error{Code: core.ToolNotFound, Message: "git is not installed", Hint: "Install git and try again.", Err: err}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, &core.Error{Code: core.Timeout, Message: fmt.Sprintf("git %s took longer than %s", args[0], within), Hint: "Ask for less of the history with --since."}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case args[0] == "rev-parse":
		return nil, &core.Error{
			Code: core.ProjectNotFound, Message: g.dir + " is in no git repository", Hint: "Go to the project, or name it with --dir or a session with --session.", Err: err,
		}
	}
	return nil, core.Errorf(core.IOError, "git %s: %s", args[0], strings.TrimSpace(stderr.String()))
}

// environment leaves out what a git hook that runs us would have set: it names the
// hook's repository.
func environment(environ []string) []string {
	env := []string{"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "LC_ALL", "GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT":
		default:
			env = append(env, entry)
		}
	}
	return env
}
