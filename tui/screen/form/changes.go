package form

import (
	"path/filepath"
	"strings"

	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/tui/intent"
)

// Commit asks for the message of a commit.
func Commit(w intent.AskCommit) *Form {
	return &Form{
		title: "Commit", verb: "commit", says: w.What, fields: []field{area("", "what was done, and why", "")},
		make: func(values []string) (intent.Intent, string) {
			message := strings.TrimSpace(values[0])
			if message == "" {
				return nil, "A commit needs a message."
			}
			return intent.Commit{Root: w.Root, Message: message}, ""
		},
	}
}

// Discard asks whether to take back the change of a file.
func Discard(w intent.AskDiscard) *Form {
	return &Form{
		title: "Discard " + w.Path + "?", verb: "discard it", says: w.What,
		make: func([]string) (intent.Intent, string) { return w.Discard, "" },
	}
}

// DiscardLines asks whether to take changed lines back.
func DiscardLines(w intent.AskDiscardLines) *Form {
	return &Form{
		title: "Discard lines of " + w.Path + "?", verb: "discard them", says: w.What,
		make: func([]string) (intent.Intent, string) { return w.DiscardLines, "" },
	}
}

// Comment asks for a comment on a line of a difference.
func Comment(w intent.AskComment) *Form {
	return &Form{
		title: "Comment on " + w.Line, verb: "keep it",
		fields: []field{area("", "what the agent is to change here, or why it did", w.Text)},
		make: func(values []string) (intent.Intent, string) {
			return intent.Comment{Text: strings.TrimSpace(values[0])}, ""
		},
	}
}

// MergeTree asks whether to merge a worktree back.
func MergeTree(w intent.AskMergeTree) *Form {
	return &Form{
		title: "Merge it?", verb: "merge it", says: w.What,
		make: func([]string) (intent.Intent, string) {
			var merge sessions.TreeMergeIn
			merge.Name, merge.Dir = w.Root, registry.ReadPath(w.Root)
			return intent.Act{Input: merge, What: filepath.Base(w.Root)}, ""
		},
	}
}
