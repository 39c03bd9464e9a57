package guide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
)

// ManPages writes the document as manual pages, by file name: cupola.1, and a page
// a verb.
func ManPages(doc Document) map[string]string {
	pages := map[string]string{"cupola.1": mainPage(doc)}
	for name, verb := range doc.Commands {
		pages["cupola-"+name+".1"] = verbPage(name, verb, doc.Globals)
	}
	return pages
}

// roff is a manual page while it is written.
type roff struct{ strings.Builder }

func newRoff(name, description string) *roff {
	r := &roff{}
	fmt.Fprintf(r, ".TH %s 1\n", strings.ToUpper(escaped(name)))
	r.section("NAME")
	fmt.Fprintf(r, "%s \\- %s\n", escaped(name), escaped(description))
	return r
}

func (r *roff) section(title string) { fmt.Fprintf(r, ".SH %s\n", title) }

// text writes a paragraph.
func (r *roff) text(text string) { fmt.Fprintf(r, ".PP\n%s\n", escaped(text)) }

// item writes a term and what it means.
func (r *roff) item(term, text string) {
	fmt.Fprintf(r, ".TP\n.B %s\n%s\n", escaped(term), escaped(text))
}

// code writes lines unchanged.
func (r *roff) code(lines []string) {
	r.WriteString(".PP\n.nf\n")
	for _, line := range lines {
		fmt.Fprintf(r, "%s\n", escaped(line))
	}
	r.WriteString(".fi\n")
}

// escaped makes text that roff prints unchanged, in one paragraph.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func mainPage(doc Document) string {
	r := newRoff("cupola", "run several coding agents at once, and know what each is doing")
	r.section("SYNOPSIS")
	r.code([]string{"cupola", "cupola COMMAND [flags]", "cupola --robot-COMMAND[=VALUE] [flags]"})
	r.section("DESCRIPTION")
	r.text(doc.Description + " Without a command it opens the dashboard on a terminal.")
	for _, sentence := range doc.Start {
		r.text(sentence)
	}
	r.section("COMMANDS")
	for _, name := range slices.Sorted(maps.Keys(doc.Commands)) {
		r.item("cupola "+name, doc.Commands[name].Description+"; see cupola-"+name+"(1).")
	}
	r.section("OPTIONS")
	r.flags(doc.Globals)
	for _, part := range []struct {
		title string
		rows  []Topic
	}{
		{"ROBOT MODE", doc.Activation},
		{"FORMATS", doc.Formatting},
		{"EXIT STATUS", doc.ExitCodes},
		{"ENVIRONMENT", doc.Environment},
		{"FILES", files},
	} {
		r.section(part.title)
		for _, row := range part.rows {
			r.item(row.Name, row.Text)
		}
	}
	r.section("EXAMPLES")
	for _, flow := range doc.Workflows {
		r.text(flow.Name + ":")
		r.code(flow.lines())
	}
	return r.String()
}

func (r *roff) flags(flags []Flag) {
	for _, flag := range flags {
		term := "--" + flag.Name
		if flag.Type != "bool" {
			term += "=" + strings.ToUpper(flag.Type)
		}
		if flag.Short != "" {
			term = "-" + flag.Short + ", " + term
		}
		r.item(term, meaning(flag)+".")
	}
}

func verbPage(name string, verb Verb, globals []Flag) string {
	r := newRoff("cupola-"+name, verb.Description)
	r.section("SYNOPSIS")
	r.code([]string{verb.Usage + " [flags]", "cupola " + verb.Robot})
	r.section("DESCRIPTION")
	r.text(verb.Description + ".")
	if verb.Details != "" {
		r.text(verb.Details)
	}
	r.section("EXAMPLES")
	r.code(verb.Examples)
	if len(verb.Arguments)+len(verb.FlagDetails) > 0 {
		r.section("OPTIONS")
	}
	for _, argument := range positional(verb) {
		r.item(strings.ToUpper(argument.Name), meaning(argument)+".")
	}
	r.flags(verb.FlagDetails)
	names := core.Map(globals, func(flag Flag) string { return "--" + flag.Name })
	r.section("GLOBAL OPTIONS")
	r.text(strings.Join(names, ", ") + "; see cupola(1).")
	r.section("ERRORS")
	r.text(core.Join(verb.Errors, ", ") + ".")
	r.section("SEE ALSO")
	r.text("cupola(1)")
	return r.String()
}
