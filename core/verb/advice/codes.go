package advice

import "cupola/core"

// Actions of several codes.
var (
	listSessions = []string{"cupola status"}
	listVerbs    = []string{"cupola capabilities"}
	listTools    = []string{"cupola tools"}
	findProblems = []string{"cupola doctor --problems"}
)

// codes say what to do about each code.
var codes = map[core.Code]struct {
	hint    string
	actions []string
}{
	core.InternalError: {
		"Try again; if it happens again, report it with the output of 'cupola version'.",
		[]string{"cupola version", "cupola doctor --problems"},
	},
	core.InvalidFlag:     {"See which flags the verb takes with 'cupola capabilities'.", listVerbs},
	core.InvalidInput:    {"Correct the value and run the command again.", listVerbs},
	core.MissingRequired: {"Add what is missing and run the command again.", listVerbs},
	core.UnknownFlag:     {"See which flags exist with 'cupola capabilities'.", listVerbs},
	core.UnknownCommand:  {"See which verbs exist with 'cupola capabilities'.", listVerbs},
	core.TooManyValues:   {"Remove the extra values; quote a value that holds blanks.", listVerbs},
	core.TooFewValues:    {"Add the missing values.", listVerbs},
	core.MissingCommand:  {"Name a verb; 'cupola capabilities' lists them.", listVerbs},
	core.SessionRequired: {
		"Give the id of the agent session, with --session or RALPH_SESSION.",
		[]string{"cupola capabilities agent-session-init"},
	},
	core.StoryRequired: {
		"Give the id of the story, with --story or RALPH_STORY.", []string{"cupola agent-session-next-story"},
	},
	core.ConfigInvalid: {
		"Correct the setting or the line that is named, with 'cupola config-edit'.",
		[]string{"cupola doctor --problems", "cupola config-paths", "cupola config-init --force --dry-run"},
	},
	core.ConfigNotFound: {"Check the path, or make the file.", []string{"cupola config-paths"}},
	core.CredentialMissing: {
		"Sign in with the program that is named: no credential of it was found.",
		[]string{"cupola account-status"},
	},
	core.AuthFailed:       {"Sign in again with the program that is named.", []string{"cupola account-status"}},
	core.PermissionDenied: {"Check who owns the file or socket named.", findProblems},
	core.RateLimited:      {"Wait until the limit resets, or use another agent.", []string{"cupola quota-check"}},
	core.BudgetExceeded:   {"Raise the ceiling or wait for the next period.", []string{"cupola budget"}},
	core.NetworkError:     {"Check the connection and try again.", findProblems},
	core.StoreLocked:      {"Try again in a moment.", findProblems},
	core.ChangeLocked:     {"Try again in a moment, or wait until the other session ends.", findProblems},
	core.StoreError: {
		"Check the disk and the permissions of the data folder.",
		[]string{"cupola doctor --problems", "cupola config-paths"},
	},
	core.MigrationFailed: {
		"Update Cupola to the version that wrote the store, or move the store's file away: a new one is made.",
		[]string{"cupola version", "cupola config-paths", "cupola doctor --problems"},
	},
	core.IOError:      {"Check the path and its permissions.", findProblems},
	core.DecodeFailed: {"Check the file named.", findProblems},
	core.ToolNotFound: {"Install the tool named and try again.", []string{"cupola tools", "cupola doctor --problems"}},
	core.EngineUnavailable: {
		"Install tmux 3.2 or later ('apt install tmux' or 'brew install tmux'), or use Cupola's own terminal server, " +
			"which needs nothing, with 'cupola config-set engine.kind own'.",
		findProblems,
	},
	core.EngineBusy:     {"Try again in a moment; the sessions live.", findProblems},
	core.NotImplemented: {"See what exists with 'cupola capabilities'.", listVerbs},
	core.ModelNotFound: {
		"Name another model with --model, or make this one available to the backend.", []string{"cupola backends"},
	},
	core.BackendFailed: {"Try again, or use another backend.", []string{"cupola backends", "cupola tools"}},
	core.SessionNotFound: {
		"Use 'cupola status' to list the sessions that exist.", []string{"cupola status", "cupola checkpoint-list"},
	},
	core.PaneNotFound:    {"Use 'cupola status' to list the panes that exist.", listSessions},
	core.AgentNotFound:   {"Use 'cupola status' to list the agents that exist.", listSessions},
	core.ProjectNotFound: {"Check the folder's path.", listSessions},
	core.RemoteNotFound: {
		"Add the remote with 'git remote add', or name the repository.", []string{"cupola changes"},
	},
	core.ThreadNotFound: {"Use 'cupola relay-labels' to list the conversations.", []string{"cupola relay-labels"}},
	core.NotFound:       {"Check the name.", listVerbs},
	core.TaskNotFound: {
		"Use the id of a task of the story, exactly as it is listed.", []string{"cupola agent-context"},
	},
	core.StoryNotFound:  {"Use the id of a story of the change, exactly as it is listed.", listVerbs},
	core.ChangeNotFound: {"Use the name of a folder in openspec/changes.", listVerbs},
	core.Ambiguous:      {"Use one of the full names.", listSessions},
	core.AlreadyExists:  {"Choose another name, or use what exists.", listSessions},
	core.Conflict:       {"Look at the present state and try again.", listSessions},
	core.DepthLimit:     {"Answer without asking another backend.", []string{"cupola capabilities relay"}},
	core.ScopeError:     {"Use the id of a task of the story that you work on.", []string{"cupola agent-context"}},
	core.HealthFailed: {
		"Follow the advice of each failed check.",
		[]string{"cupola doctor --problems", "cupola attention"},
	},
	core.DeliveryFailed: {
		"See 'details' for what happened at each pane.",
		[]string{"cupola attention", "cupola history --last=1"},
	},
	core.NotReady:         {"Look at the pane, then try again.", []string{"cupola attention"}},
	core.CheckpointFailed: {"See 'details'; nothing was changed.", []string{"cupola checkpoint-list"}},
	core.AttachFailed:     {"Run the printed command in a terminal.", listSessions},
	core.Timeout:          {"Allow more time with --timeout, or look at the pane.", listSessions},
	core.Cancelled:        {"Run the command again.", listSessions},
}
