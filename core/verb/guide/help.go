package guide

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/pipeline"
)

// HelpTopic is a page of help about something that is no verb.
type HelpTopic struct {
	Name  string `json:"topic"`
	Short string `json:"description"`
	// Intro is the introduction; Rows are the entries.
	Intro []string `json:"text"`
	Rows  []Topic  `json:"entries"`
	// Example is a file that works as it is; absent where there is none.
	Example string `json:"example,omitempty"`
}

// HelpTopics returns the pages that help has in addition to those of the verbs.
func HelpTopics() []HelpTopic {
	return []HelpTopic{
		{
			Name: "robot", Short: "How programs use Cupola", Intro: start,
			Rows: append(append([]Topic{}, activation...), envelope...),
		},
		{
			Name: "formatting", Short: "Formats, columns, jq and templates",
			Intro: []string{"These flags choose the form of an answer for programs. They never change what is done."},
			Rows:  formatting,
		},
		{
			Name: "exit-codes", Short: "Exit status and error codes",
			Intro: []string{"A failure always names its error code; the exit status only sums it up."},
			Rows:  append(append([]Topic{}, exitCodes...), codeTopics()...),
		},
		{
			Name: "environment", Short: "Environment variables",
			Intro: []string{"Flags win over variables, and variables over files."}, Rows: environment,
		},
		{
			Name: "pipelines", Short: "Files of steps, each a call of a verb", Intro: pipelineIntro, Rows: pipelineKeys,
			Example: pipeline.Example(),
		},
	}
}

// FindTopic returns the page of help with a name.
func FindTopic(name string) (HelpTopic, bool) {
	for _, topic := range HelpTopics() {
		if topic.Name == name {
			return topic, true
		}
	}
	return HelpTopic{}, false
}

func codeTopics() []Topic {
	return core.Map(core.Codes(), func(row core.CodeRow) Topic {
		return Topic{
			string(row.Code),
			fmt.Sprintf("%d, detailed %d: %s", row.Exit, row.Detailed, row.Meaning),
		}
	})
}

// Text writes the page for people.
func (h HelpTopic) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n", h.Short)
	for _, sentence := range h.Intro {
		fmt.Fprintf(&b, "%s\n", sentence)
	}
	b.WriteString("\n")
	for _, row := range h.Rows {
		fmt.Fprintf(&b, "  %s\n      %s\n", row.Name, row.Text)
	}
	if h.Example != "" {
		fmt.Fprintf(&b, "\nFor example:\n\n    %s\n", strings.ReplaceAll(strings.TrimSpace(h.Example), "\n", "\n    "))
	}
	return strings.ReplaceAll(b.String(), "\n    \n", "\n\n")
}
