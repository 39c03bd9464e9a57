package bead

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// tools are the programs that own the files, the first that is there being used.
var tools = []string{"bd", "br"}

// toolWithin is how long a tool may take.
const toolWithin = 30 * time.Second

// Tool is the program through which items are changed.
type Tool struct {
	Name string
	Path string
	// Environ is its environment.
	Environ []string
	// Within is the time limit of a call; 0 is 30 seconds.
	Within time.Duration
}

// FindTool returns the tool that is installed; ToolNotFound if none is.
func FindTool(lookPath func(string) (string, error), environ []string) (*Tool, error) {
	for _, name := range tools {
		if path, err := lookPath(name); err == nil {
			return &Tool{Name: name, Path: path, Environ: environ}, nil
		}
	}
	return nil, &core.Error{
		Code: core.ToolNotFound, Message: "neither bd nor br is installed, and only they change work items",
		Hint:    "Install bd: 'go install github.com/steveyegge/beads/cmd/bd@latest' or 'brew install beads'.",
		Details: map[string]any{"reason": "DEPENDENCY_MISSING", "tools": tools},
	}
}

// Draft describes an item to create. The tool chooses the empty fields.
type Draft struct {
	Title, Description, Type, Assignee, Parent string
	// Priority is as given: 0 to 4, or empty.
	Priority string
	Labels   []string
	// DependsOn are the ids of what blocks it.
	DependsOn []string
}

// Create makes an item.
func (t *Tool) Create(ctx context.Context, project Project, draft *Draft) (*Item, error) {
	args := []string{"create", "--title=" + draft.Title}
	for _, option := range []struct{ flag, value string }{
		{"--description", draft.Description},
		{"--type", draft.Type},
		{"--priority", draft.Priority},
		{"--assignee", draft.Assignee},
		{"--parent", draft.Parent},
		{"--labels", strings.Join(draft.Labels, ",")},
		{"--deps", strings.Join(draft.DependsOn, ",")},
	} {
		if option.value != "" {
			args = append(args, option.flag+"="+option.value)
		}
	}
	out, err := t.run(ctx, project, append(args, "--json")...)
	if err != nil {
		return nil, t.failure(err, "")
	}
	item := itemIn(out.stdout, "")
	if item == nil {
		return nil, t.unclear("create", out)
	}
	return item, nil
}

// Claim assigns an item to a name, or without one to the name that the tool uses, and
// marks it as being worked on. It returns Conflict if the item has another assignee.
// Some tools succeed even then, so only their answer counts.
func (t *Tool) Claim(ctx context.Context, project Project, id, who string) (*Item, error) {
	args := []string{"update", "--claim", "--json", "--", id}
	if who != "" {
		args = append([]string{"--actor=" + who}, args...)
	}
	out, err := t.run(ctx, project, args...)
	if plain := new(complaint); errors.As(err, &plain) && plain.unknownFlag() ||
		who != "" && strings.Contains(out.stderr, "claimed by "+who) {
		args = []string{"update", "--status=" + string(InProgress), "--json"}
		if who != "" {
			args = append(args, "--assignee="+who)
		}
		out, err = t.run(ctx, project, append(args, "--", id)...)
	}
	if err != nil {
		return nil, t.failure(err, id)
	}
	item := itemIn(out.stdout, id)
	switch {
	case item == nil && strings.Contains(out.stderr, "claimed"):
		return nil, taken(id, strings.TrimPrefix(said(out), "Error claiming "+id+": "))
	case item == nil && said(out) != "": // bd complains, and ends well
		return nil, t.failure(&complaint{said: said(out)}, id)
	case item == nil:
		return nil, t.unclear("update", out)
	case item.Status != InProgress || who != "" && item.Assignee != who:
		return nil, taken(id, fmt.Sprintf("it is %s, and its assignee is %q", item.Status, item.Assignee))
	}
	return item, nil
}

// Release removes a claim: the item is open and unassigned.
func (t *Tool) Release(ctx context.Context, project Project, id string) error {
	_, err := t.run(ctx, project, "update", "--status="+string(Open), "--assignee=", "--json", "--", id)
	if err != nil {
		return t.failure(err, id)
	}
	return nil
}

func taken(id, why string) error {
	return &core.Error{
		Code: core.Conflict, Message: id + " was not claimed: " + why,
		Remedies: []core.Remedy{core.RemedyOtherItem},
	}
}

// Close closes an item.
func (t *Tool) Close(ctx context.Context, project Project, id, reason string) (*Item, error) {
	args := []string{"close", "--json"}
	if reason != "" {
		args = append(args, "--reason="+reason)
	}
	out, err := t.run(ctx, project, append(args, "--", id)...)
	if err != nil {
		return nil, t.failure(err, id)
	}
	item := itemIn(out.stdout, id)
	if item == nil || item.Status != Closed {
		return nil, t.unclear("close", out)
	}
	return item, nil
}

// output is the output of a tool.
type output struct {
	stdout []byte
	stderr string
}

// run runs the tool in the project, without input, and leaves no process running.
func (t *Tool) run(ctx context.Context, project Project, args ...string) (output, error) {
	within := cmp.Or(t.Within, toolWithin)
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	cmd := exec.CommandContext(ctx, t.Path, args...)
	cmd.Dir, cmd.WaitDelay = project.Root, time.Second
	cmd.Env = append(without(t.Environ, "BEADS_DIR", "BEADS_NO_DAEMON", "BD_JSON_ENVELOPE"),
		"BEADS_DIR="+project.Beads, "BEADS_NO_DAEMON=1", "BD_JSON_ENVELOPE=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	out := output{stdout: stdout.Bytes(), stderr: stderr.String()}
	switch {
	case err == nil:
		return out, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return out, &core.Error{
			Code: core.Timeout, Message: fmt.Sprintf("%s took longer than %s", t.Name, within),
			Hint: "See whether another process holds the items.",
		}
	case ctx.Err() != nil:
		return out, ctx.Err()
	}
	return out, &complaint{said: said(out), err: err}
}

// complaint is a tool that ended badly.
type complaint struct {
	said string
	err  error
}

// Error returns what the tool said.
func (c *complaint) Error() string {
	if c.said == "" {
		return c.err.Error()
	}
	return c.said
}

func (c *complaint) unknownFlag() bool {
	return strings.Contains(c.said, "unknown flag") || strings.Contains(c.said, "unexpected argument")
}

// said is the reason that a tool gave, in one line.
func said(out output) string {
	for _, text := range []string{string(out.stdout), out.stderr} {
		var answer struct {
			Error string `json:"error"`
		}
		if json.Unmarshal([]byte(text), &answer) == nil && answer.Error != "" {
			return answer.Error
		}
	}
	first := ""
	for line := range strings.SplitSeq(out.stderr, "\n") {
		line = strings.TrimSpace(line)
		if why, is := strings.CutPrefix(line, "Error: "); is {
			return why
		}
		first = cmp.Or(first, line)
	}
	return first
}

// failure turns what a tool complained of into an error that says what to do.
func (t *Tool) failure(err error, id string) error {
	plain := new(complaint)
	if !errors.As(err, &plain) {
		return err
	}
	e := &core.Error{
		Code: core.BackendFailed, Message: t.Name + ": " + plain.Error(),
		Hint: "Correct what it says and try again.", Err: err,
	}
	lower := strings.ToLower(plain.said)
	switch {
	case id != "" && (strings.Contains(lower, "not found") || strings.Contains(lower, "no issue found")):
		e.Code, e.Hint, e.Remedies = core.NotFound, "", []core.Remedy{core.RemedyListItems}
	case strings.Contains(lower, "invalid"):
		e.Code = core.InvalidInput
	}
	return e
}

func (t *Tool) unclear(what string, out output) error {
	why := cmp.Or(said(out), "it did not answer with the item")
	return &core.Error{Code: core.BackendFailed, Message: fmt.Sprintf("%s %s: %s", t.Name, what, why)}
}

// itemIn finds an item in what a tool printed: one, or a list, with or without a
// frame around it. An empty id takes the first.
func itemIn(text []byte, id string) *Item {
	var frame struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(text, &frame) == nil && len(frame.Data) > 0 {
		text = frame.Data
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		list = []json.RawMessage{text}
	}
	for _, one := range list {
		if item, _ := decodeLine(one); item != nil && (id == "" || item.ID == id) {
			return item
		}
	}
	return nil
}

// without leaves variables out of an environment.
func without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(names, name)
	})
}
