package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"cupola/robot/guide"
)

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
{{if .HasAvailableSubCommands}}{{range $group := .Groups}}
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
{{end}}{{if .HasAvailableInheritedFlags}}
Global flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}`

// setHelp gives every command its help page and its examples.
func setHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("topics", func() string { return strings.Join(topicLines(), "\n") })
	cobra.AddTemplateFunc("also", func(cmd *cobra.Command) string { return cmd.Annotations[alsoCalled] })
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

// help prepares the help page of a command. With a robot flag it answers itself: with the
// description of the verb, or with the whole document.
func (p tree) help(cmd *cobra.Command) error {
	if p.program.deps == nil {
		if err := p.program.settle(); err != nil {
			return err
		}
	}
	verb, plan := p.program.catalog.Find(cmd.Name()), p.program.catalog.Plan(cmd.Name())
	p.program.flags.set.Lookup("version").Hidden = cmd.HasParent()
	switch {
	case len(p.program.line.stray) > 0:
		return p.unknown()
	case !p.program.explicit():
		if !cmd.HasParent() && !cmd.HasSubCommands() {
			p.grow(cmd)
		} else if verb != nil {
			p.describe(cmd, verb)
		}
		return nil
	case plan != nil:
		return plan.Missing()
	case verb == nil:
		docs := p.program.catalog.Find("docs")
		return cmp.Or(p.program.run(cmd.Context(), docs, docs.Zero(), nil), errAnswered)
	}
	return cmp.Or(p.program.reply(cmd.Context(), "help", struct {
		Verb string     `json:"verb"`
		Help guide.Verb `json:"help"`
	}{verb.Name, guide.Describe(p.program.catalog, verb, true)}), errAnswered)
}

func examples(lines []string) string { return "  " + strings.Join(lines, "\n  ") }
