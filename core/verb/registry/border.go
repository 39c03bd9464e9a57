package registry

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cupola/core"
)

// Border is the permission of a caller. Every face decides with it: servers, other hosts, the bus, and verbs that
// carry out calls for their caller. An agent's acts after a prompt know no border: a caller that may prompt an agent
// may do all that the agent may do.
type Border struct {
	// Level is the strongest thing that the caller may do.
	Level Effect `json:"level"`
	// Commands allows programs of the caller's choice, and paths outside Project.
	Commands bool `json:"commands,omitempty"`
	// Reading allows no call that changes anything, whatever the level.
	Reading bool `json:"reading,omitempty"`
	// Sessions confine the caller; empty is all.
	Sessions []string `json:"sessions,omitempty"`
	// Project is the folder with the paths that need no Commands, and Dir the folder in which relative ones begin.
	Project string `json:"project,omitempty"`
	Dir     string `json:"dir,omitempty"`
	// Asking is the name of the owner of this border in messages: "this server".
	Asking string `json:"asking"`
	// Hint says how more could be allowed; empty is the usual one.
	Hint string `json:"-"`
}

// Admit returns the input of a call if the caller may make it, with the only session that they are confined to filled
// in. It fails with PermissionDenied. A nil Border admits all.
func (b *Border) Admit(v *Verb, in any) (any, error) {
	if b == nil {
		return in, nil
	}
	if err := b.allows(v, in); err != nil {
		return nil, err
	}
	return b.confine(v, in)
}

// Offers reports whether the caller may make calls of a verb that do what the verb is for. It makes no types.
func (b *Border) Offers(v *Verb) bool {
	return b == nil || v.Level.Within(b.Level) &&
		(b.Commands || !v.Programs && (v.takes == nil || !takesScript(v.Fields())))
}

// takesScript reports whether every call of a verb that acts carries out a file.
func takesScript(fields []*Field) bool {
	return slices.ContainsFunc(fields, func(f *Field) bool { return f.Means == MeansScript })
}

// allows checks the level and the switch for commands.
func (b *Border) allows(v *Verb, in any) error {
	need := NeedOf(v, in, func(path string) bool { return Inside(b.Project, b.Dir, path) })
	level := b.Level
	if b.Reading && need.Effect != Reads {
		level = Reads
	}
	switch {
	case !need.Level.Within(level):
		what := v.Name + " " + string(need.Effect)
		if need.Level != need.Effect {
			what = v.Name + " needs the level " + string(need.Level)
		}
		if need.Raised != "" {
			what = v.Name + ": " + need.Raised
		}
		return &core.Error{
			Code: core.PermissionDenied, Message: fmt.Sprintf("%s, and %s allows %s", what, b.Asking, level),
			Hint:    cmp.Or(b.Hint, "Allow more of it where it is started, or use the command line."),
			Actions: []string{}, Details: map[string]any{"effect": need.Effect, "allowed": level},
		}
	case need.Commands && !b.Commands:
		return &core.Error{
			Code: core.PermissionDenied, Message: fmt.Sprintf("%s: %s, and %s allows no commands", v.Name,
				need.Commanded, b.Asking),
			Hint:    "Start it with --commands to allow programs of the caller's choice and paths outside the project.",
			Actions: []string{}, Details: map[string]any{
				"effect": need.Effect, "allowed": b.Level, "commands": false,
			},
		}
	}
	return nil
}

// confine checks that a call is about the sessions that the caller is confined to. The only one need not be named.
func (b *Border) confine(v *Verb, in any) (any, error) {
	if len(b.Sessions) == 0 || v.Sessionless {
		return in, nil
	}
	value, about := changeable(in), false
	for _, field := range v.Fields() {
		target := value.FieldByIndex(field.index)
		switch field.Means {
		case MeansSession, MeansNewSession:
			given := target.String()
			if given == "" && field.Means == MeansSession {
				if len(b.Sessions) > 1 {
					return nil, b.Refusal(v.Name + " needs a session")
				}
				given = b.Sessions[0]
				target.SetString(given)
			}
			if given != "" && !b.holds(given) {
				return nil, b.Refusal(fmt.Sprintf("%q is none of them", core.Cut(given)))
			}
			about = about || field.Means == MeansSession || field.Required
		case MeansPanes:
			for _, word := range listOf(target) {
				if strings.ContainsAny(word, ".:%=/") && !b.holds(word) {
					return nil, b.Refusal(fmt.Sprintf("%q is none of them; give panes by their numbers",
						core.Cut(word)))
				}
			}
		case MeansRecord, MeansAlert:
			for _, word := range recordsIn(target) {
				if !b.holds(word) {
					return nil, b.Refusal(fmt.Sprintf("%q may be of another session", core.Cut(word)))
				}
			}
		case MeansSessions:
			return nil, b.Refusal(v.Name + " is about all sessions")
		}
	}
	if !about {
		return nil, b.Refusal(v.Name + " is about all sessions")
	}
	return value.Interface(), nil
}

func recordsIn(target reflect.Value) []string {
	if target.IsZero() {
		return nil
	}
	return givenTexts(target)
}

// holds reports whether an address is of a session that the caller is confined to.
func (b *Border) holds(address string) bool {
	if slices.Contains(b.Sessions, address) {
		return true
	}
	name, _, _ := strings.Cut(address, ".")
	name, _, _ = strings.Cut(name, ":")
	return slices.Contains(b.Sessions, name)
}

// withheld returns an error without the names of sessions that the caller is not confined to.
func (b *Border) withheld(err error) error {
	if b == nil || len(b.Sessions) == 0 || !core.AsError(err).HasCode(core.SessionNotFound) {
		return err
	}
	kept := *core.AsError(err)
	kept.Hint = "The caller is confined to " + strings.Join(b.Sessions, ", ") + "."
	kept.Details = map[string]any{"sessions": b.Sessions}
	kept.Suggestions = slices.DeleteFunc(slices.Clone(kept.Suggestions), func(s string) bool { return !b.holds(s) })
	return &kept
}

// Refusal is the error of a call that the caller is kept from.
func (b *Border) Refusal(why string) error {
	return &core.Error{
		Code:    core.PermissionDenied,
		Message: b.Asking + " is confined to " + strings.Join(b.Sessions, ", ") + ": " + why,
		Hint:    "Give session as one of them, or as a pane of one: NAME.N.", Suggestions: slices.Clone(b.Sessions),
		Actions: []string{}, Details: map[string]any{"sessions": b.Sessions},
	}
}
