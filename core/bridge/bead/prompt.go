package bead

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/text/near"
)

// blanks are the names that a prompt may hold in braces.
var blanks = []string{
	"id", "title", "description", "acceptance", "design", "notes", "type", "priority", "labels",
	"project", "agent", "session",
}

// Recipient is the agent that gets a prompt.
type Recipient struct{ Agent, Session, Project string }

// blank matches a name in braces; two braces escape one.
var blank = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{|\}\}|\{[A-Za-z_]+\}`) })

// CheckPrompt returns InvalidInput for a template that contains an unknown name in braces.
func CheckPrompt(template string) error {
	for _, found := range blank().FindAllString(template, -1) {
		name := strings.Trim(found, "{}")
		if name != "" && !slices.Contains(blanks, name) {
			return &core.Error{
				Code: core.InvalidInput, Message: fmt.Sprintf("{%s} means nothing", name),
				Suggestions: near.Words(name, blanks),
				Hint:        "Use {" + strings.Join(blanks, "}, {") + "}; write {{ for a brace.",
			}
		}
	}
	return nil
}

// Prompt fills a template with the fields of an item. It omits paragraphs that stay empty.
func (i *Item) Prompt(template string, to Recipient) string {
	values := map[string]string{
		"id": i.ID, "title": i.Title, "description": i.Description, "acceptance": i.Acceptance, "design": i.Design,
		"notes": i.Notes, "type": i.Type, "priority": fmt.Sprint(i.Priority), "labels": strings.Join(i.Labels, ", "),
		"project": to.Project, "agent": to.Agent, "session": to.Session,
	}
	var paragraphs []string
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(template, "\r\n", "\n"), "\n\n") {
		filled := blank().ReplaceAllStringFunc(paragraph, func(found string) string {
			switch found {
			case "{{":
				return "{"
			case "}}":
				return "}"
			}
			return values[strings.Trim(found, "{}")]
		})
		if strings.TrimSpace(filled) != "" {
			paragraphs = append(paragraphs, strings.Trim(filled, "\n"))
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
