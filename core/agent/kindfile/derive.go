package kindfile

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
)

// sample is a case with the rows that rules match.
type sample struct {
	*Case
	rows []string
	// last is the last row that is not blank.
	last int
}

func sampleOf(c *Case) sample {
	rows := agent.Rows(c.Screen())
	last := len(rows) - 1
	for last > 0 && rows[last] == "" {
		last--
	}
	return sample{c, rows, last}
}

// Derive returns the file of a kind: its names, the command line that starts it (argv, which may be empty), and an
// input box and rules for the states of the cases; head is the comment at its top. A rule without which more of the
// cases are read as they were recorded is left out. Notes say what could not be derived, and which cases are read
// wrong. The same arguments always give the same file.
func Derive(name, head string, argv []string, cases []Case) (text string, notes []string) {
	samples := core.Map(cases, func(c Case) sample { return sampleOf(&c) })
	box, note := boxOf(samples)
	if note != "" {
		notes = append(notes, note)
	}
	f := file{name: name, begin: beginOf(name, head, argv, samples) + box, rules: rulesOf(samples)}
	f.prune(cases)
	kind := f.kind()
	if kind == nil {
		return f.text(), append(notes, "nothing can be derived: write the file by hand")
	}
	for i := range cases {
		if got := ReadCase(kind, &cases[i]); !got.Right && (note == "" || cases[i].State != core.Idle) {
			notes = append(notes, fmt.Sprintf("no row distinguishes case %d, %s, from the other states, and it is "+
				"read as %s: "+
				"record it once more, or write the rule by hand", i+1, cases[i].Label(), got.Label()))
		}
	}
	return f.text(), notes
}

// file is the file of a kind that is being derived.
type file struct {
	// name is the kind's id, begin the text up to the first rule.
	name, begin string
	rules       []string
}

func (f *file) text() string { return f.begin + strings.Join(f.rules, "") }

// kind returns the kind as the file describes it; nil if nothing of the file can be used.
func (f *file) kind() *agent.Kind {
	kind, _ := agent.Inspect(f.name+".toml", f.text())
	return kind
}

// right counts the cases that are read as they were recorded.
func (f *file) right(cases []Case) (n int) {
	kind := f.kind()
	for i := range cases {
		if kind != nil && ReadCase(kind, &cases[i]).Right {
			n++
		}
	}
	return n
}

// prune leaves out rules that contradict the cases, one by one, as long as that makes more of them right.
func (f *file) prune(cases []Case) {
	best := f.right(cases)
	for i := 0; best < len(cases) && i < len(f.rules); {
		without := file{f.name, f.begin, slices.Delete(slices.Clone(f.rules), i, i+1)}
		if n := without.right(cases); n > best {
			f.rules, best, i = without.rules, n, 0
			continue
		}
		i++
	}
}

// beginOf returns the text up to the input box: how the kind is called, started, recognised and driven.
func beginOf(name, head string, argv []string, samples []sample) string {
	var b strings.Builder
	comment(&b, head+" As long as it is not changed by hand, the next recording derives it anew.")
	values := valuesOf(name, name)
	if len(argv) > 0 {
		values = valuesOf(name, filepath.Base(argv[0]))
		values["launch.command"] = list(argv...)
	}
	if slices.ContainsFunc(samples, interruptedByCtrlC) {
		values["keys.interrupt"] = list("C-c")
	}
	for _, section := range agent.Sections() {
		var lines []string
		for _, key := range section.Keys {
			if value, used := values[key.Name]; used {
				lines = append(lines, strings.TrimPrefix(key.Name, section.Name+".")+" = "+value+"\n")
			}
		}
		if len(lines) > 0 && section.Name != "" {
			b.WriteString("\n[" + section.Name + "]\n")
		}
		b.WriteString(strings.Join(lines, ""))
	}
	return b.String()
}

var (
	saysEscape = regexp.MustCompile(`(?i)\besc(ape)?\b`)
	saysCtrlC  = regexp.MustCompile(`(?i)\bctrl[+-]c\b|\^c\b`)
)

// interruptedByCtrlC reports whether a program that works says that Ctrl-C stops it, and nothing of Escape.
func interruptedByCtrlC(s sample) bool {
	text := strings.Join(s.rows[max(0, s.last-bottomRows):], "\n")
	return s.State == core.Working && saysCtrlC.MatchString(text) && !saysEscape.MatchString(text)
}
