package kindfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cupola/core"

	"cupola/core/agent"
)

// valuesOf returns the values of the keys that a new kind sets, as TOML; program is the program that it starts. The
// other keys are written as comments.
func valuesOf(name, program string) map[string]string {
	return map[string]string{
		"id": quoted(name), "name": quoted(strings.ToUpper(name[:1]) + name[1:]),
		"launch.command": list(program), "launch.timeout": quoted("60s"),
		"process.names": list(program), "process.hosts": list("node", "python3"),
		"process.script": literal(`(^|/)` + regexp.QuoteMeta(program) + `(\.m?js)?$`),
		"keys.submit":    list("Enter"), "keys.interrupt": list("Escape"), "keys.exit": list("C-c", "C-c"),
		"keys.clear": list("C-u"), "keys.gap": quoted("200ms"),
		"typing.settle": quoted("400ms"), "typing.busy": quoted("queues"),
	}
}

// writtenOut are the tables of a new kind whose keys are written; the other tables are only named.
var writtenOut = []string{"", "launch", "process", "keys", "typing", "composer"}

// New returns the file of a new kind that is like no other, with a comment for each key; head is the comment at its
// top.
func New(name, head string) string {
	var b strings.Builder
	comment(&b, head+" A line that begins with # is not used: take the # away and set the value.")
	values := valuesOf(name, name)
	var others []string
	for _, section := range agent.Sections() {
		if !slices.Contains(writtenOut, section.Name) {
			others = append(others, section.Header())
			continue
		}
		b.WriteString("\n# " + section.Says + "\n")
		if section.Name != "" {
			b.WriteString(section.Header() + "\n")
		}
		for _, key := range section.Keys {
			short := strings.TrimPrefix(key.Name, section.Name+".")
			comment(&b, key.Form+". "+key.Says)
			if value, used := values[key.Name]; used {
				fmt.Fprintf(&b, "%s = %s\n", short, value)
			} else {
				fmt.Fprintf(&b, "# %s =\n", short)
			}
		}
	}
	b.WriteString("\n")
	comment(&b, "Further tables: "+strings.Join(others, ", ")+".")
	return b.String()
}

// ofProgram are the tables that say where a program keeps its files, or what holds a sandbox: what is true of one
// program must not be claimed of another.
var ofProgram = []string{"headless", "skills", "mcp", "background", "hook.install"}

// From returns the file of a new kind that begins as a copy of another one; id and text are the id and the file of that
// one, head is the comment at its top. Each key is described where it is first used. Tables that are true of the other
// program alone are commented out.
func From(name, id, text, head string) string {
	var b strings.Builder
	comment(&b, fmt.Sprintf("%s It began as a copy of %s. What is commented out names files of %s, or promises what "+
		"only holds for it: see to each before you take it over. Replies and costs from records belong to %s alone.",
		head, id, id, id))
	b.WriteString("\n")
	table, off := "", false
	described := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i == 0 && strings.HasPrefix(line, "#") {
			continue // what was seen of the other program
		}
		if at := tableLine.FindStringSubmatch(line); at != nil {
			table = at[1]
			off = isOfProgram(table)
		}
		if key := keyLine.FindStringSubmatch(line); key != nil {
			describe(&b, table, key[1], described)
			line = renamed(line, table, key[1], name, id)
		}
		if off && line != "" && !strings.HasPrefix(line, "#") {
			line = "# " + line
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

var (
	tableLine = regexp.MustCompile(`^\[+([^\]]+)\]+`)
	keyLine   = regexp.MustCompile(`^([a-z_]+) = `)
)

// isOfProgram reports whether a table is true of one program alone.
func isOfProgram(table string) bool {
	return slices.ContainsFunc(ofProgram, func(one string) bool {
		return table == one || strings.HasPrefix(table, one+".")
	})
}

// describe writes what a key means, once for each key.
func describe(b *strings.Builder, table, key string, described map[string]bool) {
	name := key
	if table != "" {
		name = table + "." + key
	}
	if known, ok := agent.KeyOf(name); ok && !described[known.Name] {
		described[known.Name] = true
		comment(b, known.Form+". "+known.Says)
	}
}

// renamed puts the new name in the place of the old one, where a line says what the kind is called and started as.
func renamed(line, table, key, name, id string) string {
	switch table + "." + key {
	case ".id":
		return "id = " + quoted(name)
	case ".short":
		return "short = " + quoted(name)
	case ".name":
		return "name = " + quoted(strings.ToUpper(name[:1])+name[1:])
	case "launch.command", "process.names":
		return strings.Replace(line, "["+quoted(id), "["+quoted(name), 1)
	case "launch.resumed", "process.script":
		// Folders and packages keep their names.
		return regexp.MustCompile(`(^|[^\w@/-])`+regexp.QuoteMeta(id)+`([^\w/-]|$)`).
			ReplaceAllString(line, "${1}"+name+"${2}")
	case "launch.install":
		return "# " + line
	}
	return line
}

// comment writes a text as comments of at most 110 columns.
func comment(b *strings.Builder, text string) {
	const width = 110
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// quoted returns a text as a basic string of TOML, with escapes.
func quoted(text string) string { return fmt.Sprintf("%q", text) }

// literal returns a text, such as a pattern, as a literal string of TOML, without escapes.
func literal(text string) string {
	if strings.Contains(text, "'") {
		return "'''" + text + "'''"
	}
	return "'" + text + "'"
}

func list(texts ...string) string { return listOf(quoted, texts) }

func listOf(form func(string) string, texts []string) string {
	parts := core.Map(texts, form)
	return "[" + strings.Join(parts, ", ") + "]"
}
