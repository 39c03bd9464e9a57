package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/relay"
	"cupola/core/relay/stream"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
)

type relayIn struct {
	Prompt           string        `arg:"1" help:"The prompt; - reads it from standard input"`
	To               string        `lister:"backends" help:"Who is asked: the name of a backend; the settings' one without it"`
	Repo             string        `help:"The directory that it is about; the current one without it"`
	Model            string        `help:"The model that is asked; the settings' or the backend's own without it"`
	Sandbox          string        `help:"What the backend may do: read-only, workspace-write or danger-full-access; 'backends' says what each guarantees"`
	ContextFile      []string      `whole:"true" help:"A file that goes with the prompt; - is standard input"`
	ContextText      string        `help:"Text that goes with the prompt"`
	IncludeDiff      bool          `help:"Send the changes of the working tree, or its last commit where there are none"`
	NoIncludeDiff    bool          `help:"Do not send them, whatever the settings say"`
	IncludeUntracked bool          `help:"Send the new files that git does not know"`
	Review           bool          `help:"Ask for a review of the changes since --base; it needs no prompt"`
	Base             string        `help:"What a review compares with; implies --review"`
	Timeout          time.Duration `help:"How long the answer may take"`
	Stream           bool          `help:"Answer with an event for each piece, as it comes"`
	NoStream         bool          `help:"Show the answer once it is complete"`
	registry.Preview
}

type relayOut struct {
	Backend   string        `json:"backend"`
	Sandbox   relay.Sandbox `json:"sandbox"`
	Guarantee string        `json:"guarantee"`
	relay.Result
	// ElapsedMS is how long it took, and FirstTextMS when the first text came; 0 where none did.
	ElapsedMS   int64 `json:"elapsed_ms"`
	FirstTextMS int64 `json:"first_text_ms"`
	DryRun      bool  `json:"dry_run"`
	// Plan is what would run; absent without --dry-run.
	Plan *relay.Plan `json:"plan,omitempty"`

	// shown is true where the text was shown while it came.
	shown bool
}

// relayLine is one event of a relay.
type relayLine struct{ relay.Event }

var relayVerb = registry.Define(registry.Spec[*Env, relayIn, relayOut]{
	Name: "relay", Group: groupRelay, Short: "Ask a backend one prompt, without a pane",
	Long: "The backend runs without a terminal in the directory, with the prompt on its standard input, and is ended " +
		"with all that it started when its time is over or you interrupt. What it may do is its sandbox mode, and " +
		"each backend guarantees something else by it: see 'cupola backends'. A mode that it cannot hold is refused. " +
		"A backend that was asked by a relay cannot ask another. --dry-run shows the program, its arguments and all " +
		"that it would get.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{
		"'is this migration safe?' --to=codex --dry-run",
		"--review --base=main --to=claude --dry-run",
	},
	Errors: []core.Code{
		core.ConfigInvalid, core.CredentialMissing, core.AuthFailed, core.RateLimited, core.BudgetExceeded,
		core.NetworkError, core.IOError, core.PermissionDenied, core.ToolNotFound, core.BackendFailed,
		core.ProjectNotFound, core.NotFound, core.Conflict, core.Timeout,
	},
	Run:    runRelay,
	Stream: registry.Stream[*Env, relayIn, relayOut]{Line: relayLine{}, Run: streamRelay},
}).SeeAlso("backends", "send")

// Check sees that the flags fit together.
func (in relayIn) Check() error {
	switch {
	case in.Stream && in.NoStream:
		return registry.Conflict("--stream", "--no-stream")
	case in.IncludeDiff && in.NoIncludeDiff:
		return registry.Conflict("--include-diff", "--no-include-diff")
	}
	return nil
}

// Streaming reports whether the answer is to come piece by piece.
func (in relayIn) Streaming() bool { return in.Stream && !in.DryRun }

// Live reports whether a person sees the answer while it comes.
func (in relayIn) Live() bool { return !in.NoStream && !in.DryRun }

func runRelay(ctx context.Context, env *Env, in relayIn) (relayOut, error) {
	return in.ask(ctx, env, nil)
}

func streamRelay(ctx context.Context, env *Env, in relayIn, emit func(any) error) (relayOut, error) {
	return in.ask(ctx, env, emit)
}

// ask plans the relay and carries it out.
func (in relayIn) ask(ctx context.Context, env *Env, emit func(any) error) (relayOut, error) {
	settings, err := env.Settings()
	if err != nil {
		return relayOut{}, err
	}
	asker, err := env.relays(settings)
	if err != nil {
		return relayOut{}, err
	}
	request, err := in.request(env, settings)
	if err != nil {
		return relayOut{}, err
	}
	plan, err := asker.Plan(ctx, request)
	if err != nil {
		return relayOut{}, err
	}
	out := relayOut{Backend: plan.Backend, Sandbox: plan.Sandbox, Guarantee: plan.Guarantee, DryRun: in.DryRun}
	if in.DryRun {
		out.Plan = plan
		return out, nil
	}
	if env.Human && !settings.Relay.Stream && !in.Stream {
		emit = nil
	}
	var broken error
	result, err := asker.Run(ctx, plan, func(event relay.Event) {
		if emit == nil || broken != nil || event.Type == stream.Done || event.Type == stream.Failed {
			return
		}
		broken = emit(relayLine{event})
	})
	out.Result, out.shown = *result, emit != nil
	out.ElapsedMS, out.FirstTextMS = result.Elapsed.Milliseconds(), result.FirstText.Milliseconds()
	if err == nil {
		err = broken
	}
	return out, err
}

// request is what the flags and the settings ask for.
func (in relayIn) request(env *Env, settings *config.Config) (*relay.Request, error) {
	prompt, files := in.Prompt, in.ContextFile
	fromStdin := prompt == "-"
	text := ""
	for i, file := range files {
		if file != "-" {
			continue
		}
		if fromStdin || text != "" {
			return nil, registry.GivenTwice("--context-file", "-", "-")
		}
		read, err := env.Stdin()
		if err != nil {
			return nil, err
		}
		text, files = read, append(append([]string{}, files[:i]...), files[i+1:]...)
	}
	if fromStdin {
		read, err := env.Stdin()
		if err != nil {
			return nil, err
		}
		prompt = read
	}
	dir, err := filepath.Abs(filepath.Join(cmp.Or(in.Repo, env.Dir)))
	if err != nil {
		return nil, err
	}
	return &relay.Request{
		Prompt: prompt, Backend: cmp.Or(in.To, settings.Relay.Backend), Model: in.Model, Dir: dir,
		Sandbox: relay.Sandbox(cmp.Or(in.Sandbox, settings.Relay.Sandbox)),
		Context: relay.Context{
			Files: files, Text: cmp.Or(text, in.ContextText),
			Diff:      (in.IncludeDiff || settings.Relay.IncludeDiff) && !in.NoIncludeDiff && !in.Review && in.Base == "",
			Untracked: in.IncludeUntracked,
		},
		Review: in.Review || in.Base != "", Base: cmp.Or(in.Base, settings.Relay.ReviewBase),
		Timeout: cmp.Or(in.Timeout, settings.Relay.Timeout), Quiet: settings.Relay.Quiet,
	}, nil
}

// relays returns what asks backends: those of the agent kinds, the servers that are known, and
// those of the settings.
func (e *Env) relays(settings *config.Config) (*relay.Relay, error) {
	kinds, err := Kinds(e.Paths)
	if err != nil {
		return nil, err
	}
	all := relay.Backends{}
	for _, kind := range kinds.All() {
		if b, headless := relay.FromKind(kind, e.Self); headless {
			all = append(all, b)
		}
	}
	for id, own := range settings.Backends {
		if own.API == "" && own.URL == "" {
			continue
		}
		b, err := relay.FromServer(id, own.Name, relay.Server{
			API: own.API, URL: cmp.Or(e.Getenv(own.URLEnv), own.URL), KeyVariable: own.KeyEnv,
		})
		if err != nil {
			return nil, err
		}
		b.Model = e.Getenv(own.ModelEnv)
		all = append(all, b)
	}
	for _, b := range all {
		b.Model = cmp.Or(settings.Backends[b.ID].Model, b.Model)
	}
	all.Sort()
	return &relay.Relay{Backends: all, Environ: os.Environ(), Clock: e.Clock}, nil
}

// Report shows one event of a relay to a person: the text as it comes.
func (l relayLine) Report() *report.Report {
	r := &report.Report{}
	if l.Type == stream.Text {
		r.Add(report.Block{Quote: l.Text})
	}
	return r
}

// Hints tells what went wrong without ending the relay.
func (o relayOut) Hints() *registry.Hints {
	if len(o.Warnings) == 0 {
		return nil
	}
	return &registry.Hints{Warnings: o.Warnings}
}

func (o relayOut) Report() *report.Report {
	r := &report.Report{}
	switch {
	case o.Plan != nil:
		return planReport(o.Plan)
	case o.shown:
		return r.Add(report.Block{Quote: "\n"})
	}
	return r.Add(report.Block{Quote: o.Text + "\n"})
}

// planReport shows a person what a relay would do.
func planReport(p *relay.Plan) *report.Report {
	r := &report.Report{}
	fact := func(name, value string) {
		if value != "" {
			r.AddLine(report.Toned(report.Dim, fmt.Sprintf("%-10s", name)), report.Text(value))
		}
	}
	fact("backend", p.Backend)
	fact("model", p.Model)
	fact("directory", p.Dir)
	fact("sandbox", string(p.Sandbox)+": "+p.Guarantee)
	fact("address", p.URL)
	if p.Program != "" {
		fact("command", shell.Line(append([]string{p.Program}, p.Argv...)...))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Set)) {
		fact("sets", name+"="+p.Set[name])
	}
	fact("unsets", strings.Join(p.Unset, ", "))
	if p.NativeReview {
		r.AddLine(report.Text("Its own review of the changes since " + p.Base + "; it gets no prompt."))
		return r
	}
	return r.Add(report.Block{
		Heading: fmt.Sprintf("Prompt (%d bytes)", p.Bytes), Quote: p.Prompt + "\n",
	})
}
