package story

import (
	"slices"
	"strings"
)

var (
	idWord = pattern("^(\\*\\*|__|`)?" + `(\d+(?:\.\d+)*[a-z]?|T\d+|[A-Z]{1,3}\d{3,}|[A-Z][A-Z0-9]*-\d+)([.):]*)` +
		"(\\*\\*|__|`)?([.):]*)" + `(?:[\s\x{a0}]+(?:[-–—][\s\x{a0}]+)?(.*))?$`)
	wholeNumber = pattern(`^\d+[a-z]?$`)
	storyWord   = pattern("(?i)^(?:story|stories|task|tasks|phase|section|step)[ \t]+")
	listed      = pattern(`[,;&+]|[ \t]and[ \t]`)
	nothing     = pattern(`(?i)^(?:none|nothing|no|n/a|-|–|—)?$`)
	bareBox     = pattern(`^(?:[•◦▪·–—>]|\pL[.)]|\d{10,}[.)])?(?:[ \t]*[-*+])?[ \t]*\[[ \t]*[^\s\[\]\d]?[ \t]*\](?:[ \t]+\S|$)`)
	wideBox     = pattern(`^(?:[-*+]|\d{1,9}[.)])[ \t]*\[[^\[\]]{2,24}\][ \t]+[^\s(\[]`)
	ballotBox   = pattern(`^(?:[-*+]|\d{1,9}[.)])?[ \t]*[☐☑☒✅✔]`)
	roundBox    = pattern(`^(?:[-*+]|\d{1,9}[.)])[ \t]*(?:\([ \t]*[xX]?[ \t]*\)|\[[ \t]*[xX]?[ \t]+[^\]]+$)`)
)

// taskID splits the description of a task into its id and the rest. The id is empty if it begins with none.
func taskID(description string) (id, rest string) {
	parts := idWord().FindStringSubmatch(description)
	if len(parts) == 0 || parts[4] != "" && parts[4] != parts[1] {
		return "", description
	}
	id, rest = parts[2], parts[6]
	if wholeNumber().MatchString(id) && parts[3]+parts[5] == "" {
		return "", description
	}
	if parts[1] != "" && parts[4] == "" {
		// All of "**1.1 Title**" is bold.
		rest = parts[1] + rest
	}
	return id, trim(rest)
}

// lookalike says why a line that looks like a task or a story is none; empty for any other line.
func lookalike(line string) string {
	line = trim(line)
	switch {
	case nearHeading().MatchString(line):
		return "a heading has a space after its marks"
	case wideBox().MatchString(line):
		return "the box of a task holds one character"
	case bareBox().MatchString(line):
		return "a task begins with the marker of a list: -, *, + or a number"
	case ballotBox().MatchString(line):
		return "a task has a box in brackets"
	case roundBox().MatchString(line):
		return "the box of a task has square brackets, open and closed"
	}
	return ""
}

// order notes what each story depends on.
func (p *parser) order() {
	stories, tasks := map[string]string{}, map[string]string{}
	for _, s := range p.sections {
		stories[s.ID] = s.ID
		for _, task := range s.items {
			tasks[task.ID] = s.ID
		}
	}
	// find returns the story that a word means.
	find := func(word string) string {
		if id := stories[word]; id != "" {
			return id
		}
		if id := tasks[word]; id != "" {
			return id
		}
		return stories[slug(word)]
	}
	for _, s := range p.sections {
		for _, n := range s.needs {
			for _, word := range listed().Split(n.text, -1) {
				found, unknown := meant(word, find)
				for _, id := range found {
					if !slices.Contains(s.After, id) {
						s.After = append(s.After, id)
					}
				}
				if unknown != "" && !n.loose {
					p.drop(n.line, n.raw, "it depends on "+unknown+", which is no story")
				}
			}
		}
	}
}

// meant returns the stories that a part of a list of dependencies names, and what is the name of none.
func meant(part string, find func(string) string) (found []string, unknown string) {
	clean := func(word string) string { return strings.Trim(trim(word), "#.`*_\"'()[]:") }
	part = clean(part)
	if nothing().MatchString(part) {
		return nil, ""
	}
	whole := clean(storyWord().ReplaceAllString(part, ""))
	for _, word := range []string{part, whole} {
		if id := find(word); id != "" {
			return []string{id}, ""
		}
	}
	for word := range strings.FieldsSeq(whole) {
		id := find(clean(word))
		if id == "" {
			return nil, whole
		}
		found = append(found, id)
	}
	return found, ""
}
