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
