package story

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/system/plainfile"
)

// mostIssues is how large a file of issues may be, in bytes.
const mostIssues = 64 << 20

// issue is one entry of a list of issues as GitHub's tools and interface write them.
type issue struct {
	Number int     `json:"number"`
	Title  string  `json:"title"`
	Body   *string `json:"body"`
	State  string  `json:"state"`
	// PullRequest is there for a pull request, which the interface lists among the issues.
	PullRequest json.RawMessage `json:"pull_request"`
}

// waitsFor finds what an issue says it depends on.
var waitsFor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:depends on|blocked by|after)[: ]+((?:#\d+(?:\s*(?:,|and)\s*)?)+)`)
})

var issueNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#(\d+)`) })

// ReadIssues reads the open issues of a file: a JSON array, an object with an array "items" or "issues", or one object
// a line, with number, title, body and state. It returns DecodeFailed for anything else, and InvalidInput if none is
// open.
func ReadIssues(path string) ([]Progress, error) {
	text, err := plainfile.Read(path, mostIssues)
	if err != nil {
		return nil, core.FileError("read the issues", err)
	}
	all, err := decodeIssues(text)
	if err != nil {
		return nil, core.Errorf(core.DecodeFailed, "%s is no list of issues: %w", path, err)
	}
	var stories []Progress
	seen := map[string]bool{}
	for i := range all {
		one := &all[i]
		if one.Number <= 0 || strings.TrimSpace(one.Title) == "" {
			return nil, core.Errorf(
				core.DecodeFailed,
				"%s is no list of issues: entry %d has no number or no title",
				path,
				i+1,
			)
		}
		id := strconv.Itoa(one.Number)
		if len(one.PullRequest) > 0 || seen[id] || one.State != "" && !strings.EqualFold(one.State, "open") {
			continue
		}
		seen[id] = true
		p := NewProgress(id, strings.TrimSpace(one.Title), "", nil)
		if one.Body != nil {
			p.Text = strings.TrimSpace(*one.Body)
		}
		for _, list := range waitsFor().FindAllString(p.Text, -1) {
			for _, found := range issueNumber().FindAllStringSubmatch(list, -1) {
				if found[1] != id {
					p.After = append(p.After, found[1])
				}
			}
		}
		p.TasksTotal = len(p.Tasks())
		stories = append(stories, p)
	}
	if len(stories) == 0 {
		return nil, core.Errorf(core.InvalidInput, "no issue of %s is open", path)
	}
	if round := circleOf(stories); round != nil {
		return nil, core.Errorf(core.InvalidInput, "issues of %s depend on each other: %s", path,
			strings.Join(append(round, round[0]), " -> "))
	}
	return stories, nil
}

// circleOf are the ids of the first stories that depend on each other; nil if none do.
func circleOf(stories []Progress) []string {
	c := &Change{}
	for i := range stories {
		c.Stories = append(c.Stories, Story{ID: stories[i].ID, After: stories[i].After})
	}
	if all := circles(c); len(all) > 0 {
		return all[0]
	}
	return nil
}

func decodeIssues(text []byte) (all []issue, err error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if bytes.HasPrefix(text, []byte("[")) {
		err := json.Unmarshal(text, &all)
		return all, err
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	for {
		one := struct {
			issue
			Items  []issue `json:"items"`
			Issues []issue `json:"issues"`
		}{}
		switch err := lines.Decode(&one); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case len(one.Items)+len(one.Issues) > 0:
			all = append(append(all, one.Items...), one.Issues...)
		default:
			all = append(all, one.issue)
		}
	}
}

// Tasks are the tasks of a story that comes with a text alone: the open check boxes in it, or else its title.
func (p *Progress) Tasks() []string {
	var tasks []string
	stories, _ := Parse([]byte(p.Text))
	for i := range stories {
		for j := range stories[i].Tasks {
			if task := &stories[i].Tasks[j]; !task.Done && task.Text != "" {
				tasks = append(tasks, strings.Join(strings.Fields(task.Text), " "))
			}
		}
	}
	if len(tasks) == 0 {
		return []string{strings.Join(strings.Fields(p.Title), " ")}
	}
	return tasks
}
