package relay

import (
	"strings"

	"cupola/core/run"
)

// Index keeps the records of a Book, so that a look at them costs little.
type Index = run.Index[Record, *Record]

// indexedPrompt is how many bytes an Index keeps of a prompt.
const indexedPrompt = 1000

// Index returns an index of the relays that keeps them without their answers, and with the beginning of their prompts
// alone.
func (b Book) Index() *Index {
	return &Index{
		Book: b.files(),
		Trim: func(record *Record) {
			record.Text, record.Guarantee = "", ""
			if len(record.Prompt) > indexedPrompt {
				record.Prompt = strings.ToValidUTF8(record.Prompt[:indexedPrompt], "")
			}
		},
		// One whose process was killed may still get its end.
		Final: func(record *Record) bool { return record.State.Ended() && record.State != Interrupted },
	}
}
