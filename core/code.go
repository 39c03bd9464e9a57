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
	SessionRequired   Code = "SESSION_REQUIRED"
	StoryRequired     Code = "STORY_REQUIRED"
	ConfigNotFound    Code = "CONFIG_NOT_FOUND"
	ConfigInvalid     Code = "CONFIG_INVALID"
	CredentialMissing Code = "CREDENTIAL_MISSING"
	AuthFailed        Code = "AUTH_FAILED"
	PermissionDenied  Code = "PERMISSION_DENIED"
	RateLimited       Code = "RATE_LIMITED"
	BudgetExceeded    Code = "BUDGET_EXCEEDED"
	NetworkError      Code = "NETWORK_ERROR"
	StoreLocked       Code = "STORE_LOCKED"
	ChangeLocked      Code = "CHANGE_LOCKED"
	StoreError        Code = "STORE_ERROR"
	MigrationFailed   Code = "MIGRATION_FAILED"
	IOError           Code = "IO_ERROR"
	DecodeFailed      Code = "DECODE_FAILED"
	ToolNotFound      Code = "TOOL_NOT_FOUND"
	EngineUnavailable Code = "ENGINE_UNAVAILABLE"
	EngineBusy        Code = "ENGINE_BUSY"
	NotImplemented    Code = "NOT_IMPLEMENTED"
	ModelNotFound     Code = "MODEL_NOT_FOUND"
	BackendFailed     Code = "BACKEND_FAILED"
	SessionNotFound   Code = "SESSION_NOT_FOUND"
	PaneNotFound      Code = "PANE_NOT_FOUND"
	AgentNotFound     Code = "AGENT_NOT_FOUND"
	ProjectNotFound   Code = "PROJECT_NOT_FOUND"
	RemoteNotFound    Code = "REMOTE_NOT_FOUND"
	ThreadNotFound    Code = "THREAD_NOT_FOUND"
	NotFound          Code = "NOT_FOUND"
	TaskNotFound      Code = "TASK_NOT_FOUND"
	StoryNotFound     Code = "STORY_NOT_FOUND"
	ChangeNotFound    Code = "CHANGE_NOT_FOUND"
	Ambiguous         Code = "AMBIGUOUS"
	AlreadyExists     Code = "ALREADY_EXISTS"
	Conflict          Code = "CONFLICT"
	DepthLimit        Code = "DEPTH_LIMIT"
	ScopeError        Code = "SCOPE_ERROR"
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
	// HTTP is the status of an answer over HTTP.
	HTTP int `json:"http"`
}

var codeRows = []CodeRow{
	{InternalError, "Unexpected internal error", 1, 1, 500},
	{InvalidFlag, "Invalid flag combination, or a flag that this verb does not take", 1, 2, 400},
	{InvalidInput, "Invalid parameter value", 1, 2, 400},
	{MissingRequired, "Required parameter missing", 1, 2, 400},
	{UnknownFlag, "No verb takes this flag", 1, 2, 400},
	{UnknownCommand, "No such verb", 1, 2, 404},
	{TooManyValues, "More values than the verb takes", 1, 2, 400},
	{TooFewValues, "Fewer values than the verb takes", 1, 2, 400},
	{MissingCommand, "A verb is missing", 1, 2, 400},
	{SessionRequired, "No agent session is given", 1, 2, 400},
	{StoryRequired, "No story is given", 1, 2, 400},
	{ConfigNotFound, "A configuration file does not exist", 1, 20, 404},
	{ConfigInvalid, "The configuration cannot be read", 1, 3, 500},
	{CredentialMissing, "A credential is not set", 1, 4, 502},
	{AuthFailed, "A credential was refused", 1, 5, 403},
	{PermissionDenied, "Authorization required", 1, 5, 403},
	{RateLimited, "A provider's limit is reached", 1, 7, 429},
	{BudgetExceeded, "A spending ceiling is reached", 1, 7, 402},
	{NetworkError, "The network failed", 1, 8, 502},
	{StoreLocked, "Another process holds the store", 1, 9, 503},
	{ChangeLocked, "Another process or session holds the change", 1, 9, 503},
	{StoreError, "The store failed", 1, 10, 500},
	{MigrationFailed, "The store could not be brought up to date", 1, 11, 500},
	{IOError, "A file or stream could not be read or written", 1, 12, 500},
	{DecodeFailed, "Foreign data could not be understood", 1, 13, 500},
	{ToolNotFound, "External tool not installed", 2, 14, 503},
	{EngineUnavailable, "No usable terminal server program, or its server cannot be reached", 2, 14, 503},
	{
		EngineBusy, "The terminal server does not answer, is being replaced, or is at a limit; its sessions live",
		1, 14, 503,
	},
	{NotImplemented, "Feature not yet available", 2, 14, 501},
	{ModelNotFound, "A backend has no such model", 1, 15, 404},
	{BackendFailed, "A backend failed", 1, 16, 502},
	{SessionNotFound, "Session does not exist", 1, 17, 404},
	{PaneNotFound, "Pane does not exist", 1, 17, 404},
	{AgentNotFound, "Agent or agent kind does not exist", 1, 17, 404},
	{ProjectNotFound, "Project does not exist", 1, 17, 404},
	{RemoteNotFound, "The repository has no such remote", 1, 6, 404},
	{ThreadNotFound, "Conversation does not exist", 1, 17, 404},
	{NotFound, "What was named does not exist", 1, 17, 404},
	{TaskNotFound, "Task does not exist", 1, 17, 404},
	{StoryNotFound, "Story does not exist", 1, 17, 404},
	{ChangeNotFound, "OpenSpec change does not exist", 1, 17, 404},
	{Ambiguous, "The name fits more than one thing", 1, 18, 409},
	{AlreadyExists, "The name is taken", 1, 18, 409},
	{Conflict, "The change contradicts the present state", 1, 18, 409},
	{DepthLimit, "A relay inside a relay is refused", 1, 22, 409},
	{ScopeError, "The task belongs to another story", 1, 18, 409},
	{HealthFailed, "A health check failed", 1, 19, 409},
	{DeliveryFailed, "A prompt was not delivered to every pane", 1, 21, 409},
	{NotReady, "An agent is not ready for this", 1, 21, 409},
	{CheckpointFailed, "A checkpoint could not be made or restored", 1, 23, 500},
	{AttachFailed, "The terminal could not be attached", 1, 23, 500},
	{Timeout, "Operation timed out", 1, 124, 504},
	{Cancelled, "Interrupted by a signal", 130, 130, 503},
}

// synonyms are the names that other programs have for codes. A failure in the envelope "data" has them beside its code.
var synonyms = map[Code][]string{
	InvalidInput:      {"VALIDATION_ERROR"},
	MissingRequired:   {"VALIDATION_ERROR"},
	TooManyValues:     {"VALIDATION_ERROR"},
	TooFewValues:      {"VALIDATION_ERROR"},
	AuthFailed:        {"UNAUTHORIZED"},
	CredentialMissing: {"UNAUTHORIZED"},
	EngineUnavailable: {"RESOURCE_UNAVAILABLE"},
	EngineBusy:        {"RESOURCE_UNAVAILABLE"},
	ToolNotFound:      {"DEPENDENCY_MISSING", "RESOURCE_UNAVAILABLE"},
}

// Synonyms returns the names that other programs have for the code; nil where there is none.
func (c Code) Synonyms() []string { return synonyms[c] }

// Codes returns every code's row, in a fixed order. The caller must not change
// the slice.
func Codes() []CodeRow { return codeRows }

// Row returns the row of a code. For a code that is not in the list, it returns the row of
// InternalError and false.
func (c Code) Row() (row CodeRow, ok bool) {
	for _, row := range codeRows {
		if row.Code == c {
			return row, true
		}
	}
	return codeRows[0], false
}
