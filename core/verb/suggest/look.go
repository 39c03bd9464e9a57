package suggest

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/verb/registry"
)

const dryRun = "--dry-run"

// looks are the verbs that show one of the things that another verb lists.
var looks = map[string]string{
	"bead-list": "bead-show", "config-show": "config-get", "crew-list": "crew-show", "hosts": "hosts-check",
	"relay-list": "relay-show", "story-list": "story-show", "story-runs": "story-status",
	"pipeline-list": "pipeline-status", "worktree-list": "worktree-diff",
}

// guessed reports whether a correction would have a verb act on what is only a guess: a thing that exists, near the one
// that was named. Verbs, flags and the few words that a flag takes are no such things, and neither is a new name.
func guessed(verb *registry.Verb, e *core.Error, word string) bool {
	switch {
	case verb.Effect == registry.Reads, commandless(e), strings.HasPrefix(e.Slip.Word, "-"), e.Slip.New:
		return false
	case e.Slip.Input != "" && e.Slip.Input != "host" && registry.GlobalField(e.Slip.Input) != nil:
		return false // the form of the answer
	}
	return !e.HasCode(core.InvalidInput) || !slices.ContainsFunc(verb.Fields(), func(f *registry.Field) bool {
		return slices.Contains(f.Enum, word) && (e.Slip.Input == "" || f.Named(e.Slip.Input))
	})
}

// look returns the command that shows what other arguments would act on, and changes nothing: their dry run, else what
// shows their target; empty if there is neither.
func (l *Line) look(args []string) string {
	args = slices.DeleteFunc(slices.Clone(args), consents)
	if dry := l.ready([]string{command(registry.WithFlag(args, dryRun))}); dry != nil {
		return dry[0]
	}
	read := l.Catalog.Read(args)
	if !read.OK || read.Verb == nil {
		return ""
	}
	first := registry.Positional(read.Verb, 1)
	if first == nil {
		return ""
	}
	values, target, session := map[string]any{}, "", ""
	for _, given := range registry.Values(read.Verb, read.Input) {
		switch given.Name {
		case first.Name:
			target, _ = given.Value.(string)
		case scopeSession:
			session, _ = given.Value.(string)
		case "dir", "repo":
			values[given.Name] = given.Value
		}
	}
	shows := l.Catalog.Find(looks[first.Lister])
	if first.Name == scopeSession {
		shows = l.Catalog.Find("tail")
	}
	if shows == nil && session != "" {
		return strings.Join(l.ready([]string{command([]string{"status", "--session=" + session})}), "")
	}
	if shows == nil || target == "" {
		return ""
	}
	values[registry.Positional(shows, 1).Name] = target
	for name := range values {
		if shows.Field(name) == nil && name != registry.Positional(shows, 1).Name {
			delete(values, name)
		}
	}
	in, err := registry.Fill(shows, values)
	if err != nil {
		return ""
	}
	return strings.Join(l.ready([]string{shows.Command(in)}), "")
}

// ofSessions returns arguments with the session in the place of a pane's address, where the verb that they name takes
// sessions alone.
func ofSessions(catalog *registry.Catalog, args []string) []string {
	read := catalog.Read(args)
	if !read.OK || read.Verb == nil {
		return args
	}
	for _, given := range registry.Values(read.Verb, read.Input) {
		field := read.Verb.Field(given.Name)
		address, _ := given.Value.(string)
		session, _, is := strings.Cut(address, ".")
		if given.Name == scopeSession && field != nil && is {
			return replaced(args, core.Slip{Word: address}, session)
		}
	}
	return args
}
