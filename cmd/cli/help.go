package cli

import (
	"strings"

	"github.com/spf13/cobra"
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

func examples(lines []string) string { return "  " + strings.Join(lines, "\n  ") }
