package service

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/robot/registry"
)

// sessionInput is the name of the input that says which session a verb is about.
const sessionInput = "session"

// wholeFleet are verbs whose answer is about all sessions, whatever they are given.
var wholeFleet = []string{"snapshot"}

// confine sees to it that a call is about one of the sessions that clients are confined to. The only one need not be
// named. What acts without naming a session is refused, since it may act on any; what only reads without naming one
// is about none.
func (s *Service) confine(verb *registry.Verb, values map[string]any) error {
	if len(s.Sessions) == 0 {
		return nil
	}
	if _, err := registry.Takes(verb, sessionInput); err != nil {
		if verb.Effect != registry.Reads {
			return s.outside(fmt.Sprintf("%s may act on any session", verb.Name))
		}
		if takesAnyPane(verb) || slices.Contains(wholeFleet, verb.Name) {
			return s.outside(fmt.Sprintf("%s is about all sessions", verb.Name))
		}
		return nil
	}
	given, _ := values[sessionInput].(string)
	switch {
	case given == "" && len(s.Sessions) == 1:
		values[sessionInput] = s.Sessions[0]
	case given == "":
		return s.outside(verb.Name + " needs a session")
	default:
		name, _, _ := strings.Cut(given, ".")
		name, _, _ = strings.Cut(name, ":")
		if !slices.Contains(s.Sessions, name) {
			return s.outside(fmt.Sprintf("%q is none of them", core.Cut(given)))
		}
	}
	return nil
}

// takesAnyPane reports whether a verb is about a pane of any session.
func takesAnyPane(verb *registry.Verb) bool {
	return slices.ContainsFunc(verb.Fields(), func(field *registry.Field) bool {
		return field.Name == "pane" && field.Arg > 0
	})
}

// outside is the error of a call that clients are kept from.
func (s *Service) outside(why string) error {
	return &core.Error{
		Code:    core.PermissionDenied,
		Message: "this server is confined to " + strings.Join(s.Sessions, ", ") + ": " + why,
		Hint:    "Give session as one of them, or as a pane of one: NAME.N.", Suggestions: slices.Clone(s.Sessions),
		Actions: []string{}, Details: map[string]any{"sessions": s.Sessions},
	}
}
