package scripted

// The marks are everything on the screen that a detection rule may rely on.
// Each begins its line, at column one, unless its doc says otherwise.
const (
	// MarkBanner begins the first line drawn: the name, then the version.
	MarkBanner = "◆ "
	// MarkComposer begins the draft, and the selected choice of a dialog.
	MarkComposer = "› "
	// MarkRule repeats over the whole width, above and below the composer and
	// above a dialog.
	MarkRule = "─"
	// MarkPrompt begins a submitted prompt in the transcript.
	MarkPrompt = "> "
	// MarkBusy begins the one line that is there exactly while a turn works:
	// a verb with an ellipsis, then the elapsed time and HintInterrupt in
	// brackets, as in "* Thinking… (3s · esc to interrupt)".
	MarkBusy = "* "
	// MarkRunning begins the line of a tool that is running.
	MarkRunning = "□ "
	// MarkRan begins the line of a tool that has ended.
	MarkRan = "■ "
	// MarkReply begins streamed text. What the word "say" prints has no mark.
	MarkReply = "  "
	// MarkTrouble begins an error or limit banner, the last line of its turn.
	MarkTrouble = "! "
	// MarkOutcome begins the last line of any other turn.
	MarkOutcome = "- "
	// MarkQueued begins a prompt that waits for the running turn to end; it
	// is above the composer.
	MarkQueued = "Queued: "
)

// The verbs of the busy line say what a turn is doing.
const (
	VerbThinking = "Thinking…"
	VerbWriting  = "Writing…"
	VerbRunning  = "Running…"
	// VerbRetrying is followed by its count: "Retrying 2/5… (1s · ...)".
	VerbRetrying = "Retrying"
)

// The texts below are whole lines, or the part of a line that never varies.
const (
	// Placeholder is shown after MarkComposer while the draft is empty.
	Placeholder = "Type a prompt"
	// HintIdle is the footer's first part while no turn runs; two blanks lead.
	HintIdle = "? for help"
	// HintInterrupt is the footer's first part while a turn works, drafts or
	// not, and ends the busy line; two blanks lead in the footer.
	HintInterrupt = "esc to interrupt"
	// HintLeave is the footer after the first Ctrl-C on an empty composer.
	HintLeave = "ctrl-c again to exit"
	// HintDialog is the last line of every dialog; the composer is hidden.
	HintDialog = "enter to confirm · esc to cancel"
	// TitleApproval, TitleQuestion and TitlePlan are the first lines of the
	// dialogs, right below the rule.
	TitleApproval = "Allow this command?"
	TitleQuestion = "Which way should it go?"
	TitlePlan     = "Carry out this plan?"
	// TroubleError begins an error banner, after MarkTrouble.
	TroubleError = "error: "
	// TroubleLimit and TroubleQuota begin a limit banner, after MarkTrouble;
	// the local time as HH:MM follows.
	TroubleLimit = "rate limit reached, resets at "
	TroubleQuota = "quota used up, resets at "
	// OutcomeDone begins the outcome of a finished turn; its time follows.
	OutcomeDone = "done in "
	// OutcomeInterrupted is the outcome of a turn ended by Esc.
	OutcomeInterrupted = "interrupted"
	// OutcomeDeclined is the outcome of a turn ended by a No.
	OutcomeDeclined = "declined"
	// FoldedLines and FoldedChars replace, in the composer and the transcript,
	// a long paste; %d counts what it holds.
	FoldedLines = "[Pasted %d lines]"
	FoldedChars = "[Pasted %d chars]"
)

// A terminal title set by the program is its name, TitleSeparator and one of
// the states.
const (
	TitleSeparator = " · "
	TitleIdle      = "idle"
	TitleWorking   = "working"
	TitleWaiting   = "waiting"
	TitleStarting  = "starting"
)

// Version is the version that the banner shows, so that rules can be for some versions.
const Version = "1.0.0"
