package guide

const description = "Runs several coding agents in terminal sessions, says what each is doing, delivers prompts to them, and reads them."

var start = []string{
	"Every verb is a subcommand (cupola tail api) and a flag (cupola --robot-tail=api); both answer the same.",
	"Where stdout is not a terminal, each call writes exactly one JSON document: read success first, then the verb's own fields.",
	"A failure has error_code, hint and, where there are any, suggestions and actions: commands that run as they stand.",
	"A session is named; its panes are SESSION.N. A verb that takes a session takes a pane's address too, and then means that pane alone.",
	"cupola capabilities lists the verbs; cupola schema VERB gives the exact shape of an answer.",
}

var activation = []Topic{
	{"--robot, --robot-VERB, --json, -J, --robot-format", "robot mode, whatever stdout is"},
	{"--human", "text for people, whatever stdout is"},
	{"CUPOLA_ROBOT", "1 is robot mode, 0 or false is not; flags win"},
	{"stdout is not a terminal", "robot mode, unless one of the above says otherwise"},
}

var envelope = []Topic{
	{"success", "true or false"},
	{"timestamp", "when the answer was made, RFC 3339 UTC"},
	{"error, error_code, hint", "on failure: what went wrong, its code, what to do"},
	{"suggestions, actions, details", "on failure, where there are any: words probably meant, runnable commands, everything else that is known"},
	{"_meta", "elapsed_ms, version, schema_version, command, revision"},
	{"_agent_hints", "summary, suggested_action, next_offset, pages_remaining, safer_alternative, warnings; only where there is something to say"},
	{"next_actions", "rows of action, description and a command that runs as it stands"},
	{"--envelope=data", `{"ok":true,"data":{},"meta":{},"next_actions":[]} and {"ok":false,"error":{},"meta":{}} instead`},
	{"--errors=stderr", "failures go to standard error instead of standard output"},
	{"streams", `one JSON object a line, each with "type"; the last is of type "end"`},
}

var formatting = []Topic{
	{"--robot-format=json", "compact JSON, the default; --pretty indents it"},
	{"--robot-format=toon", "the same with a table for each list: often half the bytes, but more for what is nested deeply, such as schemas"},
	{"--robot-format=markdown", "tables for a chat or a pull request; --robot-markdown beside another verb"},
	{"--robot-format=terse", "one line of words without blanks; --robot-terse beside another verb"},
	{"--robot-format=ndjson", `the verb's list, an object a line, and an end line with the rest; streams always are`},
	{"--fields=a,b.c", "columns of the verb's list, with dots into objects; sessions.name is a column of another list; lists of which nothing is chosen stay whole"},
	{"--fields=minimal", "few columns of every list; standard has more, full has all; columns may follow, as in minimal,reason"},
	{"--jq=EXPR", "a jq expression over the whole answer, a line a result: strings as they are, anything else as JSON; it needs no jq. Of streams, over each line"},
	{"--go-template=T", "the text that a Go template makes of the answer; json and join are functions of it"},
	{"--envelope=data", "everything under data; see the answer"},
	{"--human", "text for people, also where standard output is no terminal; --fields makes a table of the columns"},
	{"failures", "are never filtered: with --jq and --go-template, too, they are one JSON document"},
}

var files = []Topic{
	{"cupola/config.toml", "settings, in the folder for configuration; .cupola.toml in a project adds to them"},
	{"cupola/bridges/TOOL.toml", "changes how a tool of others is called and read, or adds one; in the folder for configuration"},
	{"cupola/cupola.db", "records of prompts, events and alerts, in the folder for data"},
	{"cupola/cupola.log", "what must not get lost, in the folder for state"},
}

var words = []Topic{
	{"session", "a named group of panes, usually one project"},
	{"pane", "one terminal in a session; it holds an agent or is a user pane (a shell)"},
	{"agent", "a program that Cupola knows: it has a kind (claude or cc, codex or cod, gemini or gmi, opencode or oc, ...), a name (cc_1), a state and a pane"},
	{"address", "SESSION.N (N is the pane's stable ordinal), %ID, or SESSION:WINDOW.PANE"},
	{"state", "unknown, starting, idle, working, waiting, limited, error or exited; reason says why"},
	{"outcome", "of a prompt at a pane: delivered, queued, steered, typed, planned, refused or unconfirmed; the last two make the answer DELIVERY_FAILED"},
	{"revision", "the number of a picture; events and answers carry it"},
}

var workflows = []Workflow{
	{"First setup", []string{"cupola version", "cupola setup", "cupola setup --yes", "cupola doctor", "cupola capabilities", "cupola status"}},
	{"Search", []string{
		"cupola history --session=api --since=24h", "cupola cass-search --query='auth error' --since=7d --limit=10", "cupola reply api.1", "cupola capabilities --jq '.commands | keys'", "cupola schema status",
	}},
	{"Daily loop", []string{
		"cupola spawn api --spawn-cc=2 --wait-ready", "cupola send api 'Read README.md and summarise it'", "cupola status",
		"cupola tail api --lines=20", "cupola kill api --yes",
	}},
	{"Supervise", []string{
		"cupola attention", "cupola status --fields=minimal", "cupola wait api --for=waiting,idle,error --any --timeout=10m", "cupola tail api.1 --strip-ui",
		"cupola watch --since=rev:0 --timeout=60s",
	}},
	{"Answer a dialog", []string{"cupola tail api.1", "cupola keys api.1 Enter", "cupola tail api.1"}},
	{"Recover", []string{
		"cupola diagnose api", "cupola interrupt api.1", "cupola inspect-pane api.1", "cupola smart-restart api.1 --yes", "cupola kill api.1 --yes",
		"cupola add api --spawn-cc=1",
	}},
	{"Pre-flight", []string{"cupola dcg-check --command='rm -rf build'", "cupola spawn api --spawn-cc=2 --dry-run", "cupola send api 'text' --dry-run", "cupola kill api --dry-run"}},
}

var parseCodes = []Topic{
	{"INVALID_VALUE", "INVALID_INPUT: a value that its flag or argument does not take; stands in details.parse_code"},
	{"PARSE_ERROR", "INVALID_INPUT: an argument that cannot be read; stands in details.parse_code"},
	{"ARGUMENT_CONFLICT", "INVALID_FLAG: flags that cannot all be obeyed; stands in details.parse_code"},
	{"HELP_REQUESTED", "no error: --help and --version answer with exit status 0"},
	{"VALIDATION_ERROR", "INVALID_INPUT"},
	{"UNAUTHORIZED", "AUTH_FAILED"},
	{"RESOURCE_UNAVAILABLE", "ENGINE_UNAVAILABLE"},
	{"DEPENDENCY_MISSING", "TOOL_NOT_FOUND, in details.reason"},
}

var exitCodes = []Topic{
	{"0", "success"},
	{"1", "error"},
	{"2", "unavailable: a tool or the terminal server program is missing, or the verb is planned"},
	{"130", "interrupted by a signal"},
	{"--exit-codes=detailed", "each error code's own number, in error_codes"},
}

var environment = []Topic{
	{"CUPOLA_ROBOT", "robot mode on (1) or off (0, false)"},
	{"CUPOLA_ROBOT_FORMAT", "default of --robot-format"},
	{"CUPOLA_ENVELOPE", "default of --envelope"},
	{"CUPOLA_ERRORS", "default of --errors"},
	{"CUPOLA_EXIT_CODES", "default of --exit-codes"},
	{"CUPOLA_ENGINE_SOCKET", "path of the terminal server's socket, for a private server"},
	{"CUPOLA_ENGINE_TRANSPORT", "auto, socket or exec"},
	{"TMUX_TMPDIR, TMUX", "honoured as tmux does"},
	{"NO_COLOR, CLICOLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM=dumb", "colour; --color wins, then NO_COLOR, then the forcing ones"},
	{"CUPOLA_ALERTS_STALLED and so on", "settings; 'cupola config-get KEY' names the variable of each"},
	{"CUPOLA_ASCII", "1 draws with ASCII alone, 0 does not; else the terminal decides"},
	{"VISUAL, EDITOR", "what config-edit opens"},
	{"XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR", "where configuration, records, logs and sockets are"},
}
