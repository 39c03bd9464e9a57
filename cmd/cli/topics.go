package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

// topicLines lists the pages of help that are about no command.
func topicLines() []string {
	return core.Map(guide.HelpTopics(), func(topic guide.HelpTopic) string {
		return fmt.Sprintf("  %-16s %s", "help "+topic.Name, topic.Short)
	})
}

// flagsTopic is the topic of help about the flags of every command.
const flagsTopic = "flags"

// topicNames returns the topics of help other than commands.
func topicNames() []string {
	names := core.Map(guide.HelpTopics(), func(topic guide.HelpTopic) string { return topic.Name })
	return append(names, allCommands, flagsTopic)
}

// explain shows the help of a command or about a topic.
func (t *tree) explain(ctx context.Context, root *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] == allCommands {
		t.allHelp, args = true, nil
	}
	if len(args) == 1 {
		topic, ok := guide.FindTopic(args[0])
		switch {
		case ok && t.line.explicit():
			return t.out.reply(ctx, "help", topic)
		case ok:
			return t.out.print(topic.Text())
		}
	}
	if len(args) == 1 && args[0] == flagsTopic {
		return t.out.print("Flags of every command:\n" + root.PersistentFlags().FlagUsages())
	}
	for n := min(len(args), registry.MostWords); n > 1; n-- {
		if verb := t.line.catalog.Phrase(args[:n]...); verb != nil {
			args = append([]string{verb.Name}, args[n:]...)
			break
		}
	}
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		if answered, err := t.explainGroup(ctx, args); answered {
			return err
		}
		return suggest.Help(t.line.catalog, args[:known(t.line.catalog, args)], topicNames())
	}
	if err := cmd.Help(); err != nil {
		return &core.Error{Code: core.IOError, Err: err}
	}
	return nil
}

// explainGroup lists the commands whose forms begin with words; answered is false if none does.
func (t *tree) explainGroup(ctx context.Context, words []string) (answered bool, err error) {
	of, is := groupOf(t.line.catalog, words)
	switch {
	case !is:
		return false, nil
	case t.line.explicit():
		return true, t.out.reply(ctx, "help", of)
	}
	return true, t.out.print(of.Text())
}

// known returns how many words of a line begin a form of a verb together, at least 1.
func known(catalog *registry.Catalog, words []string) int {
	n := 1
	for n < len(words) && len(catalog.Completions(words[:n+1]...)) > 0 {
		n++
	}
	return n
}

// alsoCalled is the note of a command with its other forms, as in "session list".
const alsoCalled = "also"

// helpPage is the template of a help page: what a command does, then its usage, examples first.
const helpPage = `{{with .Short}}{{.}}.
{{end}}{{with .Long}}
{{.}}
{{end}}{{with .Example}}
Examples:
{{.}}
{{end}}
Usage:
  {{if .Runnable}}{{.UseLine}}{{end}}{{with also .}}
Also called:
  {{.}}
{{end}}{{if and .HasAvailableSubCommands (not .HasParent)}}
  {{.CommandPath}} COMMAND [flags]{{end}}
{{if and .HasAvailableSubCommands (daily .)}}{{range daily .}}
{{.Title}}:
{{range .Commands}}  {{rpad .Name .NamePadding}}  {{.Short}}
{{end}}{{end}}
  {{.CommandPath}} help all lists all {{count .}} commands, {{.CommandPath}} help COMMAND explains one.

Topics:
{{topics}}
{{else if .HasAvailableSubCommands}}{{range $group := .Groups}}
{{.Title}}
{{range $.Commands}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}  {{rpad .Name .NamePadding}}  {{.Short}}
{{end}}{{end}}{{end}}
More:
{{range .Commands}}{{if and (eq .GroupID "") (or .IsAvailableCommand (eq .Name "help"))}}  {{rpad .Name .NamePadding}}  {{.Short}}
{{end}}{{end}}
Topics:
{{topics}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}{{with group .}}
{{.}}{{end}}{{if .HasAvailableInheritedFlags}}
And the flags of every command: {{.Root.Name}} help flags
{{end}}`

// setHelp gives every command its help page and its examples.
func (t *tree) setHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("topics", func() string { return strings.Join(topicLines(), "\n") })
	cobra.AddTemplateFunc("also", func(cmd *cobra.Command) string { return cmd.Annotations[alsoCalled] })
	cobra.AddTemplateFunc("group", func(cmd *cobra.Command) string {
		of, _ := groupOf(t.line.catalog, []string{cmd.Name()})
		of.Commands = slices.DeleteFunc(of.Commands, func(c groupCommand) bool { return c.Verb == cmd.Name() })
		if len(of.Commands) == 0 || !cmd.HasParent() {
			return ""
		}
		return of.Text()
	})
	cobra.AddTemplateFunc("daily", t.daily)
	cobra.AddTemplateFunc("count", func(cmd *cobra.Command) int { return len(available(cmd)) })
	root.SetHelpTemplate(helpPage)
	root.SetUsageTemplate(helpPage)
	root.Example = strings.Join([]string{
		"  cupola spawn api --spawn-cc=2          start two Claude Code agents",
		"  cupola send api 'run the tests'        deliver a prompt to them",
		"  cupola tail api --lines=20             read what they show",
		"  cupola status                          see everything",
		"  cupola --robot-status                  the same for programs, as JSON",
	}, "\n")
}

// section is some commands under a title.
type section struct {
	Title    string
	Commands []*cobra.Command
}

// everyday are the commands that the short help lists.
var everyday = []struct{ title, names string }{
	{"Start and end", "demo spawn add attach restart-pane kill"},
	{"See", "status attention watch tail reply tokens"},
	{"Work with agents", "send answer wait interrupt"},
	{"Without sessions", "relay crew-run story-run"},
	{"Other machines", "hosts hosts-add"},
	{"Set up", "setup doctor config-show"},
}

// allCommands is the topic of help about all commands.
const allCommands = "all"

// daily are the commands of the short help; none where all commands are asked for.
func (t *tree) daily(root *cobra.Command) []section {
	if t.allHelp || root.HasParent() {
		return nil
	}
	byName := map[string]*cobra.Command{}
	for _, cmd := range root.Commands() {
		byName[cmd.Name()] = cmd
	}
	var sections []section
	for _, group := range everyday {
		one := section{Title: group.title}
		for _, name := range strings.Fields(group.names) {
			if cmd := byName[name]; cmd != nil {
				one.Commands = append(one.Commands, cmd)
			}
		}
		sections = append(sections, one)
	}
	return sections
}

// available are the commands that help lists.
func available(root *cobra.Command) []*cobra.Command {
	hidden := func(cmd *cobra.Command) bool { return !cmd.IsAvailableCommand() }
	return slices.DeleteFunc(slices.Clone(root.Commands()), hidden)
}

// help prepares the help page of a command. With a robot flag it answers itself: with the
// description of the verb, or with the whole document.
func (t *tree) help(cmd *cobra.Command) error {
	if err := t.program.settle(); err != nil {
		return err
	}
	verb := t.line.catalog.Find(cmd.Name())
	t.line.flags.Set.Lookup("version").Hidden = cmd.HasParent()
	switch {
	case len(t.line.read.Stray) > 0:
		if answered, err := t.explainGroup(cmd.Context(), t.line.read.Stray); answered {
			return cmp.Or(err, errAnswered)
		}
		return t.unknown()
	case !t.line.explicit():
		if !cmd.HasParent() && !cmd.HasSubCommands() {
			t.grow(cmd)
		} else if verb != nil {
			t.describe(cmd, verb)
		}
		return nil
	case verb == nil:
		return cmp.Or(t.program.runNamed(cmd.Context(), "docs"), errAnswered)
	}
	return cmp.Or(t.out.reply(cmd.Context(), "help", struct {
		Verb string     `json:"verb"`
		Help guide.Verb `json:"help"`
	}{verb.Name, guide.Describe(t.line.catalog, verb, true)}), errAnswered)
}

func examples(lines []string) string { return "  " + strings.Join(lines, "\n  ") }
