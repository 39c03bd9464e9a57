package core

// Code names a kind of failure. Codes are a closed list; their meanings and
// numbers never change.
type Code string

// The error codes. Row returns the other properties of each.
const (
	InternalError     Code = "INTERNAL_ERROR"
	InvalidFlag       Code = "INVALID_FLAG"
	InvalidInput      Code = "INVALID_INPUT"
	MissingRequired   Code = "MISSING_REQUIRED"
	UnknownFlag       Code = "UNKNOWN_FLAG"
	UnknownCommand    Code = "UNKNOWN_COMMAND"
	TooManyValues     Code = "TOO_MANY_VALUES"
	TooFewValues      Code = "TOO_FEW_VALUES"
	MissingCommand    Code = "MISSING_COMMAND"
	ConfigInvalid     Code = "CONFIG_INVALID"
	CredentialMissing Code = "CREDENTIAL_MISSING"
	AuthFailed        Code = "AUTH_FAILED"
	PermissionDenied  Code = "PERMISSION_DENIED"
	RateLimited       Code = "RATE_LIMITED"
	BudgetExceeded    Code = "BUDGET_EXCEEDED"
	NetworkError      Code = "NETWORK_ERROR"
	StoreLocked       Code = "STORE_LOCKED"
	StoreError        Code = "STORE_ERROR"
	MigrationFailed   Code = "MIGRATION_FAILED"
	IOError           Code = "IO_ERROR"
	DecodeFailed      Code = "DECODE_FAILED"
	ToolNotFound      Code = "TOOL_NOT_FOUND"
	EngineUnavailable Code = "ENGINE_UNAVAILABLE"
	NotImplemented    Code = "NOT_IMPLEMENTED"
	BackendFailed     Code = "BACKEND_FAILED"
	SessionNotFound   Code = "SESSION_NOT_FOUND"
	PaneNotFound      Code = "PANE_NOT_FOUND"
	AgentNotFound     Code = "AGENT_NOT_FOUND"
	ProjectNotFound   Code = "PROJECT_NOT_FOUND"
	NotFound          Code = "NOT_FOUND"
	Ambiguous         Code = "AMBIGUOUS"
	AlreadyExists     Code = "ALREADY_EXISTS"
	Conflict          Code = "CONFLICT"
	HealthFailed      Code = "HEALTH_FAILED"
	DeliveryFailed    Code = "DELIVERY_FAILED"
	NotReady          Code = "NOT_READY"
	CheckpointFailed  Code = "CHECKPOINT_FAILED"
	AttachFailed      Code = "ATTACH_FAILED"
	Timeout           Code = "TIMEOUT"
	Cancelled         Code = "CANCELLED"
)

// CodeRow describes a code.
type CodeRow struct {
	Code    Code   `json:"code"`
	Meaning string `json:"meaning"`
	// Exit is the process exit status; Detailed is the one under
	// --exit-codes=detailed.
	Exit     int `json:"exit"`
	Detailed int `json:"detailed"`
	// Hint is one sentence on what to do, for errors without a hint.
	Hint string `json:"hint"`
	// Actions are complete commands that help to recover.
	Actions []string `json:"actions"`
}

// Actions that several codes share.
var (
	statusAction  = []string{"cupola status"}
	capsAction    = []string{"cupola capabilities"}
	doctorAction  = []string{"cupola doctor --problems"}
	toolsAction   = []string{"cupola tools"}
	accountAction = []string{"cupola account-status"}
	storeAction   = []string{"cupola doctor --problems", "cupola config-paths"}
)

var codeRows = []CodeRow{
	{
		InternalError, "Unexpected internal error", 1, 1,
		"Try again; if it happens again, report it with the output of 'cupola version'.",
		[]string{"cupola version", "cupola doctor --problems"},
	},
	{
		InvalidFlag, "Invalid flag combination, or a flag that this verb does not take", 1, 2,
		"See which flags the verb takes with 'cupola capabilities'.", capsAction,
	},
	{InvalidInput, "Invalid parameter value", 1, 2, "Correct the value and run the command again.", capsAction},
	{MissingRequired, "Required parameter missing", 1, 2, "Add what is missing and run the command again.", capsAction},
	{UnknownFlag, "No verb takes this flag", 1, 2, "See which flags exist with 'cupola capabilities'.", capsAction},
	{UnknownCommand, "No such verb", 1, 2, "See which verbs exist with 'cupola capabilities'.", capsAction},
	{
		TooManyValues, "More values than the verb takes", 1, 2,
		"Remove the extra values; quote a value that holds blanks.", capsAction,
	},
	{TooFewValues, "Fewer values than the verb takes", 1, 2, "Add the missing values.", capsAction},
	{MissingCommand, "A verb is missing", 1, 2, "Name a verb; 'cupola capabilities' lists them.", capsAction},
	{
		ConfigInvalid, "The configuration cannot be read", 1, 3, "Correct the setting or the line that is named.",
		[]string{"cupola config-paths", "cupola config-show"},
	},
	{
		CredentialMissing, "A credential is not set", 1, 4,
		"Sign in with the program that is named: no credential of it was found.", accountAction,
	},
	{AuthFailed, "A credential was refused", 1, 5, "Sign in again with the program that is named.", accountAction},
	{PermissionDenied, "Authorization required", 1, 5, "Check who owns the file or socket named.", doctorAction},
	{
		RateLimited, "A provider's limit is reached", 1, 7, "Wait until the limit resets, or use another agent.",
		[]string{"cupola quota-check"},
	},
	{
		BudgetExceeded, "A spending ceiling is reached", 1, 7, "Raise the ceiling or wait for the next period.",
		[]string{"cupola budget"},
	},
	{NetworkError, "The network failed", 1, 8, "Check the connection and try again.", doctorAction},
	{
		StoreLocked, "Another process holds the store", 1, 9, "Try again in a moment.",
		[]string{"cupola doctor --problems"},
	},
	{StoreError, "The store failed", 1, 10, "Check the disk and the permissions of the data folder.", storeAction},
	{
		MigrationFailed, "The store could not be brought up to date", 1, 11,
		"Use the version of Cupola that wrote the store, or move the store's file away.",
		[]string{"cupola version", "cupola config-paths"},
	},
	{
		IOError, "A file or stream could not be read or written", 1, 12, "Check the path and its permissions.",
		doctorAction,
	},
	{DecodeFailed, "Foreign data could not be understood", 1, 13, "Check the file named.", doctorAction},
	{ToolNotFound, "External tool not installed", 2, 14, "Install the tool named and try again.", toolsAction},
	{
		EngineUnavailable, "No usable terminal server program, or its server does not answer", 2, 14,
		"Install tmux 3.2 or later: 'apt install tmux' or 'brew install tmux'.", doctorAction,
	},
	{NotImplemented, "Feature not yet available", 2, 14, "See what exists with 'cupola capabilities'.", capsAction},
	{BackendFailed, "A backend failed", 1, 16, "Try again, or use another backend.", toolsAction},
	{
		SessionNotFound, "Session does not exist", 1, 17, "Use 'cupola status' to list the sessions that exist.",
		statusAction,
	},
	{PaneNotFound, "Pane does not exist", 1, 17, "Use 'cupola status' to list the panes that exist.", statusAction},
	{
		AgentNotFound, "Agent or agent kind does not exist", 1, 17,
		"Use 'cupola status' to list the agents that exist.", statusAction,
	},
	{ProjectNotFound, "Project does not exist", 1, 17, "Check the folder's path.", statusAction},
	{NotFound, "What was named does not exist", 1, 17, "Check the name.", capsAction},
	{Ambiguous, "The name fits more than one thing", 1, 18, "Use one of the full names.", statusAction},
	{AlreadyExists, "The name is taken", 1, 18, "Choose another name, or use what exists.", statusAction},
	{
		Conflict, "The change contradicts the present state", 1, 18, "Look at the present state and try again.",
		statusAction,
	},
	{
		HealthFailed, "A health check failed", 1, 19, "Follow the advice of each failed check.",
		[]string{"cupola doctor --problems", "cupola attention"},
	},
	{
		DeliveryFailed, "A prompt was not delivered to every pane", 1, 21,
		"See 'details' for what happened at each pane.",
		[]string{"cupola attention", "cupola history --last=1"},
	},
	{
		NotReady, "An agent is not ready for this", 1, 21, "Look at the pane, then try again.",
		[]string{"cupola attention"},
	},
	{
		CheckpointFailed, "A checkpoint could not be made or restored", 1, 23, "See 'details'; nothing was changed.",
		[]string{"cupola checkpoint-list"},
	},
	{AttachFailed, "The terminal could not be attached", 1, 23, "Run the printed command in a terminal.", statusAction},
	{Timeout, "Operation timed out", 1, 124, "Allow more time with --timeout, or look at the pane.", statusAction},
	{Cancelled, "Interrupted by a signal", 130, 130, "Run the command again.", statusAction},
}

// Reserved are codes that planned verbs will answer with, each with its number
// under --exit-codes=detailed. No answer has one of them yet, and no other code
// will get their names.
func Reserved() map[string]int {
	return map[string]int{
		"REMOTE_NOT_FOUND": 6, "MODEL_NOT_FOUND": 15, "THREAD_NOT_FOUND": 17, "CONFIG_NOT_FOUND": 20, "DEPTH_LIMIT": 22,
	}
}

// Codes returns every code's row, in a fixed order. The caller must not change
// the slice.
func Codes() []CodeRow { return codeRows }

// Row returns what is known of a code. A code that is not in the list gets the
// row of InternalError; ok is then false.
func (c Code) Row() (row CodeRow, ok bool) {
	for _, row := range codeRows {
		if row.Code == c {
			return row, true
		}
	}
	return codeRows[0], false
}
