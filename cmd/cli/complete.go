package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config"
	"cupola/core/host"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

// shells are the shells with completion.
var shells = []string{"bash", "fish", "powershell", "zsh"}

// unknownShellError returns the error of a completion for an unsupported shell.
func unknownShellError(name string) error {
	err := suggest.Near(&core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("there is no completion for the shell %q", name),
		Details: map[string]any{"valid": shells},
	}, name, shells)
	err.Hint = "There is one for " + suggest.OrList(shells) + "."
	err.Actions = core.Map(shells, func(shell string) string { return "cupola completion " + shell })
	return err
}

// offer makes a completion of what returns words: files are no words.
func offer(words func(cmd *cobra.Command, args []string, typed string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return words(cmd, args, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// completer completes what is typed, for a shell.
type completer struct {
	catalog *registry.Catalog
	names   names
	getenv  func(string) string
}

// sessions completes names of sessions and, once a name and its dot are there,
// addresses of its panes.
func (c completer) sessions(ctx context.Context, typed string, panes bool) []string {
	snapshot := c.names.snapshot(ctx)
	if snapshot == nil {
		return nil
	}
	var words []string
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		words = append(words, described(session.Name, counted(session)))
		if !panes || !strings.HasPrefix(typed, session.Name+".") {
			continue
		}
		for j := range session.Panes {
			pane := &session.Panes[j]
			words = append(words, described(pane.Address(), holds(pane)))
		}
	}
	return words
}

func counted(session *core.Session) string {
	names := core.Map(session.Programs(), func(pane *core.Pane) string { return pane.Agent.Name })
	return strings.Join(names, " ")
}

func holds(pane *core.Pane) string {
	if pane.Agent.Name != "" {
		return pane.Agent.Name + " " + string(pane.Status.State)
	}
	return pane.Process.Command
}

// described returns a word with the description that a shell shows.
func described(word, what string) string {
	if what == "" {
		return word
	}
	return word + "\t" + what
}

// panes completes a list of panes of the session that the arguments name.
func (c completer) panes(cmd *cobra.Command, args []string, typed string) []string {
	snapshot := c.names.snapshot(cmd.Context())
	if snapshot == nil || len(args) == 0 {
		return nil
	}
	session := snapshot.Session(args[0])
	if session == nil {
		return nil
	}
	var words []string
	for i := range session.Panes {
		pane := &session.Panes[i]
		words = append(words, described(strings.TrimPrefix(pane.Address(), session.Name+"."), holds(pane)))
		if pane.Agent.Name != "" {
			words = append(words, pane.Agent.Name)
		}
	}
	return listed(words, typed)
}

// listed completes the last word of a list with commas.
func listed(words []string, typed string) []string {
	at := strings.LastIndexByte(typed, ',') + 1
	given := strings.Split(typed[:at], ",")
	var lists []string
	for _, word := range words {
		bare, _, _ := strings.Cut(word, "\t")
		if !slices.Contains(given, bare) {
			lists = append(lists, typed[:at]+word)
		}
	}
	return lists
}

// completeArgs completes the arguments of a verb: sessions and panes, settings with
// their values, schema types, and values of a closed list.
func (c completer) completeArgs(verb *registry.Verb) cobra.CompletionFunc {
	return offer(func(cmd *cobra.Command, args []string, typed string) []string {
		field, seconds := registry.Positional(verb, len(args)+1), []string(nil)
		if len(args) == 0 {
			seconds = c.seconds(verb.Name)
		}
		existing := field != nil && field.Name == "session" && registry.OfExisting(verb)
		switch {
		case len(seconds) > 0 && !existing:
			return seconds
		case verb.Name == "config-get" || verb.Name == "config-set":
			return completeSetting(args)
		case field == nil:
			return nil
		case len(field.Enum) > 0:
			return field.Enum
		case existing, field.Name == "pane":
			return append(seconds, c.sessions(cmd.Context(), typed, true)...)
		case verb.Name == "schema":
			return c.schemaTypes()
		case field.Lister == "hosts":
			return c.names.hostNames()
		case verb.Name == "hosts-add" && len(args) == 0:
			return host.SSHNames(c.getenv("HOME"))
		}
		return nil
	})
}

// seconds are the words that come behind others in the forms of verbs.
func (c completer) seconds(first ...string) []string {
	var words, seen []string
	completions := registry.Listed(c.catalog.Completions(first...))
	for _, form := range slices.Sorted(maps.Keys(completions)) {
		word, _, more := strings.Cut(form, " ")
		switch {
		case slices.Contains(seen, word):
			continue
		case more:
			words = append(words, word)
		default:
			words = append(words, described(word, completions[form].Short))
		}
		seen = append(seen, word)
	}
	return words
}

// completeWords completes verbs that are given in several words, as "session list": the
// commands themselves are known to the tree.
func (c completer) completeWords(_ *cobra.Command, args []string, _ string) []string {
	switch {
	case len(args) >= registry.MostWords:
		return nil
	case len(args) > 0:
		return c.seconds(args...)
	}
	return c.catalog.Firsts()
}

// completeSetting completes a setting's name, and behind it the values it allows.
func completeSetting(args []string) []string {
	if len(args) == 0 {
		return config.Names()
	}
	key, err := config.KeyNamed(args[0])
	switch {
	case err != nil || len(args) > 1:
		return nil
	case key.Type == "bool":
		return []string{"true", "false"}
	}
	return key.Enum
}

func (c completer) schemaTypes() []string {
	types := []string{"all"}
	for _, verb := range c.catalog.RealVerbs() {
		types = append(types, described(verb.Schema, verb.Short))
	}
	return types
}

// completeFlag completes the values of a flag; nil for those that can be anything.
func (c completer) completeFlag(verb *registry.Verb, field *registry.Field) cobra.CompletionFunc {
	switch {
	case len(field.Enum) > 0 && field.Type != "list":
		return cobra.FixedCompletions(field.Enum, cobra.ShellCompDirectiveNoFileComp)
	case len(field.Enum) > 0:
		return offer(func(_ *cobra.Command, _ []string, typed string) []string { return listed(field.Enum, typed) })
	case field.Name == "session" && registry.OfExisting(verb):
		return offer(func(cmd *cobra.Command, _ []string, typed string) []string {
			return c.sessions(cmd.Context(), typed, false)
		})
	case field.Name == "panes", field.Name == "pane", field.Name == "exclude":
		return offer(c.panes)
	case field.Name == "type" && verb.Field("panes") != nil:
		return offer(func(_ *cobra.Command, _ []string, typed string) []string { return listed(c.kinds(), typed) })
	case field.Type == "int", field.Type == "duration", field.Type == "since":
		return cobra.NoFileCompletions
	}
	return nil
}

// kinds are the ids of the agent kinds.
func (c completer) kinds() []string {
	return core.Map(c.names.kinds().All(), func(kind *agent.Kind) string {
		return described(string(kind.ID), kind.Name)
	})
}

// completeGlobal completes the values of a global flag.
func (c completer) completeGlobal(field *registry.Field) cobra.CompletionFunc {
	return offer(func(cmd *cobra.Command, _ []string, typed string) []string {
		verb := c.catalog.Find(cmd.Name())
		switch {
		case field.Name == "host":
			return listed(append(c.names.hostNames(), host.Local, host.All, host.Any), typed)
		case field.Name != "fields":
			return field.Enum
		case verb == nil || verb.List == "":
			return nil
		}
		return listed(append([]string{"minimal", "standard", "full"}, verb.Rows().Columns()...), typed)
	})
}

// completeHelp completes what help explains.
func (c completer) completeHelp(_ *cobra.Command, args []string, _ string) []string {
	if len(args) > 0 {
		return nil
	}
	words := topicNames()
	for _, verb := range c.catalog.RealVerbs() {
		words = append(words, described(verb.Name, verb.Short))
	}
	return words
}

// registerVerbFlags registers the --robot-VERB flags for completion, which sees the command
// line as it was typed.
func (c completer) registerVerbFlags(root *cobra.Command) {
	for _, verb := range c.catalog.Verbs {
		name := strings.TrimPrefix(verb.RobotFlag(), "--")
		root.Flags().String(name, "", verb.Short)
		root.Flags().Lookup(name).NoOptDefVal = "true"
		root.Flags().Lookup(name).Hidden = !c.catalog.Usable(verb)
		if verb.Scope == registry.Session && registry.OfExisting(verb) {
			addresses := func(cmd *cobra.Command, _ []string, typed string) []string {
				return c.sessions(cmd.Context(), typed, true)
			}
			_ = root.RegisterFlagCompletionFunc(name, offer(addresses))
		}
	}
}
