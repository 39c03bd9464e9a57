// Package forge reads issues and pull requests of GitHub through the user's own gh, with its login, and brings the
// branch of a pull request into a repository. What they say was written by others: it is bounded and made plain, and a
// prompt says whose words they are. The package keeps nothing between calls.
package forge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/process"
	"cupola/core/system/process/child"
	"cupola/core/term/cells"
)

// askWithin is how long gh may take, and fetchWithin how long the server of the repository.
const (
	askWithin   = 30 * time.Second
	fetchWithin = 10 * time.Minute
)

// mostAnswer is how much of gh's answer is read, and mostBody how much of a text is kept, in bytes.
const (
	mostAnswer = 8 << 20
	mostBody   = 32 << 10
)

// Item is an issue or a pull request.
type Item struct {
	Number     int
	Title, URL string
	// Body is its text, and Author the login of who wrote it; either may be empty.
	Body, Author string
	// Open is false for one that is closed or merged.
	Open bool

	// head is the branch of a pull request in the repository of owner; empty for an issue. fork is true if the pull
	// request is for another repository.
	head, owner string
	fork        bool
}

// Ask is a question about a repository.
type Ask struct {
	// Program is the path of gh; empty where it is not installed.
	Program string
	// GitLab is true if Program is glab instead, which PullOf and Propose alone may ask.
	GitLab bool
	// Dir is a folder of the repository.
	Dir string
	// Environ is the environment of gh and git, as NAME=VALUE.
	Environ []string
}

// homes say where the programs come from.
var homes = map[string]string{
	"gh":   "GitHub's command line (https://cli.github.com)",
	"glab": "GitLab's command line (https://gitlab.com/gitlab-org/cli)",
}

// name is the name of the program.
func (a *Ask) name() string {
	if a.GitLab {
		return "glab"
	}
	return "gh"
}

// answered is an answer of gh.
type answered struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	URL    string `json:"url"`
	State  string `json:"state"`
	Author struct {
		Login string `json:"login"`
	} `json:"author"`
	HeadRefName         string `json:"headRefName"`
	IsCrossRepository   bool   `json:"isCrossRepository"`
	HeadRepositoryOwner struct {
		Login string `json:"login"`
	} `json:"headRepositoryOwner"`
}

// Issue returns an issue by its number. It returns ToolNotFound without gh, AuthFailed if that is not logged in,
// NotFound if there is no such issue, and NetworkError if gh fails otherwise.
func (a *Ask) Issue(ctx context.Context, number int) (*Item, error) {
	return a.view(ctx, "issue", number, "number,title,body,url,state,author")
}

// PullRequest returns a pull request by its number, with the errors of Issue.
func (a *Ask) PullRequest(ctx context.Context, number int) (*Item, error) {
	return a.view(ctx, "pr", number,
		"number,title,body,url,state,author,headRefName,isCrossRepository,headRepositoryOwner")
}

func (a *Ask) view(ctx context.Context, what string, number int, fields string) (*Item, error) {
	text, err := a.gh(ctx, what, "view", strconv.Itoa(number), "--json", fields)
	if err != nil {
		return nil, err
	}
	var got answered
	if json.Unmarshal(text, &got) != nil || got.Number != number {
		return nil, core.Errorf(core.DecodeFailed, "gh answered about %s %d: %s", what, number,
			core.Excerpt(string(text)))
	}
	item := &Item{
		Number: number, Title: line(got.Title), URL: line(got.URL), Author: line(got.Author.Login),
		Body: body(got.Body), Open: strings.EqualFold(got.State, "open"),
		head: got.HeadRefName, owner: line(got.HeadRepositoryOwner.Login), fork: got.IsCrossRepository,
	}
	if what == "pr" && !branchNamed(item.head) {
		return nil, core.Errorf(core.DecodeFailed, "pull request %d is of a branch called %q", number,
			core.Cut(item.head))
	}
	return item, nil
}

// gh runs gh in the folder and returns what it printed.
func (a *Ask) gh(ctx context.Context, args ...string) ([]byte, error) {
	if a.Program == "" {
		return nil, &core.Error{
			Code: core.ToolNotFound, Message: a.name() + " is not installed, which reads issues and pull requests",
			Hint:     "Install " + homes[a.name()] + " and log in with '" + a.name() + " auth login'.",
			Remedies: []core.Remedy{core.RemedyListTools},
		}
	}
	limited, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	command := child.Command{
		Program: a.Program, Args: args, Dir: a.Dir,
		Env: process.Merged(a.Environ, []string{
			"GH_PROMPT_DISABLED=1", "NO_COLOR=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_PROMPT=1", "GLAB_CHECK_UPDATE=false",
		}),
	}
	var text []byte
	end, err := command.Run(limited, func(chunk []byte) {
		text = append(text, chunk[:min(len(chunk), mostAnswer-len(text))]...)
	})
	said := core.Cut(core.OneLine(cells.Clean(end.Stderr)))
	said = cmp.Or(said, "it ended with status "+strconv.Itoa(end.Exit))
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, core.Errorf(core.Timeout, "%s did not answer within %s", a.name(), core.ShortDuration(askWithin))
	case end.Exit == 0:
		return text, nil
	}
	return nil, failed(a.name(), said, end.Exit)
}

// authStatus is the status with which gh says that it is not logged in.
const authStatus = 4

// failed is the error of a gh that failed.
func failed(program, said string, status int) error {
	err := core.Errorf(core.NetworkError, "%s failed: %s", program, said)
	switch {
	case status == authStatus, strings.Contains(said, program+" auth login"):
		err.Code, err.Hint = core.AuthFailed, "Log in with '"+program+" auth login'."
	case strings.Contains(said, "Could not resolve to a"):
		err.Code, err.Hint = core.NotFound, "See 'gh issue list' and 'gh pr list'."
	case strings.Contains(said, "no git remotes"), strings.Contains(said, "none of the git remotes"):
		err.Code, err.Hint = core.RemoteNotFound, "The repository needs a remote on GitHub: see 'git remote -v'."
	}
	return err
}

// Prompt returns the first prompt of an agent that works on it: the user's words, if there are any, and then what it
// says, as words of its author.
func (i *Item) Prompt(words string) string {
	what := "issue"
	if i.head != "" {
		what = "pull request"
	}
	if words == "" {
		words = fmt.Sprintf("Work on %s %d.", what, i.Number)
	}
	by := ""
	if i.Author != "" {
		by = ", written by " + i.Author
	}
	text := fmt.Sprintf("%s\n\nThe %s %s%s:\n\n%s", words, what, i.URL, by, quote(i.Title))
	if i.Body != "" {
		text += "\n>\n" + quote(i.Body)
	}
	return text
}

// quote marks each line as quoted.
func quote(text string) string {
	var out strings.Builder
	for l := range strings.Lines(text) {
		out.WriteString(strings.TrimRight("> "+l, " \n") + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// Branch returns the name that the branch of a pull request has here; empty for an issue. That of a fork has its owner
// in front, since it is often called as the main branch is.
func (i *Item) Branch() string {
	if i.head == "" || !i.fork {
		return i.head
	}
	return cmp.Or(i.owner, "pr-"+strconv.Itoa(i.Number)) + "/" + i.head
}

// Fetch brings the branch of a pull request into the repository under the name of Branch, if no worktree has it. A
// branch that is there is moved forward. It returns Conflict if that has commits of its own, and RemoteNotFound if no
// remote is the repository of the pull request.
func (i *Item) Fetch(ctx context.Context, a *Ask) error {
	g := &git.Command{Dir: a.Dir, Environ: a.Environ, Within: fetchWithin, Programs: true}
	branch := i.Branch()
	if _, err := g.Line(ctx, "check-ref-format", "--branch", branch); err != nil {
		return core.Errorf(core.InvalidInput, "no branch can be called %q", core.Cut(branch))
	}
	out, err := g.Line(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	if slices.Contains(strings.Split(out, "\n"), "branch refs/heads/"+branch) {
		return nil // it is worked on
	}
	remote, err := i.remote(ctx, g)
	if err != nil {
		return err
	}
	from := fmt.Sprintf("refs/pull/%d/head", i.Number)
	if !i.fork {
		from = "refs/heads/" + i.head
	}
	if _, err := g.Line(ctx, "fetch", "--no-tags", remote, from+":refs/heads/"+branch); err != nil {
		if strings.Contains(err.Error(), "non-fast-forward") || strings.Contains(err.Error(), "rejected") {
			return &core.Error{
				Code:    core.Conflict,
				Message: fmt.Sprintf("branch %s here has commits that pull request %d has not", branch, i.Number),
				Hint:    "Rename or push it first, or have the worktree begin on that branch instead.",
			}
		}
		return core.Errorf(core.NetworkError, "fetch pull request %d: %w", i.Number, err)
	}
	if i.fork {
		return nil
	}
	if _, err := g.Line(ctx, "branch", "--set-upstream-to="+remote+"/"+i.head, branch); err != nil {
		return nil //nolint:nilerr // the remote fetches other branches only; an agent can name where it pushes
	}
	return nil
}

// remote returns the remote that is the repository of the pull request.
func (i *Item) remote(ctx context.Context, g *git.Command) (string, error) {
	out, err := g.Line(ctx, "remote")
	if err != nil {
		return "", err
	}
	wanted := slugOf(i.URL)
	names := strings.Fields(out)
	for _, name := range names {
		address, err := g.Line(ctx, "remote", "get-url", "--", name)
		if err == nil && wanted != "" && slugOf(address) == wanted {
			return name, nil
		}
	}
	if len(names) == 1 {
		return names[0], nil // it may be known by an alias of ssh
	}
	return "", &core.Error{
		Code: core.RemoteNotFound, Message: fmt.Sprintf("no remote of %s is %s", g.Dir, core.Cut(wanted)),
		Hint: "Add it with 'git remote add'.",
	}
}

// slugOf returns OWNER/REPOSITORY of an address of a repository or of a page of it, in small letters; empty if it has
// none.
func slugOf(address string) string {
	path := address
	if parsed, err := url.Parse(address); err == nil && parsed.Host != "" {
		path = parsed.Path
	} else if _, after, is := strings.Cut(address, ":"); is {
		path = after
	}
	words := strings.Split(strings.Trim(path, "/"), "/")
	if len(words) < 2 {
		return ""
	}
	return strings.ToLower(words[0] + "/" + strings.TrimSuffix(words[1], ".git"))
}

// branchNamed reports whether a word may be the name of a branch.
func branchNamed(word string) bool {
	return word != "" && !strings.HasPrefix(word, "-") && !strings.ContainsAny(word, " :~^?*[\\") &&
		cells.Clean(word) == word
}

// line is one plain line of a text of others.
func line(text string) string { return core.Cut(strings.Join(strings.Fields(cells.Clean(text)), " ")) }

// body is a text of others, bounded.
func body(text string) string {
	text = strings.TrimSpace(cells.Safe(text))
	if len(text) <= mostBody {
		return text
	}
	text = strings.ToValidUTF8(text[:mostBody], "")
	return text[:strings.LastIndexByte(text, '\n')+1] + "[the rest is left out]"
}
