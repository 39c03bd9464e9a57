package forge

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/git"
)

// Checks is the state of the checks of a pull request. The zero value is a request without checks.
type Checks string

// The states of checks: some still run and none has failed, all passed, or some failed.
const (
	ChecksPending Checks = "pending"
	ChecksPassed  Checks = "passed"
	ChecksFailed  Checks = "failed"
)

// PullState is the state of a pull request.
type PullState string

// The states of pull requests.
const (
	PullOpen   PullState = "open"
	PullDraft  PullState = "draft"
	PullMerged PullState = "merged"
	PullClosed PullState = "closed"
)

// Pull is the pull request of a branch, or the merge request of one on GitLab.
type Pull struct {
	Number     int
	Title, URL string
	State      PullState
	Checks     Checks
}

// At returns what asks about the pull requests of the repository of a folder: glab if a remote is called after GitLab,
// else gh. find looks a program up.
func At(ctx context.Context, dir string, environ []string, find func(string) (string, error)) *Ask {
	ask := &Ask{Dir: dir, Environ: environ}
	g := &git.Command{Dir: dir, Environ: environ}
	out, err := g.Output(ctx, "config", "--get-regexp", `^remote\..*\.url$`)
	ask.GitLab = err == nil && strings.Contains(strings.ToLower(out), "gitlab")
	ask.Program, _ = find(ask.name()) // the question says what is missing
	return ask
}

// Published reports whether a remote of the repository has the branch, as far as git knows here. It asks no server.
func Published(ctx context.Context, dir, branch string, environ []string) bool {
	g := &git.Command{Dir: dir, Environ: environ}
	out, err := g.Output(ctx, "for-each-ref", "--format=%(refname)", "refs/remotes/*/"+branch)
	return err == nil && branch != "" && out != ""
}

// PullOf returns the pull request of a branch. It returns NotFound if there is none, and the errors of Issue.
func (a *Ask) PullOf(ctx context.Context, branch string) (*Pull, error) {
	if !branchNamed(branch) {
		return nil, core.Errorf(core.InvalidInput, "%q is no name of a branch", core.Cut(branch))
	}
	args := []string{"pr", "view", branch, "--json", "number,title,url,state,isDraft,statusCheckRollup"}
	if a.GitLab {
		args = []string{"mr", "view", branch, "--output", "json"}
	}
	text, err := a.gh(ctx, args...)
	if err != nil {
		said := core.AsError(err)
		if missing(said.Message) {
			said.Code, said.Hint = core.NotFound, ""
			said.Message = "no pull request is of " + branch
		}
		return nil, said
	}
	return readPull(text)
}

// missing reports whether a forge says that there is no such pull request.
func missing(said string) bool {
	return strings.Contains(said, "no pull requests found") || strings.Contains(said, "no open merge request") ||
		strings.Contains(said, "no merge request")
}

// pulled is the answer of gh or of glab about a pull request.
type pulled struct {
	Number  int    `json:"number"`
	IID     int    `json:"iid"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	WebURL  string `json:"web_url"`
	State   string `json:"state"`
	IsDraft bool   `json:"isDraft"`
	Draft   bool   `json:"draft"`
	Rollup  []struct {
		Status     string `json:"status"`
		Conclusion string `json:"conclusion"`
		State      string `json:"state"`
	} `json:"statusCheckRollup"`
	Pipeline struct {
		Status string `json:"status"`
	} `json:"head_pipeline"`
}

// readPull reads what a forge says of a pull request.
func readPull(text []byte) (*Pull, error) {
	var got pulled
	number := 0
	err := json.Unmarshal(text, &got)
	if err == nil {
		number = cmp.Or(got.Number, got.IID)
	}
	address, bad := url.Parse(cmp.Or(got.URL, got.WebURL))
	if number <= 0 || bad != nil || address.Scheme != "https" && address.Scheme != "http" {
		return nil, core.Errorf(core.DecodeFailed, "it answered about a pull request: %s", core.Excerpt(string(text)))
	}
	pull := &Pull{Number: number, Title: line(got.Title), URL: line(address.String()), Checks: got.checks()}
	switch state := strings.ToLower(got.State); {
	case state == "merged":
		pull.State = PullMerged
	case state == "closed":
		pull.State = PullClosed
	case got.IsDraft || got.Draft:
		pull.State = PullDraft
	default:
		pull.State = PullOpen
	}
	return pull, nil
}

// checks joins the states of all checks.
func (p *pulled) checks() (all Checks) {
	states := []string{p.Pipeline.Status}
	for _, check := range p.Rollup {
		states = append(states, cmp.Or(check.Conclusion, check.State, check.Status))
	}
	for _, state := range states {
		switch strings.ToLower(state) {
		case "":
		case "failure", "error", "cancelled", "canceled", "timed_out", "action_required", "startup_failure", "failed":
			return ChecksFailed
		case "success", "neutral", "skipped":
			all = cmp.Or(all, ChecksPassed)
		default:
			all = ChecksPending
		}
	}
	return all
}

// Propose opens a pull request for a branch that was pushed, with the title and text of its commits where they are
// empty, and returns its address. It returns the errors of Issue.
func (a *Ask) Propose(ctx context.Context, branch, base, title, text string) (*Pull, error) {
	words := []string{"pr", "create", "--head", branch}
	if base != "" {
		words = append(words, "--base", base)
	}
	textFlag := "--body"
	if a.GitLab {
		words = []string{"mr", "create", "--yes", "--source-branch", branch}
		if base != "" {
			words = append(words, "--target-branch", base)
		}
		textFlag = "--description"
	}
	if title == "" {
		words = append(words, "--fill")
	} else {
		words = append(words, "--title", title, textFlag, text)
	}
	if _, err := a.gh(ctx, words...); err != nil {
		return nil, err
	}
	return a.PullOf(ctx, branch)
}

// String names it for rows, such as "PR #12".
func (p *Pull) String() string { return "PR #" + strconv.Itoa(p.Number) }

// Words are the state of a pull request and of its checks.
func (p *Pull) Words() string {
	switch {
	case p.State != PullOpen || p.Checks == "":
		return string(p.State)
	case p.Checks == ChecksPending:
		return "checks run"
	}
	return "checks " + string(p.Checks)
}
