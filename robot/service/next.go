package service

import (
	"cupola/core/system/shell"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// AddCalls adds to what an answer suggests to do next the calls that do it, for a client may have no shell: "call" to
// each of its next actions, "calls" beside the actions of a failure. shape writes a verb with its input as the clients
// of a server call it. What they may not call is left out.
func (s *Service) AddCalls(answer render.Object, shape func(verb *registry.Verb, input render.Object) render.Object,
) render.Object {
	if next, _ := answer.Get("next_actions"); next != nil {
		actions, _ := next.([]any)
		for i := range actions {
			row, is := actions[i].(render.Object)
			if !is {
				continue
			}
			command, _ := row.Get("command")
			if verb, input := s.callOf(command); verb != nil {
				row.Set("call", shape(verb, input))
				actions[i] = row
			}
		}
	}
	given, _ := answer.Get("actions")
	commands, _ := given.([]any)
	calls := []any{}
	for _, command := range commands {
		if verb, input := s.callOf(command); verb != nil {
			calls = append(calls, shape(verb, input))
		}
	}
	if len(calls) > 0 {
		answer.Set("calls", calls)
	}
	return answer
}

// callOf returns the verb and the given input of a command line; nil if it is none, or clients may not call it.
func (s *Service) callOf(command any) (*registry.Verb, render.Object) {
	line, _ := command.(string)
	verb, input, ok := s.Parse(line)
	if !ok || verb == nil || !s.Admits(verb, input) {
		return nil, nil
	}
	given := render.Object{}
	for _, value := range registry.Values(verb, input) {
		given.Set(value.Name, value.Value)
	}
	if name := registry.HostOf(line); name != "" && s.Hosts != nil {
		given.Set(HostInput, name)
	}
	return verb, given
}

// Parse returns the verb and the input of a command line of Cupola, its name included; ok is false if it is none.
func (s *Service) Parse(command string) (verb *registry.Verb, input any, ok bool) {
	words, err := shell.Words(command)
	if err != nil || len(words) < 2 || words[0] != "cupola" {
		return nil, nil, false
	}
	read := s.Catalog.Read(words[1:])
	return read.Verb, read.Input, read.OK
}
