package relays

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/run"
	"cupola/core/run/relay"
	"cupola/core/run/relay/stream"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// RelayIn is the input of the verb relay.
type RelayIn struct {
	Prompt           string             `arg:"1" alias:"prompt" help:"The prompt; - reads it from standard input"`
	To               []string           `lister:"backends" help:"Who is asked: a backend, or several for a panel, separated by commas; the settings' one without it"`
	By               string             `enum:"acp" help:"Ask by the Agent Client Protocol instead of the program's own way"`
	Repo             registry.ReadPath  `help:"The directory that it is about; the current one without it"`
	Model            string             `help:"The model that is asked; the settings' or the backend's own without it"`
	Sandbox          string             `raises:"danger-full-access=commands" help:"What the backend may do: read-only, workspace-write or danger-full-access; 'backends' says what each guarantees. A sandbox of the settings, project or offline holds its program too: MODE+NAME"`
	ContextFile      registry.ReadPaths `whole:"true" help:"A file that goes with the prompt; - is standard input"`
	ContextText      string             `help:"Text that goes with the prompt"`
	IncludeDiff      bool               `help:"Send the changes of the working tree, or its last commit where there are none"`
	NoIncludeDiff    bool               `help:"Do not send them, whatever the settings say"`
	IncludeUntracked bool               `help:"Send the new files that git does not know"`
	Review           bool               `help:"Ask for a review of the changes since --base; it needs no prompt"`
	Base             string             `help:"What a review compares with; implies --review"`
	Verdict          bool               `alias:"verdict-json" help:"Ask for a verdict (ship, iterate, abstain) with findings, and fail if the answer is none"`
	Rank             bool               `help:"Have three backends or more each rank the answers of the others, which get labels instead of names"`
	Chair            string             `lister:"backends" help:"The backend that sums up what several answered, with the rankings of --rank"`
	Schema           registry.ReadPath  `help:"A file with a JSON Schema that the answer must fit; one that does not is asked for once more"`
	Label            string             `names:"record" help:"Continue the conversation of this name, or begin it"`
	Timeout          time.Duration      `help:"How long the answer may take"`
	Inactivity       time.Duration      `help:"How long the backend may print nothing"`
	Stream           bool               `help:"Answer with an event for each piece, as it comes"`
	NoStream         bool               `help:"Show the answer once it is complete"`
	Render           bool               `help:"On a terminal: show the answer's Markdown laid out, once it is complete"`
	Background       bool               `help:"Ask in the background, and answer immediately with the id"`
	Resume           string             `lister:"relay-list" names:"record" help:"Carry out a relay that was put on record in the background and has not started"`
	verb.AtLimit
	registry.Preview
	registry.OverBudget
}

var relayVerb = registry.Define(registry.Spec[*verb.Env, RelayIn, RelayOut]{
	Name: "relay", Group: verb.GroupRelay, Doing: "asking", Short: "Ask a backend one prompt, without a pane",
	Long: "The backend runs without a terminal in the directory, with the prompt on its standard input, and is ended " +
		"with all that it started when its time is over or you interrupt. What it may do is its sandbox mode, and " +
		"each backend guarantees something else by it: see 'cupola backends'. A mode that it cannot hold is refused. " +
		"A backend that was asked by a relay cannot ask another. With several backends all are asked at once, and " +
		"their answers come side by side, with --stream each event with its backend; with --verdict their findings " +
		"are put together by place. With --rank or --chair a panel is one relay of several rounds: all answer, each " +
		"ranks the answers of the others without knowing whose they are, and the chair sums up. --dry-run shows " +
		"the program, its arguments and all that it would get.",
	Scope: registry.Global, Effect: registry.Writes, List: "results", ImpliedBy: []string{"to", "prompt"},
	Examples: []string{
		"'is this migration safe?' --to=codex --dry-run",
		"'is this design sound?' --to=claude,gemini --verdict --dry-run",
	},
	Errors: []core.Code{
		core.ConfigInvalid, core.CredentialMissing, core.AuthFailed, core.RateLimited, core.BudgetExceeded,
		core.NetworkError, core.IOError, core.DecodeFailed, core.PermissionDenied, core.ToolNotFound,
		core.BackendFailed, core.ProjectNotFound, core.NotFound, core.Conflict, core.StoreError, core.StoreLocked,
		core.MigrationFailed, core.Timeout, core.ModelNotFound, core.DepthLimit,
	},
	Run:    runRelay,
	Stream: registry.Stream[*verb.Env, RelayIn, RelayOut]{Line: relayLine{}, Run: streamRelay},
}).SeeAlso("backends", "run-list", "send")

// Check sees that the flags fit together.
func (in RelayIn) Check() error {
	switch {
	case in.Resume != "" && (in.Prompt != "" || len(in.To) > 0 || in.Background || in.rounds()):
		return registry.Conflict("--resume", "another prompt", "A relay that was put on record has all that it needs.")
	case in.Stream && in.NoStream:
		return registry.Conflict("--stream", "--no-stream")
	case in.Stream && in.Render:
		return registry.Conflict("--stream", "--render", "An answer is laid out once it is complete.")
	case in.Background && in.Render:
		return registry.Conflict("--background", "--render", "The call that shows an answer lays it out.")
	case in.IncludeDiff && in.NoIncludeDiff:
		return registry.Conflict("--include-diff", "--no-include-diff")
	case in.Background && in.Stream:
		return registry.Conflict("--background", "--stream", "'relay-show --follow' shows an answer while it comes.")
	case in.Verdict && in.Schema != "":
		return registry.Conflict("--verdict", "--schema")
	case in.Background && (in.Verdict || in.Schema != ""):
		return registry.Conflict("--background", map[bool]string{true: "--verdict", false: "--schema"}[in.Verdict],
			"An answer is judged by the call that waits for it.")
	case in.rounds() && in.Verdict:
		return registry.Conflict(in.round(), "--verdict", "Verdicts are put together by their findings.")
	case in.rounds() && in.Schema != "":
		return registry.Conflict(in.round(), "--schema", "Answers of a form are for programs, which compare them.")
	case in.Rank && len(in.To) < relay.LeastRanked:
		return in.tooFew(relay.LeastRanked, "each backend ranks at least two answers of the others")
	case in.Chair != "" && len(in.To) < relay.LeastSummed:
		return in.tooFew(relay.LeastSummed, "a chair sums up what several answered")
	case len(in.To) > 1 && in.Label != "":
		return registry.Conflict("--label", "several backends", "A conversation is one with one backend.")
	case len(in.To) > 1 && (in.OnLimit == string(run.SwitchBackend) || len(in.Fallback) > 0):
		return registry.Conflict("--on-limit=switch", "several backends", "Each of a panel answers for itself.")
	}
	for i, name := range in.To {
		if slices.Contains(in.To[:i], name) {
			return registry.GivenTwice("--to", name, name)
		}
	}
	return nil
}

// rounds reports whether a panel has more than one round, and round is the flag that says so.
func (in RelayIn) rounds() bool { return in.Rank || in.Chair != "" }

func (in RelayIn) round() string {
	if in.Rank {
		return "--rank"
	}
	return "--chair"
}

// tooFew makes the error of a panel with less backends than its rounds take, with the command that has enough.
func (in RelayIn) tooFew(least int, why string) error {
	e := &core.Error{
		Code: core.InvalidFlag, Hint: "Name more with --to; 'cupola backends' lists them.",
		Message: fmt.Sprintf("%s takes %d backends, and --to names %d: %s", in.round(), least, len(in.To), why),
		Details: map[string]any{"flags": []string{in.round(), "--to"}, "parse_code": registry.ArgumentConflict},
	}
	e.Actions = []string{"cupola backends"}
	return e
}

// Streaming reports whether the answer is to come piece by piece.
func (in RelayIn) Streaming() bool { return in.Stream && !in.DryRun && in.Resume == "" }

// Live reports whether a person sees the answer while it comes.
func (in RelayIn) Live() bool {
	return !in.NoStream && !in.Render && !in.DryRun && !in.Background && in.Resume == "" && len(in.To) < 2 &&
		!in.Verdict && in.Schema == ""
}

func runRelay(ctx context.Context, env *verb.Env, in RelayIn) (RelayOut, error) {
	if in.Render && !env.Human {
		env.Warn("--render lays out answers for people; this answer is as the backend gave it")
	}
	out, err := in.ask(ctx, env, nil)
	out.render = in.Render
	return out, err
}

func streamRelay(ctx context.Context, env *verb.Env, in RelayIn, emit func(any) error) (RelayOut, error) {
	return in.ask(ctx, env, emit)
}

// ask plans what was asked for and carries it out.
func (in RelayIn) ask(ctx context.Context, env *verb.Env, emit func(any) error) (RelayOut, error) {
	settings := env.Settings()
	runner, err := RunnerOf(&env.Local, settings)
	if err != nil {
		return RelayOut{}, err
	}
	if in.Resume != "" {
		record, err := runner.Resume(ctx, in.Resume)
		return relayOutOf(record), err
	}
	asked, request, err := in.request(&env.Local, settings)
	if err != nil {
		return RelayOut{}, err
	}
	judge, err := in.judge(&env.Local)
	if err != nil {
		return RelayOut{}, err
	}
	judge.demand(&request)
	call := &Call{Env: env, Runner: runner, Asked: asked, Judge: judge, overBudget: in.OverrideBudget}
	if emit != nil && (in.Stream || settings.Relay.Stream) {
		call.emit = emit
	}
	if len(in.To) > 1 && !in.rounds() {
		return call.panel(ctx, request, in)
	}
	plan, err := call.plan(ctx, request, in)
	if e := core.AsError(err); e.HasCode(core.MissingRequired) {
		e.Hint = "Give it as an argument; 'cupola relay -' reads it from standard input."
	}
	switch {
	case err != nil:
		return RelayOut{}, err
	case in.DryRun:
		return RelayOut{DryRun: true, Results: []Answer{}, Planned: []*relay.Plan{plan}}, nil
	case in.Background:
		record, err := call.detach(ctx, plan)
		out := relayOutOf(record)
		out.Background = err == nil
		return out, err
	}
	return call.One(ctx, plan)
}

// request returns the request of the flags and the settings, and the caller's own words.
func (in RelayIn) request(env *verb.Local, settings *config.Config) (string, relay.Request, error) {
	prompt, files, text := in.Prompt, in.ContextFile, ""
	if i := slices.Index(files, "-"); i >= 0 || prompt == "-" {
		read, err := env.Stdin()
		if err != nil {
			return "", relay.Request{}, err
		}
		if i >= 0 && (prompt == "-" || slices.Contains(files[i+1:], "-")) {
			return "", relay.Request{}, registry.GivenTwice("--context-file", "-", "-")
		}
		if prompt == "-" {
			prompt = read
		} else {
			text, files = read, slices.Delete(slices.Clone(files), i, i+1)
		}
	}
	for i, file := range files {
		files[i] = verb.Absolute(env.Dir, file)
	}
	if text != "" && strings.TrimSpace(in.ContextText) != "" {
		return "", relay.Request{}, registry.Conflict("--context-file=-", "--context-text")
	}
	review := in.Review || in.Base != ""
	request := relay.Request{
		Prompt: prompt, Model: in.Model, Sandbox: relay.Sandbox(in.Sandbox), By: relay.By(in.By),
		Context: relay.Context{
			Files: files, Text: cmp.Or(text, in.ContextText), Diff: in.IncludeDiff, Untracked: in.IncludeUntracked,
		},
		Review: review, Base: in.Base, Label: in.Label, Timeout: in.Timeout, Quiet: in.Inactivity,
	}
	settle(&request, &settings.Relay)
	var err error
	if request.Limits, err = in.Policy(settings.Relay.LimitPolicy, false); err != nil {
		return "", relay.Request{}, err
	}
	if len(in.To) > 1 && request.Limits.OnLimit == run.SwitchBackend {
		request.Limits.OnLimit = run.WaitForReset
	}
	request.Context.Diff = request.Context.Diff && !in.NoIncludeDiff
	if in.Repo != "" {
		request.Dir = verb.Absolute(env.Dir, in.Repo)
	}
	if len(in.To) > 0 {
		request.Backend = in.To[0]
	}
	if in.Schema != "" {
		request.Schema = verb.Absolute(env.Dir, in.Schema)
	}
	return cmp.Or(strings.TrimSpace(prompt), reviewAsked(review)), request, nil
}

// reviewAsked is the prompt on record of a review without one.
func reviewAsked(review bool) string {
	if review {
		return "(review)"
	}
	return ""
}

// Call carries out what one call of the verb planned.
type Call struct {
	Env        *verb.Env
	Runner     *relay.Runner
	Asked      string
	Judge      *RelayJudge
	emit       func(any) error
	overBudget bool
}

// afford asks whether something may be spent, unless the caller overrides that.
func (c *Call) afford(ctx context.Context) error {
	if c.overBudget || c.Env.Afford == nil {
		return nil
	}
	return c.Env.Afford(ctx)
}

func (c *Call) detach(ctx context.Context, plan *relay.Plan) (*relay.Record, error) {
	if err := c.afford(ctx); err != nil {
		return nil, err
	}
	return c.Runner.Detach(ctx, plan, c.Asked, func(id string) []string {
		return []string{c.Env.Self, "--robot-format=json", "relay", "--resume=" + id}
	})
}

// One asks one backend, and once more if the answer is not of the form that was asked for.
func (c *Call) One(ctx context.Context, plan *relay.Plan) (RelayOut, error) {
	if err := c.afford(ctx); err != nil {
		return RelayOut{}, err
	}
	wait, end := c.waiting(ctx, plan.Backend)
	var broken error
	var shown relayLines
	record, err := c.Runner.Ask(ctx, plan, c.Asked, func(event relay.Event) {
		if event.Type == stream.Text && c.emit != nil {
			end()
		}
		wait.heard(plan.Backend, event)
		if c.emit == nil || broken != nil || event.Type == stream.Done || event.Type == stream.Failed {
			return
		}
		broken = c.emit(shown.line(event))
	})
	end()
	out := relayOutOf(record)
	out.shown = c.emit != nil
	if err == nil {
		err = broken
	}
	if err == nil {
		err = c.judged(ctx, plan, &out.Results[0])
	}
	return out, withDetails(err, out)
}

// withDetails puts what became of the backends into an error.
func withDetails(err error, out RelayOut) error {
	if err == nil || len(out.Results) == 0 {
		return err
	}
	return verb.WithDetails(err, out)
}

// relayLine is one event of a relay.
type relayLine struct {
	relay.Event
	// Backend is which of several backends it is of; empty where one is asked.
	Backend string `json:"backend,omitempty"`
	// apart is true for the first text of a message that follows another.
	apart bool
}

// relayLines makes the lines of one relay.
type relayLines struct{ message int }

func (s *relayLines) line(event relay.Event) relayLine {
	if event.Type != stream.Text {
		return relayLine{Event: event}
	}
	apart := s.message > 0 && event.Message != s.message
	s.message = event.Message
	return relayLine{Event: event, apart: apart}
}

// Report shows one event of a relay to a person: the text as it comes, with a blank line between
// two messages.
func (l relayLine) Report() *report.Report {
	r := &report.Report{}
	switch {
	case l.Type != stream.Text:
	case l.Backend != "":
		for line := range strings.Lines(l.Text) {
			r.AddLine(report.Toned(report.Strong, l.Backend+"  "), report.Text(strings.TrimRight(line, "\n")))
		}
	case l.apart:
		r.Add(report.Block{Quote: "\n\n" + l.Text})
	default:
		r.Add(report.Block{Quote: l.Text})
	}
	return r
}
