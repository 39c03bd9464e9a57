package crew

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"cupola/core/text/near"
)

// Said is one message of an answer.
type Said struct {
	// To is a member, "all" or "user".
	To, Text string
}

// Reading is the parsed answer of a member.
type Reading struct {
	Messages []Said
	// Notes is the text without an address.
	Notes string
	// Unknown are names that lines were addressed to that no agent has but that are like one.
	Unknown []string
}

var mention = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@([A-Za-z0-9_.-]+):\s*(.*)$`) })

// Parse reads an answer, line by line:
//
//	```                 begins or ends code; its lines are notes, and end the open message
//	> text              a quote: a note, and ends the open message
//	@name: text         at the start of a line: begins a message, if the name is known
//	@name:              alone on its line: begins a block, to which all belongs up to the next
//	                    message or the end, code, quotes and blank lines too
//	(blank)             ends the open message
//	text                belongs to the open message, or else is a note
//
// A name is known if it is a member's, "all" or "user"; if it differs by case alone; or if it is the
// first name or the role of one member alone. A fence with a word behind it, as ```go, ends no code. One that is
// never closed begins none: what follows it is read as if it were not there.
func Parse(answer string, names []string) Reading {
	p := parser{names: names, code: fenced(answer)}
	n := 0
	for line := range strings.Lines(answer) {
		p.line(strings.TrimRight(line, "\r\n"), p.code[n])
		n++
	}
	p.close()
	p.read.Notes = strings.TrimSpace(strings.Join(p.notes, "\n"))
	return p.read
}

// fenced says of each line whether it is code. As in Markdown, a fence ends at the next one that is at least as long
// and has no word behind it; one that never ends is text.
func fenced(answer string) []bool {
	var code []bool
	begin, long := -1, 0
	for line := range strings.Lines(answer) {
		code = append(code, false)
		trimmed := strings.TrimSpace(line)
		word := strings.TrimLeft(trimmed, "`")
		ticks := len(trimmed) - len(word)
		switch {
		case ticks < 3 || begin >= 0 && (ticks < long || word != ""):
			continue
		case begin < 0:
			// Code that begins and ends within a line is text.
			if !strings.Contains(word, "`") {
				begin, long = len(code)-1, ticks
			}
			continue
		}
		for i := begin; i < len(code); i++ {
			code[i] = true
		}
		begin = -1
	}
	return code
}

type parser struct {
	names []string
	code  []bool
	read  Reading
	notes []string
	// open is the message that the next lines belong to, and block says that it ends at the next
	// message alone; nil for none.
	open  *Said
	block bool
	lines []string
}

func (p *parser) line(line string, code bool) {
	trimmed := strings.TrimSpace(line)
	switch {
	case p.block && (code || !strings.HasPrefix(line, "@")):
		p.lines = append(p.lines, line)
		return
	case code, strings.HasPrefix(trimmed, ">"), trimmed == "":
		p.close()
		p.notes = append(p.notes, line)
		return
	}
	if parts := mention().FindStringSubmatch(line); parts != nil {
		if to := Resolve(parts[1], p.names); to != "" {
			p.close()
			p.open, p.lines, p.block = &Said{To: to}, []string{parts[2]}, strings.TrimSpace(parts[2]) == ""
			return
		}
		if strings.Contains(parts[1], ".") || len(near.Words(parts[1], short(p.names))) > 0 {
			p.read.Unknown = append(p.read.Unknown, parts[1])
		}
	}
	if p.open != nil {
		p.lines = append(p.lines, line)
		return
	}
	p.notes = append(p.notes, line)
}

// close ends the open message. One without a text is none.
func (p *parser) close() {
	if p.open == nil {
		return
	}
	if p.open.Text = strings.TrimSpace(strings.Join(p.lines, "\n")); p.open.Text != "" {
		p.read.Messages = append(p.read.Messages, *p.open)
	}
	p.open, p.lines, p.block = nil, nil, false
}

// short are names with their first names and roles, which are addresses too.
func short(names []string) []string {
	all := slices.Clone(names)
	for _, name := range names {
		first, _, _ := strings.Cut(name, ".")
		all = append(all, first, roleOf(name))
	}
	return all
}

// Resolve returns who a name means: a member, "all" or "user"; empty if that is not known.
func Resolve(name string, names []string) string {
	everybody := append([]string{All, User}, names...)
	for _, same := range []func(string) bool{
		func(known string) bool { return known == name },
		func(known string) bool { return strings.EqualFold(known, name) },
		func(known string) bool {
			first, _, dotted := strings.Cut(known, ".")
			return dotted && (strings.EqualFold(first, name) || strings.EqualFold(roleOf(known), name))
		},
	} {
		var found []string
		for _, known := range everybody {
			if same(known) {
				found = append(found, known)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}
