package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
)

// Verbs are the verbs that steps call.
type Verbs interface {
	// Check returns all errors in a call. For arguments that are not in whole it checks
	// only the names, because parts of their values are not known yet.
	Check(call *Call, whole map[string]bool) []CallError
	// Fields are the names of the fields of a verb's answer.
	Fields(verb string) []string
	// Reads reports whether a verb changes nothing.
	Reads(verb string) bool
	// PromptID returns a new id under which a call records its prompt before it sends it;
	// empty for verbs that send no prompt.
	PromptID(verb string) string
	// Call calls a verb and returns its answer.
	Call(ctx context.Context, call *Call) (Answer, error)
	// Again reports whether a failed call may be repeated, because it had no effect.
	Again(verb string, err error) bool
	// BackendIn is the name of the argument of a verb that names the backend it asks; empty if it asks none.
	BackendIn(verb string) string
	// Outcome returns the outcome of an interrupted call that sends a prompt.
	Outcome(ctx context.Context, call *Call) (Outcome, Answer, error)
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

// CallError is an error in a call. Key is the key of the step that is wrong: verb, args, or
// args.NAME.
type CallError struct {
	Key string
	Err error
}

// Answer is the answer of a verb, as decoded JSON.
type Answer = map[string]any

// Outcome is the result of a call that was cut off.
type Outcome string

// The outcomes. Undone means that the call had no effect, Done that it was completed, Open
// that this is not known.
const (
	Undone Outcome = "undone"
	Done   Outcome = "done"
	Open   Outcome = "open"
)

// always are the fields that every step's answer has besides its verb's own.
var always = []string{"state", "error", "error_code"}

// plan checks a pipeline against the verbs there are.
func (p *Pipeline) plan(text string, verbs Verbs, session string, vars map[string]string) []Fault {
	v, faults := p.values(session, vars)
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, fault := range p.checkRefs(verbs, v, s) {
			faults = append(faults, faultOf(p.line(text, i, fault.Key), s.Name, fault.Err))
		}
		if s.Verb == "" || s.broken {
			continue
		}
		args, whole := map[string]any{}, map[string]bool{}
		for name, value := range s.Args {
			expanded, known, err := v.expand(map[string]any{name: value})
			if err != nil {
				// The error is reported by another check; the argument counts as given.
				args[name], whole[name] = value, false
				continue
			}
			args[name], whole[name] = expanded[name], known[name]
		}
		for _, fault := range verbs.Check(&Call{Verb: s.Verb, Args: args, Session: session}, whole) {
			faults = append(faults, faultOf(p.line(text, i, fault.Key), s.Name, fault.Err))
		}
	}
	return faults
}

// StepCall is the call of a step, as far as it is known before the run.
type StepCall struct {
	Step string
	Call
}

// Calls returns the calls of a pipeline that Load accepted, in the order in which they
// run. They contain references to answers unexpanded.
func (p *Pipeline) Calls(session string, vars map[string]string) []StepCall {
	v, _ := p.values(session, vars)
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

// checkRefs sees that a step refers to nothing that has no value and no answer can
// have.
func (p *Pipeline) checkRefs(verbs Verbs, v *values, s *Step) []CallError {
	var wrong []CallError
	names := p.names()
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		refs, _ := referencesIn(s.Args[name])
		seen := map[string]bool{}
		for _, ref := range refs {
			whole := strings.Join(ref, ".")
			if seen[whole] {
				continue
			}
			seen[whole] = true
			var err error
			if ref[0] != "steps" {
				_, _, err = v.lookup(ref)
			} else if at := slices.Index(names, ref[1]); at >= 0 {
				err = checkField(verbs, p.Steps[at].Verb, ref)
			}
			if err != nil {
				wrong = append(wrong, CallError{"args." + name, inArg(name, err)})
			}
		}
	}
	return wrong
}

// checkField sees that a verb's answer can have the field that a reference names.
func checkField(verbs Verbs, verb string, ref []string) error {
	own := verbs.Fields(verb)
	if fields := append(slices.Clone(own), always...); len(own) > 0 && !slices.Contains(fields, ref[2]) {
		return unknown(fmt.Sprintf("${%s}: %s answers no %q", strings.Join(ref, "."), verb, ref[2]), ref[2], fields)
	}
	return nil
}

// inArg is an error with the name of its argument.
func inArg(name string, err error) error {
	fault := *core.AsError(err)
	if fault.Code == core.InternalError {
		fault.Code = core.InvalidInput
	}
	fault.Message, fault.Err = name+": "+err.Error(), err
	return &fault
}

// values are the variables of a run: what is given goes before the defaults. What is
// given and no step knows is a fault.
func (p *Pipeline) values(session string, given map[string]string) (*values, []Fault) {
	known := slices.Collect(maps.Keys(p.Vars))
	for i := range p.Steps {
		for _, value := range p.Steps[i].Args {
			refs, _ := referencesIn(value)
			for _, ref := range refs {
				if ref[0] == "vars" && !slices.Contains(known, ref[1]) {
					known = append(known, ref[1])
				}
			}
		}
	}
	vars, faults := maps.Clone(p.Vars), []Fault{}
	if vars == nil {
		vars = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			faults = append(faults,
				faultOf(0, "", unknown(fmt.Sprintf("the pipeline has no variable %q", name), name, known)))
			continue
		}
		vars[name] = given[name]
	}
	return &values{session: session, vars: vars, steps: map[string]map[string]any{}}, faults
}

// inStep is an error with the name of its step.
func inStep(s *Step, code core.Code, err error) error {
	e := core.AsError(err)
	fault := *e
	if e.Code == core.InternalError {
		fault.Code = code
	}
	fault.Message = fmt.Sprintf("step %s: %s", s.Name, err.Error())
	fault.Err = err
	return &fault
}
