package intent

import "cupola/core/verb/sessions"

// What can be asked for on the screen of the changes. Those without a root mean the selected tree or file.
type (
	// AskCommit asks for the message of a commit; What says what it would hold.
	AskCommit struct{ Root, What string }
	// AskDiscard asks whether to take back the change of a file, or some lines of it;
	// What says what it is. In is nil for the selected one.
	AskDiscard struct {
		In   *sessions.ChangesIn
		What string
	}
	// AskPublish asks whether to push the branch of a tree, and to open a pull request; What says what it holds.
	AskPublish struct{ Root, What string }
	// AskComment asks for a comment on a line: Line names it, Text begins the comment.
	AskComment struct{ Line, Text string }
	// Comment is a comment on the selected line; empty removes it.
	Comment struct{ Text string }
	// AskMergeTree asks whether to merge a worktree back; What says what it holds.
	AskMergeTree struct{ Root, What string }
	// Stage stages the selected file or lines, or takes them back from there.
	Stage struct{}
	// NextBase compares the trees with something else.
	NextBase struct{}
	// LookAt says that the user has seen the selected tree as it is.
	LookAt struct{}
	// Edit opens a file, or the folder of a tree, in the user's editor.
	Edit struct{ Root, Path string }
)

func (AskCommit) isIntent()    {}
func (AskDiscard) isIntent()   {}
func (AskPublish) isIntent()   {}
func (AskMergeTree) isIntent() {}
func (AskComment) isIntent()   {}
func (Comment) isIntent()      {}
func (Stage) isIntent()        {}
func (NextBase) isIntent()     {}
func (LookAt) isIntent()       {}
func (Edit) isIntent()         {}
