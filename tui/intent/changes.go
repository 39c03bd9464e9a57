package intent

import (
	"cupola/core/git"
	"cupola/core/git/changes"
)

// What can be asked for on the screen of the changes. Those without a root mean the selected tree or file.
type (
	// AskCommit asks for the message of a commit; What says what it would hold.
	AskCommit struct{ Root, What string }
	// AskDiscard asks whether to take back the change of a file; What says what it is.
	AskDiscard struct {
		Discard
		What string
	}
	// AskDiscardLines asks whether to take changed lines of a file back; What says which.
	AskDiscardLines struct {
		DiscardLines
		What string
	}
	// AskComment asks for a comment on a line: Line names it, Text begins the comment.
	AskComment struct{ Line, Text string }
	// Comment is a comment on the selected line; empty removes it.
	Comment struct{ Text string }
	// AskMergeTree asks whether to merge a worktree back; What says what it holds.
	AskMergeTree struct{ Root, What string }
)

// Acts and questions about changes; the root passes these to effect.
type (
	// Stage stages a file of a tree or, with Undo, takes it back from there. Without a path it means all files.
	Stage struct {
		Root, Path, From string
		Undo             bool
	}
	// Discard takes back the change of a file.
	Discard struct {
		Root, Path, From string
		Kind             git.Kind
	}
	// StageLines stages changed lines of a file or, where all are staged, takes them back from there.
	StageLines struct {
		Root, Path string
		Lines      []changes.Line
	}
	// DiscardLines takes changed lines of a file back.
	DiscardLines struct {
		Root, Path string
		Lines      []changes.Line
	}
	// Commit commits what is staged in a tree or, if nothing is, all that changed.
	Commit struct{ Root, Message string }
	// Edit opens a file, or the folder of a tree, in the user's editor.
	Edit struct{ Root, Path string }
)

func (AskCommit) isIntent()    {}
func (AskDiscard) isIntent()   {}
func (AskMergeTree) isIntent() {}
func (Stage) isIntent()        {}
func (Discard) isIntent()      {}
func (Commit) isIntent()       {}

func (AskDiscardLines) isIntent() {}
func (AskComment) isIntent()      {}
func (Comment) isIntent()         {}
func (StageLines) isIntent()      {}
func (DiscardLines) isIntent()    {}
func (Edit) isIntent()            {}
