// Package service answers the clients of a server with verbs. A call gives the answer of the command line, as the same
// document, but for what a server adds: which effects a verb may have, to which sessions clients are confined, and
// credentials that are masked.
//
// It knows no protocol. robot/mcp and robot/http translate theirs into calls, and both derive what they say of a verb's
// input from Schema.
package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/core/verb/suggest"
	"cupola/robot"
)

// Service calls verbs for clients.
type Service struct {
	Catalog *registry.Catalog
	// Open makes the face of one call, without its output, and returns what closes what the call opened. Progress
	// receives how far the call is; nil to report nothing.
	Open func(progress core.ProgressFunc) (face *robot.Face, closeAll func())
	// Border is the permission of clients; the zero value is to read.
	Border registry.Border
	// TerminalsOf is the host without Cupola that is answered for: verbs that need more of it than its terminals are
	// refused. Empty is none.
	TerminalsOf string
	// Hosts sends calls to other hosts; nil keeps all on this machine.
	Hosts Route
	// Escapes keeps the escape sequences of terminal text.
	Escapes bool
}

// Route returns a verb as the hosts answer it that a call names, by the input HostInput or in addresses, and its input
// there.
type Route func(ctx context.Context, env registry.Env, names []string, verb *registry.Verb, input any) (*registry.Verb,
	any, error)

// HostInput is the input with the hosts that are to answer, which every verb has where there are other hosts: a name, a
// pattern, "all", or several of them with commas.
const HostInput = "host"

// Call is a client's request.
type Call struct {
	// Verb is the name of a verb, or an alias.
	Verb string
	// Input has values by the names of the verb's inputs, as encoding/json reads them. A null is not given.
	Input map[string]any
	// Fields are the columns of the answer's list, or a preset; empty is all.
	Fields []string
	// Usual is the preset of the columns of an answer that is a list and has it, where Fields is empty.
	Usual string
	// Confirm asks the user whether a call may destroy although the level of the clients does not cover that; nil where
	// the user cannot be asked.
	Confirm func(ctx context.Context, question string) (bool, error)
	// Reads refuses verbs that do more than that.
	Reads bool
	// Progress receives how far the call is; it may be nil.
	Progress core.ProgressFunc
}

// Run answers a call. The lines of a verb that streams go to each, whose error ends the stream.
func (s *Service) Run(ctx context.Context, call *Call, each func(render.Object) error) robot.Answer {
	face, closeAll := s.Open(call.Progress)
	defer closeAll()
	clean := cleaner{s.Escapes}
	face.Globals = registry.Globals{JSON: true, Fields: call.Fields, Progress: "off"}
	face.Env.Who().Border = s.borderOf(call, false)
	names, err := s.hostsOf(call)
	var verb *registry.Verb
	var input any
	if err == nil {
		verb, input, err = s.admitOrAsk(ctx, call, len(names) > 0, face.Env.Who())
	}
	if err == nil && s.Hosts != nil {
		called := verb
		if verb, input, err = s.Hosts(ctx, face.Env, names, verb, input); err != nil {
			verb = called
		}
	}
	if err != nil {
		name := call.Verb
		if verb == nil {
			name = ""
		}
		answer := face.Refuse(name, err)
		word(verb, clean.object(answer.Document))
		return answer
	}
	if listed := registry.As(verb, input); len(call.Fields) == 0 && call.Usual != "" && listed.List != "" {
		if _, has := listed.Rows().Presets[call.Usual]; has {
			face.Globals.Fields = []string{call.Usual}
		}
	}
	answer := face.Ask(ctx, verb, input, func(line render.Object) error { return each(clean.object(line)) })
	clean.object(answer.Document)
	if answer.Code != "" {
		word(verb, answer.Document)
	}
	return answer
}

// admitOrAsk is admit, where the user can allow a call that destroys and the level of the clients does not cover.
func (s *Service) admitOrAsk(
	ctx context.Context, call *Call, otherHost bool, caller *registry.Caller,
) (*registry.Verb, any, error) {
	verb, input, err := s.admit(call, otherHost)
	if err == nil || call.Confirm == nil || !s.Asks() {
		return verb, input, err
	}
	raised := *s
	raised.Border.Level = registry.Destroys
	allowed, wanted, raisedErr := raised.admit(call, otherHost)
	if raisedErr != nil {
		return verb, input, err // more than the level is missing
	}
	question := fmt.Sprintf("%s\n%s. Allow it?", allowed.Command(wanted), allowed.Short)
	switch yes, asked := call.Confirm(ctx, question); {
	case asked != nil:
		return verb, nil, &core.Error{
			Code: core.PermissionDenied, Message: "the user could not be asked: " + asked.Error(), Actions: []string{},
		}
	case !yes:
		return verb, nil, &core.Error{
			Code: core.PermissionDenied, Message: "the user did not allow it", Actions: []string{},
			Hint: "Do not try again by another way; ask what to do instead.",
		}
	}
	caller.Border = raised.borderOf(call, otherHost)
	if sure := registry.With(allowed, wanted, "yes"); sure != nil {
		wanted = sure
	}
	return allowed, wanted, nil
}

// Asks reports whether calls that destroy are left to the user: the level of clients is the one below.
func (s *Service) Asks() bool { return s.border(false).Level == registry.Writes }

// hostsOf takes the hosts that are to answer out of the input of a call.
func (s *Service) hostsOf(call *Call) ([]string, error) {
	given, has := call.Input[HostInput]
	if s.Hosts == nil || !has || given == nil {
		return nil, nil
	}
	if verb := s.Catalog.Find(call.Verb); verb != nil && verb.Field(HostInput) != nil {
		return nil, nil // it is an input of its own
	}
	if len(s.Border.Sessions) > 0 {
		return nil, s.border(true).Refusal("another host has others")
	}
	text, is := given.(string)
	if !is || text == "" {
		return nil, core.Errorf(core.InvalidInput, "%s is a text with the names of hosts", HostInput)
	}
	call.Input = maps.Clone(call.Input)
	delete(call.Input, HostInput)
	return strings.Split(text, ","), nil
}

// Read answers a call of a verb that only reads, and does not stream.
func (s *Service) Read(ctx context.Context, call *Call) robot.Answer {
	call.Reads = true
	return s.Run(ctx, call, func(render.Object) error { return nil })
}

// Verb returns the verb of a name. It fails with UnknownCommand and the near miss.
func (s *Service) Verb(name string) (*registry.Verb, error) {
	if verb := s.Catalog.Find(name); verb != nil {
		return verb, nil
	}
	if name == "" {
		return nil, &core.Error{
			Code: core.MissingRequired, Message: "no verb is named", Hint: "The verb capabilities lists all.",
			Actions: []string{"cupola capabilities"},
		}
	}
	err := &core.Error{Code: core.UnknownCommand, Message: fmt.Sprintf("unknown verb %q", core.Cut(name))}
	err.Hint, err.Actions = "The verb capabilities lists all.", []string{"cupola capabilities"}
	return nil, suggest.Near(err, name, s.Catalog.Names())
}

// Admit returns the verb of a call and its input, if the call may be made.
func (s *Service) Admit(call *Call) (*registry.Verb, any, error) { return s.admit(call, false) }

// admit is Admit for a call that this machine answers, or others.
func (s *Service) admit(call *Call, otherHost bool) (*registry.Verb, any, error) {
	verb, err := s.Verb(call.Verb)
	if err != nil {
		return nil, nil, err
	}
	if err := s.has(verb); err != nil {
		return verb, nil, err
	}
	values := map[string]any{}
	for name, value := range call.Input {
		if value != nil {
			values[name] = plain(value)
		}
	}
	input, err := registry.Fill(verb, values)
	if err != nil {
		return verb, nil, err
	}
	input, err = s.borderOf(call, otherHost || namesHost(verb, input)).Admit(verb, input)
	return verb, input, err
}

// namesHost reports whether an address in an input may be that of another host.
func namesHost(verb *registry.Verb, input any) bool {
	named := false
	registry.Addresses(verb, input, func(address string) { named = named || core.ParseAddress(address).Host != "" })
	return named
}

// border returns the permission of clients. No path of another host is known to be in the project.
func (s *Service) border(otherHost bool) *registry.Border {
	border := s.Border
	border.Level, border.Asking = cmp.Or(border.Level, registry.Reads), cmp.Or(border.Asking, "this server")
	if otherHost {
		border.Project = ""
	}
	return &border
}

// borderOf is border for a call, which may be one that must change nothing.
func (s *Service) borderOf(call *Call, otherHost bool) *registry.Border {
	border := s.border(otherHost)
	if call.Reads && border.Level != registry.Reads {
		border.Reading, border.Asking, border.Hint = true, "this request", "Ask with a POST."
	}
	return border
}

// Caller returns the permission of clients, for the verbs that carry out calls for them.
func (s *Service) Caller() *registry.Border { return s.border(false) }

// Allows reports whether clients may call a verb for what it is for.
func (s *Service) Allows(verb *registry.Verb) bool {
	return s.has(verb) == nil && s.border(false).Offers(verb)
}

// Admits reports whether clients may make a call.
func (s *Service) Admits(verb *registry.Verb, input any) bool {
	if s.has(verb) != nil {
		return false
	}
	_, err := s.border(namesHost(verb, input)).Admit(verb, input)
	return err == nil
}

// has checks that a verb can be called from another program, and here.
func (s *Service) has(verb *registry.Verb) error {
	if verb.Local {
		return &core.Error{
			Code: core.PermissionDenied, Message: verb.Name + " is for the command line alone", Actions: []string{},
			Hint: "It serves the process that starts it: run it in a shell.",
		}
	}
	if s.TerminalsOf != "" && !verb.OnTerminals {
		return &core.Error{
			Code: core.NotReady, Message: verb.Name + " needs Cupola there, and the host has only tmux",
			Remedies: []core.Remedy{core.RemedyInstallOnHost}, Subject: core.Subject{Host: s.TerminalsOf},
		}
	}
	return nil
}

// plain is a value of encoding/json as files hold it: numbers are int64 or float64.
func plain(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		float, err := value.Float64()
		if err != nil {
			return value.String()
		}
		return float
	case []any:
		return core.Map(value, plain)
	}
	return value
}
