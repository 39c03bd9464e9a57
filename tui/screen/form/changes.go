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
			commit := sessions.ChangesIn{Tree: w.Root, Do: sessions.Commit, Message: message}
			return intent.Act{Input: commit, What: filepath.Base(w.Root)}, ""
		},
	}
}

// Discard asks whether to take back the change of a file, or lines of it.
func Discard(w intent.AskDiscard) *Form {
	what := strings.Join(w.In.Paths, ", ")
	title := "Discard " + what + "?"
	if len(w.In.Lines) > 0 {
		title = "Discard lines of " + what + "?"
	}
	return &Form{
		title: title, verb: "discard", says: w.What,
		make: func([]string) (intent.Intent, string) {
			in := *w.In
			in.Yes = true
			return intent.Act{Input: in, What: what}, ""
		},
	}
}

// What to do with the branch of a tree.
const (
	pushOnly = "push the branch"
	pushAsk  = "push it, and open a pull request"
)

// Publish asks whether to push the branch of a tree, and for the text of a pull request.
func Publish(w intent.AskPublish) *Form {
	return &Form{
		title: "Publish " + filepath.Base(w.Root), verb: "publish it", says: w.What,
		fields: []field{
			pick("", pushAsk, pushOnly), area("", "its title, and its text below: else those of the commits", ""),
		},
		make: func(values []string) (intent.Intent, string) {
			push := sessions.ChangesIn{Tree: w.Root, Do: sessions.Push}
			if values[0] == pushAsk {
				push.Do, push.Message = sessions.OpenPR, strings.TrimSpace(values[1])
			}
			return intent.Act{Input: push, What: filepath.Base(w.Root)}, ""
		},
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
