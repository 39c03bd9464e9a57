package agent

import "regexp"

// AtLimit is the continuation of an agent once a usage limit has ended. The zero value is an agent that continues when
// it gets a prompt.
type AtLimit struct {
	// Prompt is the text that it is sent; empty is "continue".
	Prompt string
	// Retry is a pattern of the option of the limit's own dialog with which it tries again by itself, Leave one of the
	// option that closes the dialog; empty for none.
	Retry, Leave string
}

// continuePrompt is the usual prompt that has an agent continue.
const continuePrompt = "continue"

// ContinuePrompt returns the prompt that has an agent continue.
func (l *AtLimit) ContinuePrompt() string {
	if l.Prompt == "" {
		return continuePrompt
	}
	return l.Prompt
}

// Option returns the option of a dialog with which the agent continues, and whether it does so by itself then; 0 if the
// dialog has none.
func (l *AtLimit) Option(options []Option) (n int, byItself bool) {
	for _, pattern := range []string{l.Retry, l.Leave} {
		for i := range options {
			if pattern != "" && regexp.MustCompile(pattern).MatchString(options[i].Label) {
				return options[i].N, pattern == l.Retry
			}
		}
	}
	return 0, false
}
