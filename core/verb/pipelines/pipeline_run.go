package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/run/pipeline"
	"cupola/core/system/plainfile"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
)

type pipelineRunIn struct {
	File        registry.Script `arg:"1" help:"The pipeline's file"`
	Session     string          `names:"session" help:"Session for steps that name none, and the value of ${session}"`
	Vars        []string        `whole:"true" help:"Values of variables, as NAME=VALUE, separated by commas"`
	Resume      string          `names:"record" help:"Continue a run: its id, or the pipeline's name for its newest run"`
	Interrupted string          `default:"stop" enum:"stop,repeat,done" help:"What to do with a step that was started and may or may not have been completed"`
	Background  bool            `help:"Run it in the background, and answer immediately"`
	verb.AtLimit
	registry.Preview
	registry.Detail
}

var pipelineRun = registry.Define(registry.Spec[verb.OnFleet, pipelineRunIn, PipelineOut]{
	Name: "pipeline-run", Group: verb.GroupPipes, Short: "Run the steps in a pipeline file",
	Aliases: []string{"pipeline start"},
	Long: "The file is TOML: tables [[step]] with name, verb, args and, if wanted, needs, when (success, failure, " +
		"always), retries, pause, timeout, on_error (stop, continue) and repeatable, under [vars]. Texts in args may " +
		"hold ${session}, ${vars.NAME} and ${steps.NAME.FIELD}; 'cupola help pipelines' explains each. Everything is " +
		"checked before anything runs, and all faults are reported together. What became of each step is on disk, " +
		"so that --resume continues where a run was cut off, failed or was cancelled; a step that had started and " +
		"writes is not repeated unless nothing came of it. For example:\n\n    " +
		indented(pipeline.Example()) + "\n\nThis file runs as it is.",
	Scope: registry.Resource, Effect: registry.Writes,
	Deprecated: registry.Prefixed{Prefix: "pipeline", Flags: []string{"background", "dry-run", "session", "vars"}},
	Examples: []string{
		"review.toml --session=api",
		"review.toml --session=api --vars='goal=the tests pass' --dry-run",
		"review.toml --session=api --background",
	},
	List: "steps", Errors: everyCode(), Run: runPipeline,
})

// indented puts a file into a text.
func indented(file string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(file), "\n", "\n    "), "\n    \n", "\n\n")
}

// everyCode are all codes: a pipeline fails as its step does.
func everyCode() []core.Code {
	rows := core.Codes()
	return core.Map(rows, func(c core.CodeRow) core.Code { return c.Code })
}

// Check sees that there is one pipeline to run.
func (in pipelineRunIn) Check() error {
	switch {
	case in.Resume == "" && in.File == "":
		return registry.Missing("pipeline-run needs a file, or --resume", "Usage: cupola pipeline-run FILE [flags]",
			"FILE")
	case in.Resume == "":
		return nil
	case in.File != "":
		return registry.Conflict("--resume", shell.Quote(string(in.File)),
			"A run continues with the steps that it has.")
	case in.DryRun:
		return registry.Conflict("--resume", "--dry-run")
	case in.Session != "":
		return registry.Conflict("--resume", "--session", "A run continues with the session that it has.")
	case len(in.Vars) > 0:
		return registry.Conflict("--resume", "--vars", "A run continues with the variables that it has.")
	}
	return nil
}

func runPipeline(ctx context.Context, deps verb.OnFleet, in pipelineRunIn) (PipelineOut, error) {
	// A run asks no question.
	deps.Env.Confirm, deps.Env.Choose, deps.Env.Pick = nil, nil, nil
	directory, verbs := Directory(&deps.Env.Local), &stepVerbs{env: deps.Env}
	asking, err := verbs.limit(deps.Env.Border)
	if err != nil {
		return PipelineOut{}, err
	}
	id := ""
	if in.Resume != "" {
		run, err := directory.Find(in.Resume)
		if err != nil {
			return PipelineOut{}, err
		}
		if id = run.ID; asking != nil {
			if err := pipeline.Limit(ctx, directory, id, asking); err != nil {
				return PipelineOut{}, err
			}
		}
		if err := verbs.bound(run); err != nil {
			return PipelineOut{}, err
		}
	} else {
		p, run, err := readPipeline(verbs, &in, deps.Env.Dir)
		if err != nil {
			return PipelineOut{}, err
		}
		if !makesSessions(p, verbs) {
			if _, err := verb.LiveSession(ctx, deps.Fleet, run.Session); err != nil {
				return PipelineOut{}, err
			}
		}
		if in.DryRun {
			return plannedSteps(p, run, verbs).counted(), nil
		}
		if asking != nil {
			run.Limits = append(run.Limits, asking)
		}
		if err := pipeline.New(directory, p, run, time.Now()); err != nil {
			return PipelineOut{}, err
		}
		id = run.ID
	}
	if in.Background {
		run, err := directory.Detach(ctx, id, deps.Env.Dir, deps.Env.Self, "--robot-format=json", "pipeline-run",
			"--resume="+id, "--interrupted="+in.Interrupted)
		if err != nil {
			return PipelineOut{}, err
		}
		out := pipelineOutOf(run, directory, in.Verbose)
		out.Background = true
		out.next = []registry.Action{
			verb.NextAction("status", "See how far it has got", "pipeline-status", out.ID),
			verb.NextAction("cancel", "Stop it", "pipeline-cancel", out.ID),
		}
		return out.counted(), nil
	}
	runner := pipeline.Runner{
		Directory: directory, Verbs: verbs, Interrupted: pipeline.Rule(in.Interrupted), Progress: reportSteps(deps.Env),
	}
	run, err := runner.Run(ctx, id)
	if run == nil {
		return PipelineOut{}, err
	}
	out := pipelineOutOf(run, directory, in.Verbose)
	if err != nil {
		return out, pipelineError(err, out)
	}
	return out.counted(), nil
}

// limit adds what the caller may do to the limits of every step, and returns it as runs record it; nil for all.
func (v *stepVerbs) limit(border *registry.Border) (json.RawMessage, error) {
	if border == nil {
		return nil, nil
	}
	v.limits = append(v.limits, border)
	text, err := json.Marshal(border)
	if err != nil {
		return nil, core.Errorf(core.InternalError, "record who asks: %w", err)
	}
	return text, nil
}

// bound adds the limits of a run on record, and fails if a step of it is outside of any.
func (v *stepVerbs) bound(run *pipeline.Run) error {
	for _, text := range run.Limits {
		border := &registry.Border{}
		if err := json.Unmarshal(text, border); err != nil {
			return core.Errorf(core.DecodeFailed, "read who began the run %s: %w", run.ID, err)
		}
		v.limits = append(v.limits, border)
		if v.env.Border == nil || !border.Commands {
			v.env.Border = border
		}
	}
	if len(v.limits) == 0 {
		return nil
	}
	_, _ = pipeline.Load(run.File, run.Text, v, run.Session, run.Vars) // its faults were reported when it was made
	return v.denied
}

// makesSessions reports whether a step may start the session that others are about.
func makesSessions(p *pipeline.Pipeline, verbs *stepVerbs) bool {
	return slices.ContainsFunc(p.Steps, func(s pipeline.Step) bool {
		verb, err := verbs.find(s.Verb)
		return err == nil && slices.Contains([]string{"spawn", "restore", "rename"}, verb.Name)
	})
}

// reportSteps passes on which step begins.
func reportSteps(env *verb.Env) func(string, int, int) {
	return func(step string, over, all int) {
		if env.Progress != nil {
			env.Progress(core.Progress{
				Phase: "pipeline", Percent: over * 100 / max(all, 1),
				Message: fmt.Sprintf("step %s, %d of %d are over", step, over, all),
			})
		}
	}
}

// pipelineError is an error of a run with everything that became of it.
func pipelineError(err error, out PipelineOut) error {
	e := *core.AsError(err)
	if e.Details != nil {
		out.Failure = e.Details
	}
	e.Details, e.Err = out, err
	if out.ID != "" && !e.HasCode(core.Conflict) { // a conflict says how to resume
		e.Actions = append([]string{shell.Line("cupola", "pipeline-run", "--resume="+out.ID)}, e.Actions...)
		e.Actions = append(e.Actions, shell.Line("cupola", "pipeline-status", out.ID))
	}
	return &e
}

// readPipeline reads a pipeline's file and checks all of it.
func readPipeline(verbs *stepVerbs, in *pipelineRunIn, dir string) (*pipeline.Pipeline, *pipeline.Run, error) {
	file := string(in.File)
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	text, err := plainfile.Read(file, plainfile.Text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, &core.Error{
			Code: core.NotFound, Message: "there is no file " + file, Hint: "Check the path.", Err: err,
		}
	case err != nil:
		return nil, nil, core.Errorf(core.IOError, "%w", err)
	}
	vars, err := variables(in.Vars)
	if err != nil {
		return nil, nil, err
	}
	p, err := pipeline.Load(file, string(text), verbs, in.Session, vars)
	if verbs.denied != nil {
		return nil, nil, verbs.denied
	}
	if err != nil {
		failure := *core.AsError(err)
		failure.Actions = []string{"cupola help pipelines"}
		if faults, ok := failure.Details.(pipeline.Faults); ok {
			for i := range faults.Faults {
				f := &faults.Faults[i]
				f.Hint = advice.Complete(&core.Error{Hint: f.Hint, Remedies: f.Remedies, Subject: f.Subject}).Hint
			}
		}
		return nil, nil, &failure
	}
	policy, err := in.Policy(verbs.env.Settings().Relay.LimitPolicy, false)
	if err != nil {
		return nil, nil, err
	}
	return p, &pipeline.Run{
		OnLimit: policy, File: file, Text: string(text), Session: in.Session, Vars: vars, Dir: dir,
	}, nil
}

// givenValue is the beginning of a variable's value.
var givenValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*[A-Za-z_][A-Za-z0-9_-]*=`) })

// variables reads NAME=VALUE,NAME=VALUE. A comma that no name follows belongs to
// the value.
func variables(texts []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, text := range texts {
		last := ""
		for piece := range strings.SplitSeq(text, ",") {
			switch name, value, _ := strings.Cut(piece, "="); {
			case givenValue().MatchString(piece):
				last = strings.TrimSpace(name)
				vars[last] = value
			case last != "":
				vars[last] += "," + piece
			default:
				return nil, &core.Error{
					Code:    core.InvalidInput,
					Message: fmt.Sprintf("--vars: %q is not NAME=VALUE", piece),
					Hint:    "Write --vars goal=tests,branch=main.",
				}
			}
		}
	}
	for name, value := range vars {
		if strings.TrimSpace(value) == "" {
			return nil, &core.Error{
				Code: core.InvalidInput, Message: "--vars: " + name + " is empty",
				Hint: "Give it a value, or leave it to the pipeline's own [vars]. Is a shell variable unset?",
			}
		}
	}
	return vars, nil
}
