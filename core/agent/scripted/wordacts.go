package scripted

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

func think(c call) []act {
	return []act{{hold: time.Duration(c.count) * time.Second, verb: VerbThinking}}
}

// lines are the lines that "stream" writes, over and over.
var lines = []string{
	"The handler reads the body twice, so the second read finds nothing.",
	"I would keep the first one and pass its result on.",
	"Two tests cover this path; neither sets a body.",
	"The change is small: one field moves and one check goes away.",
	"Nothing else calls the old function.",
	"With that the list is sorted before it is written, as the reader expects.",
	"The timeout belongs to the caller, not to the client.",
}

// stream writes lines word by word; each line is printed when it is whole.
func stream(c call) []act {
	var acts []act
	for i := range c.count {
		line := lines[i%len(lines)]
		for end, r := range line {
			if r == ' ' {
				acts = append(acts, act{hold: wordPace, verb: VerbWriting, shows: reply(line[:end])})
			}
		}
		acts = append(acts, act{hold: wordPace, verb: VerbWriting, shows: reply(line), prints: reply(line)})
	}
	return acts
}

func runTool(c call) []act {
	return []act{{
		hold:   toolTime,
		verb:   VerbRunning,
		shows:  block{mark: MarkRunning, text: c.text, sgr: sgrTool},
		prints: block{mark: MarkRan, text: c.text, sgr: sgrTool},
	}}
}

// approve asks about the tool that comes next in the prompt, or about any.
func approve(c call) []act {
	command := cmp.Or(c.ahead, "make deploy")
	return []act{{asks: approval(command)}}
}

// asking makes a new dialog at each use, as each remembers its selection.
func asking(open func() *dialog) func(call) []act {
	return func(call) []act { return []act{{asks: open()}} }
}

func fail(c call) []act { return trouble(TroubleError + c.text) }

func limit(c call) []act {
	return trouble(c.text + c.now.Add(limitTime).Format("15:04"))
}

func trouble(text string) []act {
	return []act{{prints: block{mark: MarkTrouble, text: text, sgr: sgrTrouble}, ends: &ending{}}}
}

func retry(c call) []act {
	var acts []act
	for i := range c.count {
		verb := fmt.Sprintf("%s %d/%d…", VerbRetrying, i+1, c.count)
		acts = append(acts, act{hold: retryTime, verb: verb})
	}
	return acts
}

func leave(reason string, code int) func(call) []act {
	return func(call) []act { return []act{{ends: &ending{reason: reason, code: code}}} }
}

func say(c call) []act {
	return []act{{prints: block{text: strings.TrimSuffix(c.text, "\n")}}}
}

func reply(text string) block { return block{mark: MarkReply, text: text} }
