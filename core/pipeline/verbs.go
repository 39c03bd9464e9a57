package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
)

// Verbs are what steps call.
type Verbs interface {
	// Check sees that a verb can be called so, and says what is wrong. Of arguments
	// that are not whole only the names count: parts of them are not known yet.
	Check(call *Call, whole map[string]bool) error
	// Fields are the names of the fields of a verb's answer.
	Fields(verb string) []string
	// Reads reports whether a verb changes nothing.
	Reads(verb string) bool
	// PromptID makes the id under which a call will be on record before anything
	// comes of it; empty for verbs that send no prompt.
	PromptID(verb string) string
	// Call calls a verb and returns its answer.
	Call(ctx context.Context, call *Call) (Answer, error)
	// Again reports whether a call that failed may be made again, as nothing came
	// of it.
	Again(verb string, err error) bool
	// Fate says what became of a call that has a prompt's id and was cut off.
	Fate(ctx context.Context, call *Call) (Fate, Answer, error)
}

// Call is one call of a verb.
type Call struct {
	Verb string
	Args map[string]any
	// Session is the run's, for verbs whose arguments name none.
	Session string
	// Prompt is the id of the prompt that it sends, if it sends one.
	Prompt string
}

// Answer is what a verb answers, as its JSON reads.
type Answer = map[string]any

// Fate is what became of a call that was cut off.
type Fate string

// Nothing came of it, all of it was done, or nobody knows.
const (
	Undone Fate = "undone"
	Done   Fate = "done"
	Open   Fate = "open"
)

// always are the fields that every step's answer has besides its verb's own.
var always = []string{"state", "error", "error_code"}

// Plan checks a whole pipeline against the verbs there are, before anything runs:
// every verb, argument and reference, so far as they are known. It returns
// InvalidInput, or what Verbs.Check returns, with the step's name.
func (p *Pipeline) Plan(verbs Verbs, session string, vars map[string]string) error {
	v, err := p.values(session, vars)
	if err != nil {
		return err
	}
	for _, i := range p.order() {
		s := &p.Steps[i]
		args, whole, err := v.expand(s.Args)
		if err != nil {
			return inStep(s, core.InvalidInput, err)
		}
		if err := verbs.Check(&Call{Verb: s.Verb, Args: args, Session: session}, whole); err != nil {
			return inStep(s, core.InvalidInput, err)
		}
		if err := p.checkFields(verbs, s); err != nil {
			return inStep(s, core.InvalidInput, err)
		}
	}
	return nil
}

// StepCall is the call of a step, so far as it is known before anything runs.
type StepCall struct {
	Step string
	Call
}

// Calls are what the steps of a pipeline that Plan accepted would call, in the
// order in which they run. References to answers stand in them as they are.
func (p *Pipeline) Calls(session string, vars map[string]string) []StepCall {
	v, err := p.values(session, vars)
	if err != nil {
		return nil
	}
	var calls []StepCall
	for _, i := range p.order() {
		s := &p.Steps[i]
		args, whole, err := v.expand(s.Args)
		if err != nil {
			return nil
		}
		for name := range args {
			if !whole[name] {
				args[name] = s.Args[name]
			}
		}
		calls = append(calls, StepCall{Step: s.Name, Call: Call{Verb: s.Verb, Args: args, Session: session}})
	}
	return calls
}

// checkFields sees that a step refers to nothing that an answer cannot have.
func (p *Pipeline) checkFields(verbs Verbs, s *Step) error {
	refs, err := references(s.Args)
	if err != nil {
		return err
	}
	names := p.names()
	for _, ref := range refs {
		if ref[0] != "steps" {
			continue
		}
		verb := p.Steps[slices.Index(names, ref[1])].Verb
		if fields := append(slices.Clone(verbs.Fields(verb)), always...); !slices.Contains(fields, ref[2]) {
			return unknown(fmt.Sprintf("${%s}: %s answers no %q", strings.Join(ref, "."), verb, ref[2]), ref[2], fields)
		}
	}
	return nil
}

// values are the variables of a run: what is given goes before the defaults.
func (p *Pipeline) values(session string, given map[string]string) (*values, error) {
	known := slices.Collect(maps.Keys(p.Vars))
	for i := range p.Steps {
		refs, err := references(p.Steps[i].Args)
		if err != nil {
			return nil, inStep(&p.Steps[i], core.InvalidInput, err)
		}
		for _, ref := range refs {
			if ref[0] == "vars" {
				known = append(known, ref[1])
			}
		}
	}
	vars := maps.Clone(p.Vars)
	if vars == nil {
		vars = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			return nil, unknown(fmt.Sprintf("the pipeline has no variable %q", name), name, known)
		}
		vars[name] = given[name]
	}
	return &values{session: session, vars: vars, steps: map[string]map[string]any{}}, nil
}

// inStep is an error with the name of its step.
func inStep(s *Step, code core.Code, err error) error {
	e := core.AsError(err)
	told := *e
	if e.Code == core.InternalError {
		told.Code = code
	}
	told.Message = fmt.Sprintf("step %s: %s", s.Name, err.Error())
	told.Err = err
	return &told
}
