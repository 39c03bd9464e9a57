package scripted

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// describe names acts by what they do, so that tables can be read.
func describe(acts []act) string {
	var parts []string
	for _, a := range acts {
		switch {
		case a.asks != nil:
			parts = append(parts, a.asks.title+" "+strings.SplitN(a.asks.detail, "\n", 2)[0])
		case a.ends != nil && a.ends.reason != "":
			parts = append(parts, a.ends.reason)
		case a.verb == VerbWriting && a.prints == (block{}):
		case a.verb == VerbWriting:
			parts = append(parts, "line")
		case a.prints != (block{}):
			parts = append(parts, a.prints.mark+a.prints.text)
		default:
			parts = append(parts, strings.TrimSuffix(a.verb, "…")+" "+a.hold.String())
		}
	}
	return strings.Join(parts, "|")
}

func TestScript(t *testing.T) {
	const start = "Thinking 800ms|"
	tests := map[string]struct{ prompt, want string }{
		"no words":                    {"please help", start + "line|line|line"},
		"slow replaces the thought":   {"be slow 7 now", "Thinking 7s"},
		"a number at a line's end":    {"slow 2\nslow 3", "Thinking 2s|Thinking 3s"},
		"a number is needed":          {"slow down", start + "line|line|line"},
		"a number may end a sentence": {"stream 2.", start + "line|line"},
		"tool to the end":             {"tool go test ./...", start + "■ go test ./..."},
		"tool to the next word":       {"tool go vet stream 1", start + "■ go vet|line"},
		"tool to a semicolon":         {"tool make; then rest", start + "■ make"},
		"tool to the line's end":      {"tool make\nmore text", start + "■ make"},
		"tool needs a command":        {"tool", start + "line|line|line"},
		"approve knows its tool": {
			"approve tool rm -rf b; bye",
			start + "Allow this command? $ rm -rf b|■ rm -rf b|bye",
		},
		"approve alone": {"approve", start + "Allow this command? $ make deploy"},
		"ask and plan": {
			"ask plan",
			start + TitleQuestion + " Both tables could hold the column.|" + TitlePlan + " a. Read the handlers",
		},
		"fail":                    {"fail", start + "! error: the model service is overloaded (529)"},
		"fail with a variant":     {"fail billing now", start + "! error: the credit balance is too low (402)"},
		"limit":                   {"limit", start + "! rate limit reached, resets at 13:00"},
		"quota":                   {"limit quota", start + "! quota used up, resets at 13:00"},
		"retry":                   {"retry 2", start + "Retrying 1/2 2s|Retrying 2/2 2s"},
		"bye and crash":           {"bye crash", start + "bye|crash"},
		"say takes the rest":      {"say  fail 世 \n bye", start + " fail 世 \n bye"},
		"parts of words are none": {"failure asked", start + "line|line|line"},
		"words in order": {
			"slow 1 tool a fail",
			"Thinking 1s|■ a|! error: the model service is overloaded (529)",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := describe(script(tt.prompt, noon)); got != tt.want {
				t.Errorf("script(%q)\n got %s\nwant %s", tt.prompt, got, tt.want)
			}
		})
	}
}

func TestEveryWordIsExplained(t *testing.T) {
	for _, w := range words {
		if !strings.HasPrefix(w.help, w.name) || !strings.Contains(Words(), w.help) {
			t.Errorf("%s: help %q", w.name, w.help)
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add("slow 1 tool a; say x")
	f.Add("limit quota retry 99999999999 stream -1")
	f.Fuzz(func(t *testing.T, prompt string) {
		if len(script(prompt, noon)) == 0 {
			t.Error("a turn without acts")
		}
	})
}
