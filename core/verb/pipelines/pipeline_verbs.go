package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/record/store"
	"cupola/core/run/pipeline"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/agents"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/core/verb/suggest"
)

// stepVerbs are the verbs of the catalog as steps of a pipeline call them.
type stepVerbs struct {
	env *verb.Env
	// limits are the permissions of the callers for whom the run is carried out; each step must be within all of
	// them.
	limits []*registry.Border
	// denied is why the first step that Check saw outside the limits may not run.
	denied error
}

// admit returns the input of a step if those who have it run may make that call.
func (v *stepVerbs) admit(verb *registry.Verb, in any) (any, error) {
	for _, limit := range v.limits {
		var err error
		if in, err = limit.Admit(verb, in); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// foresee is admit for a step that is not wholly known yet: an unknown input counts as not given.
func (v *stepVerbs) foresee(verb *registry.Verb, args map[string]any, whole map[string]bool) {
	known := maps.Clone(args)
	maps.DeleteFunc(known, func(name string, _ any) bool {
		is, said := whole[name]
		return said && !is
	})
	in, _ := registry.FillAll(verb, known) // its faults are reported by another check
	if _, err := v.admit(verb, in); err != nil && v.denied == nil {
		v.denied = err
	}
}

// unfit are verbs that cannot be steps, in addition to those that stream.
var unfit = []string{"pipeline-run", "pipeline-cancel", "attach", "setup", "config-edit"}

// find returns a verb that can be a step.
func (v *stepVerbs) find(name string) (*registry.Verb, error) {
	verb := v.env.Catalog.Find(name)
	switch {
	case verb == nil:
		return nil, suggest.Verb(v.env.Catalog, core.Errorf(core.InvalidInput, "no verb is named %q", name), name)
	case verb.Streams:
		return nil, core.Errorf(core.InvalidInput, "%s answers line by line, so it cannot be a step", name)
	case slices.Contains(unfit, verb.Name):
		return nil, core.Errorf(core.InvalidInput, "%s cannot be a step", name)
	}
	return verb, nil
}

// callArgs returns the arguments of a call, with the run's session for verbs that are about one and name none.
func callArgs(verb *registry.Verb, call *pipeline.Call) map[string]any {
	if _, named := call.Args["session"]; named || verb.Scope != registry.Session || call.Session == "" {
		return call.Args
	}
	if _, err := registry.Takes(verb, "session"); err != nil {
		return call.Args
	}
	args := maps.Clone(call.Args)
	if args == nil {
		args = map[string]any{}
	}
	args["session"] = call.Session
	return args
}

// Check sees that a verb takes what a step gives it.
func (v *stepVerbs) Check(call *pipeline.Call, whole map[string]bool) []pipeline.CallError {
	verb, err := v.find(call.Verb)
	if err != nil {
		return []pipeline.CallError{{Key: "verb", Err: err}}
	}
	args := callArgs(verb, call)
	in, wrong := checkedArgs(verb, args, whole)
	v.foresee(verb, args, whole)
	if registry.As(verb, in).Streams {
		wrong = append(wrong, pipeline.CallError{
			Key: "args",
			Err: core.Errorf(core.InvalidInput, "%s answers line by line with that, so it cannot be a step", verb.Name),
		})
	}
	for _, err := range []error{checkConsent(verb, args), checkAnswer(in, args), v.knowsKinds(verb, in)} {
		if err != nil {
			wrong = append(wrong, pipeline.CallError{Key: "args", Err: err})
		}
	}
	return wrong
}

// checkAnswer checks that a step that answers a dialog says how: without, the dialog is only
// shown, and a step would fail.
func checkAnswer(in any, args map[string]any) error {
	own, is := in.(agents.AnswerIn)
	if !is || own.DryRun || slices.ContainsFunc([]string{"approve", "deny", "choose", "text"},
		func(name string) bool { return args[name] != nil }) {
		return nil
	}
	return &core.Error{
		Code: core.MissingRequired, Message: "answer needs approve, deny, choose or text",
		Hint: "Add one of them to the step's args.",
	}
}

// knowsKinds sees that the agent kinds that a step names are there.
func (v *stepVerbs) knowsKinds(found *registry.Verb, in any) error {
	words := kindsNamed(found, in)
	if len(words) == 0 {
		return nil
	}
	kinds := v.env.Kinds()
	for _, word := range words {
		if _, there := kinds.Find(word); there || strings.Contains(word, "${") {
			continue
		}
		unknown := &core.Error{
			Code: core.AgentNotFound, Message: fmt.Sprintf("no agent kind is called %q", word),
			Suggestions: kinds.Near(word),
		}
		if len(unknown.Suggestions) > 0 {
			unknown.Hint = "Did you mean " + unknown.Suggestions[0] + "?"
		}
		return unknown
	}
	return nil
}

// kindsNamed are the words for agent kinds in an input: those that it starts, and those
// that it selects panes by.
func kindsNamed(verb *registry.Verb, in any) []string {
	var words []string
	value := reflect.ValueOf(in)
	if _, starts := value.Type().FieldByName("launch"); starts {
		named, _ := value.FieldByName("Agents").Interface().([]string)
		counts, _ := lifecycle.ParseAgentCounts(named)
		for _, count := range counts {
			words = append(words, count.Kind)
		}
	}
	if verb.Field("panes") != nil && verb.Field("type") != nil {
		selected, _ := value.FieldByName("Type").Interface().([]string)
		words = append(words, selected...)
	}
	return words
}

// checkedArgs fills a verb's input with the arguments of a step, so far as they are
// known, and says what is wrong with them. Only texts and lists of texts may be known in
// part: they count as they are in the file.
func checkedArgs(verb *registry.Verb, args map[string]any, whole map[string]bool) (any, []pipeline.CallError) {
	var wrong []pipeline.CallError
	given, known, open, partly := map[*registry.Field]bool{}, map[string]any{}, false, false
	for _, name := range slices.Sorted(maps.Keys(args)) {
		field, err := registry.Takes(verb, name)
		if err == nil {
			given[field] = true
			is, said := whole[name]
			partly = partly || said && !is
			if said && !is && (len(field.Enum) > 0 || field.Type != "string" && field.Type != "list" ||
				hasBlank(args[name])) {
				open = true
				continue
			}
		}
		known[name] = args[name]
	}
	in, faults := registry.FillAll(verb, known)
	for _, fault := range faults {
		wrong = append(wrong, pipeline.CallError{
			Key: "args." + fault.Name, Err: suggest.Input(verb, fault.Name, fault.Err),
		})
	}
	missing := false
	for _, field := range verb.Fields() {
		if field.Required && !given[field] {
			missing = true
			wrong = append(wrong, pipeline.CallError{Key: "args", Err: lacks(verb, field.Name)})
		}
	}
	if len(faults) == 0 && !missing && !open {
		// What a text that is known in part says cannot be judged yet.
		err := verb.Check(in)
		if e := core.AsError(err); err != nil && (!partly || !e.HasCode(core.InvalidInput)) {
			wrong = append(wrong, pipeline.CallError{Key: "args", Err: err})
		}
	}
	return in, wrong
}

// hasBlank reports whether nothing is known yet of a text, or of an item of a list.
func hasBlank(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value) == ""
	case []any:
		return slices.ContainsFunc(value, hasBlank)
	}
	return false
}

// lacks is the error of a step that does not give its verb what it needs.
func lacks(verb *registry.Verb, name string) error {
	e := core.Errorf(core.MissingRequired, "%s needs %s", verb.Name, name)
	e.Hint, e.Details = "Add it to the step's args.", map[string]any{"missing": []string{name}}
	if name == "session" {
		e.Hint = "Name one with --session, or in the step's args."
	}
	return e
}

// checkConsent checks that a step that destroys gives consent: a run asks no question.
func checkConsent(verb *registry.Verb, args map[string]any) error {
	if !registry.AsksConsent(verb) {
		return nil
	}
	for _, name := range []string{"yes", "force", "dry-run"} {
		if value, said := args[name]; said && fmt.Sprint(value) != "false" {
			return nil
		}
	}
	return core.Errorf(core.MissingRequired,
		"%s needs yes = true in its args, since a pipeline asks no question", verb.Name)
}

// Fields are the names of the fields of a verb's answer.
func (v *stepVerbs) Fields(name string) []string {
	verb, err := v.find(name)
	if err != nil {
		return nil
	}
	var names []string
	for _, field := range reflect.VisibleFields(verb.Output()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" && field.IsExported() {
			names = append(names, name)
		}
	}
	return names
}

// Reads reports whether a verb changes nothing.
func (v *stepVerbs) Reads(name string) bool {
	verb, err := v.find(name)
	return err == nil && verb.Effect == registry.Reads
}

// PromptID makes an id for verbs that send one prompt.
func (v *stepVerbs) PromptID(name string) string {
	if verb := v.env.Catalog.Find(name); verb != agents.Send && verb != checkpoints.Replay {
		return ""
	}
	return core.NewPromptID(time.Now())
}

// Call calls a verb.
func (v *stepVerbs) Call(ctx context.Context, call *pipeline.Call) (pipeline.Answer, error) {
	verb, err := v.find(call.Verb)
	if err != nil {
		return nil, err
	}
	in, err := registry.Fill(verb, callArgs(verb, call))
	if err != nil {
		return nil, err
	}
	if in, err = v.admit(verb, in); err != nil {
		return nil, err
	}
	switch own := in.(type) {
	case agents.SendIn:
		own = own.Named(call.Prompt)
		in = own
	case checkpoints.ReplayIn:
		own = own.Named(call.Prompt)
		in = own
	}
	reply, err := verb.Call(ctx, v.env, in, nil)
	if err != nil {
		return nil, err
	}
	return answerOf(reply.Value)
}

// answerOf is a value as its JSON reads.
func answerOf(value any) (pipeline.Answer, error) {
	built, err := render.Value(value)
	if err != nil {
		return nil, fmt.Errorf("keep the answer: %w", err)
	}
	answer, is := render.Plain(built, func(number json.Number) any {
		n, _ := number.Float64() // as the record of a run reads
		return n
	}).(pipeline.Answer)
	if !is {
		return nil, errors.New("keep the answer: it is no object")
	}
	return answer, nil
}

// Again reports whether a call that failed had no effect. What was late, or broke,
// may have done all it should, and what waits for agents has acted before. Of
// prompts, each pane must have refused.
func (v *stepVerbs) Again(name string, err error) bool {
	verb, unknown := v.find(name)
	if unknown != nil || verb.Effect == registry.Reads {
		return true
	}
	e := core.AsError(err)
	switch e.Code {
	case core.DeliveryFailed:
		return refusedByAll(e)
	case core.Timeout, core.InternalError:
		return false
	case core.NotReady:
		return !slices.ContainsFunc([]string{"wait", "wait-ready", "no-wait"},
			func(flag string) bool { return verb.Field(flag) != nil })
	}
	return true
}

// BackendIn is the input of a verb that names the one backend or agent that it asks.
func (v *stepVerbs) BackendIn(name string) string {
	verb, err := v.find(name)
	switch {
	case err != nil:
		return ""
	case verb.Name == "relay":
		return "to"
	case verb.Name == "story-run":
		return "agent"
	}
	return ""
}

func refusedByAll(e *core.Error) bool {
	answer, err := answerOf(e.Details)
	if err != nil {
		return false
	}
	deliveries, _ := answer["deliveries"].([]any)
	for _, delivery := range deliveries {
		if row, is := delivery.(map[string]any); !is || row["outcome"] != string(core.Refused) {
			return false
		}
	}
	return len(deliveries) > 0
}

// Outcome returns a prompt's outcome from the history. A prompt that is not there was
// never typed, because it is recorded first.
func (v *stepVerbs) Outcome(ctx context.Context, call *pipeline.Call) (pipeline.Outcome, pipeline.Answer, error) {
	records, err := v.env.OpenStore(ctx)
	if err != nil {
		return pipeline.Open, nil, err
	}
	defer records.Close() //nolint:errcheck // it only read
	prompt, err := store.PromptsIn(records).One(ctx, call.Prompt)
	switch {
	case err != nil && core.AsError(err).HasCode(core.NotFound):
		return pipeline.Undone, nil, nil
	case err != nil:
		return pipeline.Open, nil, err
	}
	refused, arrived := 0, 0
	for i := range prompt.Deliveries {
		switch outcome := prompt.Deliveries[i].Outcome; {
		case outcome == core.Refused:
			refused++
		case outcome != core.Open && !outcome.Failed():
			arrived++
		}
	}
	switch len(prompt.Deliveries) {
	case refused:
		return pipeline.Undone, nil, nil
	case arrived:
		out := agents.SendOut{ID: prompt.ID, Bytes: prompt.Bytes, Deliveries: agents.DeliveryRows(prompt.Deliveries)}
		out.Summary = agents.CountDeliveries(out.Deliveries)
		answer, err := answerOf(out)
		return pipeline.Done, answer, err
	}
	return pipeline.Open, nil, nil
}

// line writes a call as a shell command; what is not known yet appears in it as it
// does in the file.
func (v *stepVerbs) line(call *pipeline.Call) string {
	verb, err := v.find(call.Verb)
	if err != nil {
		return ""
	}
	args := callArgs(verb, call)
	if in, err := registry.Fill(verb, args); err == nil {
		return verb.Command(in)
	}
	words := []string{"cupola", verb.Name}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		words = append(words, fmt.Sprintf("--%s=%v", name, args[name]))
	}
	return shell.Line(words...)
}
