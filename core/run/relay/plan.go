package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/git/worktree"
	"cupola/core/run"
	"cupola/core/run/relay/stream"
)

// Plan is a run before its start. Nothing was started for it.
type Plan struct {
	Backend   string  `json:"backend"`
	By        By      `json:"by,omitempty"`
	Dir       string  `json:"dir"`
	Model     string  `json:"model,omitempty"`
	Sandbox   Sandbox `json:"sandbox"`
	Guarantee string  `json:"guarantee"`
	// Program is the path of the program, and Argv its arguments; empty for servers.
	Program string   `json:"program,omitempty"`
	Argv    []string `json:"argv,omitempty"`
	// Set and Unset are the changes of the environment.
	Set   map[string]string `json:"env_set,omitempty"`
	Unset []string          `json:"env_unset,omitempty"`
	// URL is where the request goes to; empty for programs.
	URL string `json:"url,omitempty"`
	// Prompt is the input of the backend, with the context; Bytes is its size. A review of the backend's own has no
	// prompt.
	Prompt string `json:"prompt,omitempty"`
	Bytes  int    `json:"prompt_bytes"`
	// NativeReview is true where the backend reviews with a command of its own; Base is the other side of the
	// comparison.
	NativeReview bool   `json:"native_review,omitempty"`
	Base         string `json:"base,omitempty"`
	// Label is the conversation that it belongs to, and Session the backend's own id of it; empty for a new one.
	// History is the part of the conversation that is sent to a backend that keeps none.
	Label   string `json:"label,omitempty"`
	Session string `json:"backend_session,omitempty"`
	History []Turn `json:"history,omitempty"`
	// Before is the earlier usage of the conversation, where it is known.
	Before *stream.Usage `json:"used_before,omitempty"`
	// Dropped counts older turns that did not fit.
	Dropped int `json:"dropped_turns,omitempty"`
	// Panel is shared by relays that are asked together.
	Panel string `json:"panel,omitempty"`
	// Schema is the JSON Schema for a server; programs get the path of its file.
	Schema     json.RawMessage `json:"schema,omitempty"`
	SchemaPath string          `json:"schema_file,omitempty"`
	// Keeps is true where the backend itself records the conversation on disk.
	Keeps   bool          `json:"keeps"`
	Timeout time.Duration `json:"-"`
	Quiet   time.Duration `json:"-"`
	// Limits is the reaction to a usage limit, and Others has the plans for its fallback backends, in their order.
	Limits run.LimitPolicy `json:"limit_policy,omitzero"`
	Others []*Plan         `json:"fallback_plans,omitempty"`
	// Members are the plans of the backends of a panel with more than one round, whose Backend has all their names.
	// They rank the answers of each other if Ranks is true, and Chair is the plan of the backend that sums up; nil for
	// none.
	Members []*Plan `json:"panel_plans,omitempty"`
	Ranks   bool    `json:"ranks,omitempty"`
	Chair   *Plan   `json:"chair_plan,omitempty"`

	backend *Backend
	environ []string
	// sandboxes hold the program.
	sandboxes *sandbox.Set
	trees     worktree.Options
}

// Relay asks backends.
type Relay struct {
	Backends Backends
	// Environ is the environment of this process, as os.Environ returns it.
	Environ []string
	// Sandboxes hold programs; nil where none can.
	Sandboxes *sandbox.Set
	// Trees are the settings of worktrees, with the variables that programs get in one.
	Trees worktree.Options
	// Clock returns the time; nil is the machine's.
	Clock func() time.Time
	// LookPath finds the path of a program; nil is exec.LookPath.
	LookPath func(name string) (string, error)
}

func (r *Relay) now() time.Time {
	if r.Clock != nil {
		return r.Clock()
	}
	return time.Now()
}

// Plan says what a request will do. It checks in this order, and returns the first failure:
// prompt, time limit, directory, backend, sandbox mode, context, diff, size of the whole, depth,
// and that the backend is installed.
func (r *Relay) Plan(ctx context.Context, request *Request) (*Plan, error) {
	backend, err := request.check(r.Backends, r.Sandboxes)
	if err != nil {
		return nil, err
	}
	mode, held := request.Sandbox.Parts()
	p := &Plan{
		Backend: backend.ID, By: request.By, Dir: request.Dir, Model: request.Model, Sandbox: request.Sandbox,
		Guarantee: backend.Modes[mode], Session: request.Session, Timeout: request.Timeout,
		Quiet: request.Quiet, Label: request.Label, Panel: request.Panel, SchemaPath: request.Schema,
		Before:  request.Before,
		backend: backend, environ: r.Environ, sandboxes: r.Sandboxes, trees: r.Trees,
	}
	if held != "" {
		p.Guarantee += " The sandbox " + held + " holds the program besides."
	}
	if p.Model == "" {
		p.Model = backend.Model
	}
	if p.Session != "" && !backend.Continues() {
		return nil, core.Errorf(core.InvalidInput, "%s keeps no conversations", backend.Name)
	}
	if p.Prompt, err = r.prompt(ctx, p, request); err != nil {
		return nil, err
	}
	if err := fits("Relay prompt", p.Prompt, MaxPrompt); err != nil {
		return nil, err
	}
	p.remember(request.History)
	if err := checkDepth(r.Environ); err != nil {
		return nil, err
	}
	if backend.server != nil {
		p.URL = strings.TrimSuffix(backend.server.URL, "/") + apis[backend.server.API].path
		if request.Schema != "" {
			if p.Schema, err = readSchema(request.Schema); err != nil {
				return nil, err
			}
		}
		return p, r.HasKey(backend)
	}
	if backend.program == nil {
		err = r.protocolLine(p)
	} else {
		err = r.commandLine(p, request.Keep, request.Schema)
	}
	for _, variable := range request.Env {
		name, value, _ := strings.Cut(variable, "=")
		p.Set[name] = value
	}
	return p, err
}

// Resume makes a plan that was saved ready to run.
func (r *Relay) resume(p *Plan) (err error) {
	if p.Members == nil {
		if p.backend, err = r.Backends.FindBy(p.Backend, p.By); err != nil {
			return err
		}
	}
	p.environ, p.sandboxes, p.trees = r.Environ, r.Sandboxes, r.Trees
	for _, part := range slices.Concat(p.Others, p.Members, []*Plan{p.Chair}) {
		if part == nil {
			continue
		}
		part.Timeout, part.Quiet = p.Timeout, p.Quiet
		if err := r.resume(part); err != nil {
			return err
		}
	}
	return nil
}

// remember adds what was said before to a plan, as far as it fits: the newest first.
func (p *Plan) remember(history []Turn) {
	room := MaxPrompt - len(p.Prompt)
	first := len(history)
	for ; first > 0; first-- {
		if room -= history[first-1].size(); room < 0 {
			break
		}
	}
	p.Dropped = first
	history = history[first:]
	if p.backend.server != nil {
		p.History = history
	} else if len(history) > 0 {
		p.Prompt = transcript(history) + "\n\n" + p.Prompt
	}
	p.Bytes = len(p.Prompt)
	for _, turn := range p.History {
		p.Bytes += turn.size()
	}
}

// prompt returns what the backend gets.
func (r *Relay) prompt(ctx context.Context, p *Plan, request *Request) (string, error) {
	more, err := request.Context.text()
	if err != nil {
		return "", err
	}
	changes, err := request.Context.diff(ctx, p.Dir, r.Environ)
	if err != nil {
		return "", err
	}
	asked := strings.TrimSpace(request.Prompt)
	if request.Review {
		p.Base = baseOf(ctx, request.Base, p.Dir, r.Environ)
		if strings.HasPrefix(p.Base, "-") {
			return "", core.Errorf(core.InvalidInput, "%q is no name of a commit or branch", p.Base)
		}
		native := p.backend.program != nil && len(p.backend.program.Review) > 0
		if native && asked == "" && more == "" && changes == "" && p.Session == "" {
			p.NativeReview = true
			return "", nil
		}
		untracked := ""
		if request.Context.Untracked {
			untracked = changes
		}
		if changes, err = reviewed(ctx, p.Base, p.Dir, r.Environ); err != nil && untracked == "" {
			return "", err
		}
		changes = strings.TrimSpace(changes + "\n" + untracked)
		if asked == "" {
			asked = ReviewPrompt
		}
	}
	if request.Bare {
		return asked, nil
	}
	return layout(p, asked, more, changes), nil
}

// layout puts the parts of a prompt together. A conversation that continues knows the first lines.
func layout(p *Plan, asked, more, changes string) string {
	var lines []string
	if p.Session == "" {
		lines = append(lines, "You are helping another coding agent. Answer the request below.")
		if p.backend.ReadsFiles() {
			lines = append(lines, "Repository path: "+p.Dir, "Read the files of the repository where they help.")
		}
		lines = append(lines, "Be concise, and say what you are not sure of.", "")
	}
	lines = append(lines, "Request:", asked)
	if more != "" {
		lines = append(lines, "", "Additional Context:", more)
	}
	if changes != "" {
		lines = append(lines, "", "Git Diff:", changes)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// commandLine finds the program, and says how it is called.
func (r *Relay) commandLine(p *Plan, keep bool, schema string) error {
	program := p.backend.program
	path, err := r.find(p.backend)
	if err != nil {
		return err
	}
	mode, _ := p.Sandbox.Parts()
	limits := program.Sandbox[string(mode)]
	fill := strings.NewReplacer(agent.SessionID, p.Session, agent.ModelName, p.Model, agent.BaseRef, p.Base,
		agent.SchemaFile, schema)
	add := func(args ...string) {
		for _, arg := range args {
			p.Argv = append(p.Argv, fill.Replace(arg))
		}
	}
	p.Program = path
	p.Argv = append(p.Argv, program.command[1:]...)
	if p.NativeReview {
		add(program.Review...)
	} else {
		add(program.Mode...)
		if p.Session != "" {
			add(program.Resume...)
		}
	}
	add(program.Args...)
	add(limits.Args...)
	if p.Model != "" {
		add(program.model...)
	}
	if schema != "" && !p.NativeReview {
		add(program.Schema...)
	}
	forgets := p.Session == "" && !keep && len(program.Forget) > 0
	if forgets {
		add(program.Forget...)
	}
	p.Keeps = !forgets
	if !p.NativeReview {
		add(program.Last...)
	}
	p.Set = deeper(p.environ)
	maps.Copy(p.Set, limits.Env)
	p.Unset = agent.Present(p.environ, program.Unset)
	return nil
}

// find returns the path of a backend's program.
func (r *Relay) find(b *Backend) (string, error) {
	name := b.Program()
	find := r.LookPath
	if find == nil {
		find = exec.LookPath
	}
	path, err := find(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		return path, nil
	}
	e := &core.Error{
		Code: core.ToolNotFound, Message: fmt.Sprintf("%s CLI not found in PATH.", name),
		Details: map[string]string{"backend": b.ID, "program": name, "install": b.Install},
	}
	if b.Install != "" {
		e.Message += " Install it: " + b.Install
	}
	return "", e
}

// environment returns the environment of the program: what it inherits, and what is set for it.
func (p *Plan) environment() (inherited, set []string) {
	inherited = slices.DeleteFunc(slices.Clone(p.environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, set := p.Set[name]
		return set || slices.Contains(p.Unset, name)
	})
	for _, name := range slices.Sorted(maps.Keys(p.Set)) {
		set = append(set, name+"="+p.Set[name])
	}
	return inherited, set
}
