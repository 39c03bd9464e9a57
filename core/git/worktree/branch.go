package worktree

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
	"cupola/core/text/near"
)

// DefaultBranch is the pattern of the names of branches where nothing else is set.
const DefaultBranch = branches + "{session}/{agent}"

// Start is the commit at which worktrees begin. The zero value begins each of them at the commit that is checked out,
// on a new branch that is named as the settings say.
type Start struct {
	// Base is the branch, tag or commit that new branches begin at; empty is the commit that is checked out.
	Base string
	// Branch is the branch to work on, with fields as in the settings. One that exists is checked out as it is; a
	// worktree that has it is joined. Empty makes new branches.
	Branch string
	// Number and Title belong to the issue or pull request that the work is about; zero without one.
	Number int
	Title  string
}

// field is a part of the name of a branch that differs from one to another.
type field struct{ name, value string }

// fields returns the fields of the branch of an agent; number and title are empty without an issue.
func (s *Start) fields(session, agent string, environ []string) []field {
	number := ""
	if s.Number > 0 {
		number = strconv.Itoa(s.Number)
	}
	return []field{
		{"session", refPart(session)},
		{"agent", refPart(agent)},
		{"user", refPart(cmp.Or(process.Variable(environ, "USER"), process.Variable(environ, "LOGNAME"), "user"))},
		{"date", time.Now().Format(time.DateOnly)},
		{"number", number},
		{"title", slug(s.Title)},
	}
}

// slugMost is the longest title in the name of a branch, in bytes.
const slugMost = 40

// slug writes a title as words of small letters and digits with dashes between them.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	out := ""
	for _, word := range words {
		if len(out)+len(word) > slugMost && out != "" {
			break
		}
		out = strings.TrimPrefix(out+"-"+word, "-")
	}
	return strings.ToValidUTF8(out[:min(len(out), 2*slugMost)], "")
}

// branchOf fills the fields of a pattern in. It returns InvalidInput for a field that is none, and for one of an issue
// without an issue.
func (s *Start) branchOf(pattern, session, agent string, environ []string) (string, error) {
	fields := s.fields(session, agent, environ)
	var out strings.Builder
	for rest := pattern; rest != ""; {
		before, after, opened := strings.Cut(rest, "{")
		out.WriteString(before)
		if !opened {
			break
		}
		name, behind, closed := strings.Cut(after, "}")
		value, err := valueOf(fields, name)
		if !closed {
			err = core.Errorf(core.InvalidInput, "the field that begins with {%s has no end", core.Cut(name))
		}
		if err != nil {
			err.Message = fmt.Sprintf("the branch %q: %s", core.Cut(pattern), err.Message)
			return "", err
		}
		out.WriteString(value)
		rest = behind
	}
	return out.String(), nil
}

func valueOf(fields []field, name string) (string, *core.Error) {
	names := make([]string, len(fields))
	for i, f := range fields {
		switch {
		case f.name == name && f.value == "":
			return "", core.Errorf(core.InvalidInput, "{%s} is of an issue or a pull request, and none is named", name)
		case f.name == name:
			return f.value, nil
		}
		names[i] = f.name
	}
	err := core.Errorf(core.InvalidInput, "{%s} is no field", core.Cut(name))
	err.Hint = "The fields are {" + strings.Join(names, "}, {") + "}."
	err.Slip.Word, err.Suggestions = name, near.Words(name, names)
	return "", err
}

// agentKey and baseKey are the variables of a branch in the repository's configuration that hold for which agent the
// branch was made, as SESSION/AGENT, and the commit at which it began if that is not where the main working tree was.
// git removes them with the branch.
const (
	agentKey = "cupolaagent"
	baseKey  = "cupolabase"
)

// configured returns a variable of all branches.
func (r *Repo) configured(ctx context.Context, key string) map[string]string {
	out, err := r.ask(ctx, r.Top, "config", "--local", "-z", "--get-regexp", `^branch\..*\.`+key+`$`)
	if err != nil {
		return nil // there are none
	}
	found := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		name, value, _ := strings.Cut(entry, "\n")
		branch, is := strings.CutSuffix(strings.TrimPrefix(name, "branch."), "."+key)
		if is {
			found[branch] = value
		}
	}
	return found
}

// made returns the branches that were made for agents, with SESSION/AGENT of each.
func (r *Repo) made(ctx context.Context) (map[string]string, error) {
	out, err := r.ask(ctx, r.Top, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/")
	if err != nil {
		return nil, err
	}
	recorded, made := r.configured(ctx, agentKey), map[string]string{}
	for line := range strings.Lines(out) {
		branch := strings.TrimSuffix(line, "\n")
		name, is := strings.CutPrefix(branch, branches)
		if of, known := recorded[branch]; known {
			name, is = of, true
		}
		if is && strings.Count(name, "/") == 1 {
			made[branch] = name
		}
	}
	return made, nil
}

// madeFor returns the branch that was made for an agent's worktree; empty if there is none now. If there are several,
// it is the one that is checked out there.
func (r *Repo) madeFor(ctx context.Context, tree *Tree) (string, error) {
	made, err := r.made(ctx)
	if err != nil || made[tree.Branch] == tree.Name() {
		return tree.Branch, err
	}
	last := ""
	for branch, name := range made {
		if name == tree.Name() && (last == "" || branch < last) {
			last = branch
		}
	}
	return last, nil
}

// CheckedOut returns the branch that is checked out in the worktree of an agent that a folder is in, by its files
// alone; empty if there is none or the head is detached.
func CheckedOut(dir string) string {
	top, session, agent, is := placeOf(dir)
	gitDir := git.Linked(filepath.Join(top+beside, session, agent))
	if !is || gitDir == "" {
		return ""
	}
	text, err := plainfile.Read(filepath.Join(gitDir, "HEAD"), plainfile.Text)
	branch, is := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if err != nil || !is {
		return ""
	}
	return branch
}

// placeOf reads from the path of a folder in which worktree of an agent it is, and which repository that is beside.
func placeOf(dir string) (top, session, agent string, is bool) {
	top, below, is := strings.Cut(dir, beside+string(filepath.Separator))
	words := strings.Split(below, string(filepath.Separator))
	if !is || len(words) < 2 {
		return "", "", "", false
	}
	return top, words[0], words[1], true
}

// base resolves what new branches begin at; empty is the commit that is checked out. It returns NotFound, with the near
// miss, for what names no commit.
func (m *Making) base(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	commit := func(name string) (string, error) {
		out, err := m.read(ctx, m.repo, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
		return strings.TrimSpace(out), err
	}
	if id, err := commit(name); err == nil {
		return id, nil
	}
	out, err := m.read(ctx, m.repo, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/", "refs/remotes/",
		"refs/tags/")
	if err != nil {
		return "", err
	}
	known := strings.Fields(out)
	for _, ref := range known {
		if _, branch, _ := strings.Cut(ref, "/"); branch == name {
			if id, err := commit("refs/remotes/" + ref); err == nil {
				return id, nil // the branch of a remote
			}
		}
	}
	missing := core.Errorf(core.NotFound, "%s has no branch, tag or commit %q", m.repo, core.Cut(name))
	missing.Slip.Word, missing.Suggestions = name, near.Words(name, known)
	missing.Hint = "Name one that 'git rev-parse' knows; 'git fetch' brings what a remote has."
	return "", missing
}

// record notes for which agent a branch was made, and where it began if that was said.
func (m *Making) record(ctx context.Context, tree *Tree) error {
	set := func(key, value string) error {
		_, err := m.git(ctx, m.repo, "config", "--local", "branch."+tree.Branch+"."+key, value)
		return err
	}
	if tree.Branch != Branch(tree.Session, tree.Agent) {
		if err := set(agentKey, tree.Name()); err != nil {
			return err
		}
	}
	if m.from != "" {
		return set(baseKey, m.from)
	}
	return nil
}
