package core

// Remedy names what helps against one failure, beyond what its code says. It contains no
// flag and no command: each face has its own words for it.
type Remedy string

// The remedies. A field of Subject in a comment is one that the remedy needs.
const (
	RemedyListSessions       Remedy = "list-sessions"
	RemedyStartSession       Remedy = "start-session"
	RemedyAttachSession      Remedy = "attach-session" // Session
	RemedyOwnServer          Remedy = "own-server"
	RemedyNameSession        Remedy = "name-session"  // Kind was given in its place
	RemedyShowPane           Remedy = "show-pane"     // Panes
	RemedyShowDialog         Remedy = "show-dialog"   // Panes
	RemedyRestartWhich       Remedy = "restart-which" // Panes, one of them
	RemedyPressWhere         Remedy = "press-where"   // Panes, one of them
	RemedyNarrowLess         Remedy = "narrow-less"
	RemedyIncludeShells      Remedy = "include-shells"
	RemedyAwaitEnd           Remedy = "await-end"
	RemedyAnswerSingly       Remedy = "answer-singly"
	RemedyAdopt              Remedy = "adopt"        // Panes
	RemedyStartFresh         Remedy = "start-fresh"  // Panes
	RemedyResumeWhich        Remedy = "resume-which" // Panes, one of them; Conversations
	RemedyAdoptKind          Remedy = "adopt-kind"   // Panes, Kind
	RemedyReplaceDraft       Remedy = "replace-draft"
	RemedySendCommand        Remedy = "send-command"
	RemedyTypeAnyway         Remedy = "type-anyway"
	RemedyForce              Remedy = "force"
	RemedyAnswerQuestion     Remedy = "answer-question" // Panes
	RemedyPressKeys          Remedy = "press-keys"      // Panes
	RemedyRaiseCeiling       Remedy = "raise-ceiling"   // or to send all the same
	RemedyRepairStore        Remedy = "repair-store"    // or to send all the same
	RemedySetCeilings        Remedy = "set-ceilings"
	RemedyListCeilings       Remedy = "list-ceilings"
	RemedyListPrompts        Remedy = "list-prompts"
	RemedyListQueue          Remedy = "list-queue"
	RemedyListPalette        Remedy = "list-palette"
	RemedyListAlerts         Remedy = "list-alerts"
	RemedyListTools          Remedy = "list-tools"
	RemedyAllowTime          Remedy = "allow-time"
	RemedyListItems          Remedy = "list-items"
	RemedyOtherItem          Remedy = "other-item"
	RemedyBeginItems         Remedy = "begin-items"
	RemedyNameTasks          Remedy = "name-tasks"
	RemedyNameProject        Remedy = "name-project"
	RemedyReadLess           Remedy = "read-less" // of a repository's history
	RemedyListWorktrees      Remedy = "list-worktrees"
	RemedyShowWorktree       Remedy = "show-worktree" // Trees
	RemedyMakeWorktrees      Remedy = "make-worktrees"
	RemedyReuseWorktree      Remedy = "reuse-worktree"
	RemedyMergeCommitted     Remedy = "merge-committed" // Trees
	RemedyGiveUpWorktree     Remedy = "give-up-worktree"
	RemedyListCheckpoints    Remedy = "list-checkpoints"
	RemedyOtherCheckpoint    Remedy = "other-checkpoint"
	RemedyOmitPatches        Remedy = "omit-patches"
	RemedySavePreset         Remedy = "save-preset" // Dir
	RemedyOpenFolder         Remedy = "open-folder" // Dir
	RemedyListRuns           Remedy = "list-runs"
	RemedyShowRun            Remedy = "show-run"     // Run
	RemedyCancelRun          Remedy = "cancel-run"   // Run
	RemedyResumeRun          Remedy = "resume-run"   // Run
	RemedyResumeSteps        Remedy = "resume-steps" // Run; a step may have been done
	RemedyListCrewFiles      Remedy = "list-crew-recipes"
	RemedyListStories        Remedy = "list-stories"
	RemedyStartAgentSession  Remedy = "start-agent-session"
	RemedyNameAgentSession   Remedy = "name-agent-session"
	RemedyResumeAgentSession Remedy = "resume-agent-session" // Run
	RemedyFlushAgentSession  Remedy = "flush-agent-session"  // Run
	RemedyNextStory          Remedy = "next-story"           // Run
	RemedyShowTasks          Remedy = "show-tasks"           // Run
	RemedyListLabels         Remedy = "list-labels"
	RemedyGiveSession        Remedy = "give-session"
	RemedyGiveVariable       Remedy = "give-variable" // Name
	RemedyShowSettings       Remedy = "show-settings"
	RemedyEditSettings       Remedy = "edit-settings"
	RemedyMendSettings       Remedy = "mend-settings"
	RemedySetForUser         Remedy = "set-for-user"
	RemedyMoveToUser         Remedy = "move-to-user"
	RemedyReplaceSettings    Remedy = "replace-settings"
	RemedyListHosts          Remedy = "list-hosts"
	RemedyTestHost           Remedy = "test-host"       // Host
	RemedyEnableHost         Remedy = "enable-host"     // Host
	RemedyInstallOnHost      Remedy = "install-on-host" // Host
	RemedyInstallReleased    Remedy = "install-released"
)

// Subject is the subject of a failure, as far as its remedies need it. Unused fields are zero.
type Subject struct {
	Session string
	// Panes are addresses.
	Panes []string
	Kind  string
	// Conversations are the ids of an agent's own sessions.
	Conversations []string
	// Run is the id of a pipeline's run, Name that of one of its variables.
	Run, Name string
	Trees     []Worktree
	// Dir is the folder of the presets, or one that the user may not write.
	Dir string
	// Host is the name of another machine.
	Host string
	// Ceilings are higher than those that are exceeded.
	Ceilings []Ceiling
}

// Ceiling is the most that may be spent in a scope (session, day or fleet). Session is empty for each session.
type Ceiling struct {
	Scope, Session string
	// Unit is usd or tokens, and Amount a number of them.
	Unit, Amount string
}

// Worktree names an agent's git worktree, and the main working tree of its repository.
type Worktree struct{ Name, Repo string }
