package mcp

import (
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// withCalls adds to what an answer suggests to do next the call of a tool that does it, for an agent may have no shell.
func (s *Server) withCalls(object render.Object) render.Object {
	if s.opts.Parse == nil {
		return object
	}
	if next, _ := object.Get("next_actions"); next != nil {
		actions, _ := next.([]any)
		for i := range actions {
			if row, is := actions[i].(render.Object); is {
				command, _ := row.Get("command")
				text, _ := command.(string)
				if call := s.callOf(text); call != nil {
					row.Set("call", call)
					actions[i] = row
				}
			}
		}
	}
	if given, _ := object.Get("actions"); given != nil {
		commands, _ := given.([]any)
		calls := []any{}
		for i := range commands {
			text, _ := commands[i].(string)
			if call := s.callOf(text); call != nil {
				calls = append(calls, call)
			}
		}
		if len(calls) > 0 {
			object.Set("calls", calls)
		}
	}
	return object
}

// callOf is the call of a tool that does what a command line does; nil if clients may not call it.
func (s *Server) callOf(command string) render.Object {
	verb, input, ok := s.opts.Parse(command)
	if !ok || verb == nil || !s.opts.Service.Admits(verb, input) {
		return nil
	}
	arguments := render.Object{}
	for _, given := range registry.Values(verb, input) {
		arguments.Set(given.Name, given.Value)
	}
	if name := registry.HostOf(command); name != "" && s.opts.Service.Hosts != nil {
		arguments.Set(service.HostInput, name)
	}
	for i := range tools {
		t := &tools[i]
		for _, name := range t.verbs {
			if name != verb.Name {
				continue
			}
			if len(t.verbs) > 1 {
				arguments = append(render.Object{{Key: action, Value: t.actionOf(name)}}, arguments...)
			}
			return toolCall(prefix+t.name, arguments)
		}
	}
	return toolCall(callTool, render.Object{{Key: "verb", Value: verb.Name}, {Key: "input", Value: arguments}})
}

func toolCall(name string, arguments render.Object) render.Object {
	return render.Object{{Key: "tool", Value: name}, {Key: "arguments", Value: arguments}}
}
