package scripted

import (
	"strconv"
	"strings"
	"time"
)

const (
	thought   = 800 * time.Millisecond // before the first act
	wordPace  = 55 * time.Millisecond
	toolTime  = 2 * time.Second
	retryTime = 2 * time.Second
	limitTime = time.Hour
	// countLimit bounds N, so that no prompt can exhaust memory.
	countLimit = 10_000
)

// argument says what may follow a word.
type argument int

const (
	none   argument = iota
	number          // a count; without one the word is plain text
	phrase          // up to the next word of the table, ";" or the line's end
	option          // one of the word's own variants, if it is there
	rest            // everything to the end of the prompt
)

// word is a row of the table of words that script a turn.
type word struct {
	name     string
	takes    argument
	variants map[string]string
	help     string
	acts     func(c call) []act
}

// call is one use of a word: its argument, the tool that comes right after it
// if one does, and the moment.
type call struct {
	count int
	text  string
	ahead string
	now   time.Time
}

// words is the table of all words; help and parsing both come from it.
var words = []word{
	{name: "slow", takes: number, help: "slow N: think N seconds", acts: think},
	{name: "stream", takes: number, help: "stream N: write N lines of text", acts: stream},
	{
		name: "tool", takes: phrase, help: "tool CMD: run a tool; CMD ends at the next word, at ; or with the line",
		acts: runTool,
	},
	{name: "approve", help: "approve: ask for approval of the next tool", acts: approve},
	{name: "ask", help: "ask: ask a question with three choices", acts: asking(question)},
	{name: "plan", help: "plan: ask for approval of a plan", acts: asking(plan)},
	{
		name: "fail", takes: option, variants: failures, help: "fail [auth|billing|server|other]: end with an error",
		acts: fail,
	},
	{name: "limit", takes: option, variants: limits, help: "limit [rate|quota]: end with a limit", acts: limit},
	{name: "retry", takes: number, help: "retry N: retry N times", acts: retry},
	{name: "bye", help: "bye: exit with status 0", acts: leave("bye", 0)},
	{name: "crash", help: "crash: exit with status 3", acts: leave("crash", 3)},
	{name: "say", takes: rest, help: "say TEXT: print exactly TEXT, the rest of the prompt", acts: say},
}

// failures are the error banners; the empty variant is the default.
var failures = map[string]string{
	"":        "the model service is overloaded (529)",
	"auth":    "the API key is not valid (401)",
	"billing": "the credit balance is too low (402)",
	"server":  "the model service is overloaded (529)",
	"other":   "the answer could not be read",
}

var limits = map[string]string{"": TroubleLimit, "rate": TroubleLimit, "quota": TroubleQuota}

// Words describes the words that script a turn, one a line.
func Words() string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString("  " + w.help + "\n")
	}
	return b.String()
}

// script makes the acts of a turn from its prompt. Every turn begins with a
// thought, so that no dialog opens under the Enter that asked for it; its own
// "slow" will do.
func script(text string, now time.Time) []act {
	acts := []act{{hold: thought, verb: VerbThinking}}
	for text != "" {
		c := call{now: now}
		var w *word
		if w, text = nextWord(text); w != nil {
			if c, text, w = readArgument(w, c, text); w != nil {
				acts = append(acts, w.acts(c)...)
			}
		}
	}
	switch {
	case len(acts) == 1:
		return append(acts, stream(call{count: 3})...)
	case acts[1].verb == VerbThinking:
		return acts[1:]
	}
	return acts
}

// nextWord cuts the first blank-separated word off text and finds its row.
func nextWord(text string) (*word, string) {
	token, after := cutToken(text)
	return wordNamed(token), after
}

// cutToken cuts text after its first run of non-blanks.
func cutToken(text string) (token, after string) {
	text = strings.TrimLeft(text, " \t\n")
	end := strings.IndexAny(text, " \t\n")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

func wordNamed(name string) *word {
	for i := range words {
		if words[i].name == name {
			return &words[i]
		}
	}
	return nil
}

// readArgument reads what w takes off text. It returns no word where what must
// follow does not.
func readArgument(w *word, c call, text string) (call, string, *word) {
	c.ahead = toolAhead(text)
	switch w.takes {
	case number:
		n, tail := cutNumber(text)
		if n < 0 {
			return c, text, nil
		}
		c.count, text = min(n, countLimit), tail
	case phrase:
		c.text, text = cutPhrase(text)
		if c.text == "" {
			return c, text, nil
		}
	case option:
		c.text = w.variants[""]
		token, after := cutToken(text)
		if v, found := w.variants[token]; found && token != "" {
			c.text, text = v, after
		}
	case rest:
		c.text, text = strings.TrimPrefix(text, " "), ""
	}
	return c, text, w
}

// toolAhead is the command of the tool that text begins with.
func toolAhead(text string) string {
	w, after := nextWord(text)
	if w == nil || w.takes != phrase {
		return ""
	}
	command, _ := cutPhrase(after)
	return command
}

// cutNumber cuts a leading count off text; it is -1 if there is none.
func cutNumber(text string) (n int, after string) {
	trimmed := strings.TrimLeft(text, " \t")
	end := strings.IndexAny(trimmed, " \t\n,;.")
	if end < 0 {
		end = len(trimmed)
	}
	n, err := strconv.Atoi(trimmed[:end])
	if err != nil || n < 0 {
		return -1, text
	}
	return n, trimmed[end:]
}

// cutPhrase cuts text before the next word of the table, at ";" or after the
// line.
func cutPhrase(text string) (head, after string) {
	end := strings.IndexAny(text, ";\n")
	if end < 0 {
		end = len(text)
	}
	line := text[:end]
	for i := 0; i < len(line); i++ {
		if line[i] != ' ' {
			continue
		}
		if w, _ := nextWord(line[i:]); w != nil {
			return strings.TrimSpace(line[:i]), text[i:]
		}
	}
	return strings.TrimSpace(line), strings.TrimPrefix(text[end:], ";")
}
