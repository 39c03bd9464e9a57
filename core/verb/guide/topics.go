package guide

const description = "Runs several coding agents in terminal sessions, shows what each is doing, delivers prompts to " +
	"them, and reads their replies."

// What a program must know of every answer.
const (
	oneDocument = "When stdout is not a terminal, each call writes exactly one JSON document: read success first, " +
		"then the verb's own fields. markdown and terse write text."
	failing = "A failure has error_code and hint, and often actions: commands that are ready to run, such as yours " +
		"with its mistake corrected."
)

var start = []string{
	"Every verb is a subcommand (cupola tail api) and a flag (cupola --robot-tail=api); both give the same answer.",
	oneDocument,
	failing,
	"A session has a name, and its panes are SESSION.N. A verb about panes also takes a pane's address for SESSION, " +
		"and then means only that pane; --session and verbs about whole sessions take a name. An empty name or list " +
		"is INVALID_INPUT; it never means everything.",
	"cupola capabilities lists all verbs (one without an effect reads), cupola capabilities VERB explains one, " +
		"cupola schema VERB describes its answer.",
	"No session is needed to ask another agent: cupola relay PROMPT --to=codex answers with its text, and cupola " +
		"crew run --agents=reviewer:claude,critic:codex --prompt=TASK lets several work together.",
	"Without an agent at hand, try cupola spawn api --agents=scripted=2, or cupola demo; cupola scripted --help says " +
		"what such agents do.",
}

var activation = []Topic{
	{"--robot, --robot-VERB, --json, -J, --robot-format", "robot mode, even if stdout is a terminal"},
	{"--human", "text for people, even if stdout is not a terminal"},
	{"CUPOLA_ROBOT", "1 turns robot mode on, 0 or false off; flags come first"},
	{"stdout is not a terminal", "robot mode, unless one of the above decides otherwise"},
}

var envelope = []Topic{
	{"success", "true or false"},
	{"timestamp", "time of the answer; all times are RFC 3339 UTC in whole seconds, and durations have their unit " +
		"in the name"},
	{"error, error_code, hint", "on failure: what went wrong, its code, what to do"},
	{"suggestions, actions, details", "on failure, if any: what you probably meant, commands to run, further facts"},
	{"_meta", "elapsed_ms, version, schema_version, command, revision"},
	{"_agent_hints", "summary, suggested_action, next_offset, pages_remaining, safer_alternative, warnings"},
	{"next_actions", "what to do next: rows of action, description and command, ready to run"},
	{"absent fields", "what is not known or does not apply is absent, never empty, null or -1; lists are there even " +
		"when empty"},
	{"a pane", "session, ordinal, pane, agent, kind, variant (the model), state, reason, since and notes, in all rows"},
	{"--envelope=data", `{"ok":true,"data":{},"meta":{},"next_actions":[]} and {"ok":false,"error":{},"meta":{}} instead`},
	{"streams", `one JSON object a line, each with "type"; the last is of type "end"`},
}

var formatting = []Topic{
	{"--robot-format=json", "compact JSON, the default; --pretty indents it"},
	{"--robot-format=toon", "the same as tables, often half the size of JSON; deeply nested answers such as schemas " +
		"get larger; in a table, null is a missing value, and a list of words is one cell"},
	{"--robot-format=markdown", "tables for a chat or a pull request; or --robot-markdown with another verb"},
	{"--robot-format=terse", "one line of key=value pairs, with the first ten rows of a list, or the commands that " +
		"help after a failure; or --robot-terse with another verb"},
	{"--robot-format=ndjson", `one line per row of the answer's list, and a last line with the rest; streams are always like this`},
	{"--fields=a,b.c", "only these columns of the answer's list; b.c is a field of an object, and LIST.COLUMN a " +
		"column of another list, which otherwise shows only a few"},
	{"--fields=minimal", "a few columns of every list; standard has more, full has all; columns can be added, as in " +
		"minimal,reason"},
	{"--jq=EXPR", "apply a jq expression to the answer (of a stream, to each line) and print one result per line, " +
		"strings without quotes; jq need not be installed"},
	{"--go-template=T", "print the answer with a Go template; it has the functions json and join"},
	{"--envelope=data", "the other frame of answers"},
	{"--human", "text for people, even if stdout is not a terminal; with --fields, a table of these columns"},
	{"failures", "are never filtered: even with --jq and --go-template they are one JSON document"},
}

var files = []Topic{
	{"cupola/config.toml", "settings, in the configuration folder; a project's .cupola.toml adds to them"},
	{"cupola/agents/KIND.toml", "changes an agent kind or adds one; in the configuration folder"},
	{
		"cupola/bridges/TOOL.toml",
		"changes how an external tool is called and read, or adds one; in the configuration folder",
	},
	{"cupola/presets/NAME.toml", "a session for spawn --spawn-preset=NAME, in the configuration folder"},
	{"cupola/palette.toml", "saved prompts, in the configuration folder; a project's .cupola/palette.toml adds to " +
		"them"},
	{"cupola/cupola.db", "records of prompts, events and alerts, in the data folder"},
	{"cupola/checkpoints", "records of sessions, a folder each, in the data folder"},
	{"cupola/pipelines", "runs of pipelines, a folder each, in the state folder"},
	{"cupola/cupola.log", "log file, in the state folder"},
	{"cupola config paths", "shows the path of each"},
}

var words = []Topic{
	{"session", "a named group of panes, usually one project"},
	{"pane", "one terminal in a session; it holds an agent or is a user pane (a shell)"},
	{"agent", "a program Cupola knows, with a kind (claude or cc, codex or cod, gemini or gmi, opencode or oc, " +
		"...), a name (cc_1), a state and a pane"},
	{"address", "SESSION.N (N is the pane's lasting number), %ID, or SESSION:WINDOW.PANE; =NAME is the session of " +
		"that name"},
	{"state", "unknown, starting, idle, working, waiting, limited, error or exited; reason says why"},
	{"outcome", "what became of a prompt at a pane: delivered, queued, steered, typed, planned, refused or " +
		"unconfirmed; the last two make the answer DELIVERY_FAILED"},
	{"duration", "90s, 5m, 1h30m, 7d, 2w; a bare number is seconds"},
	{"revision", "number of the last change that is known, for --since=rev:N; 0 where none is, or nothing was read"},
}

var pipelineIntro = []string{
	"A pipeline is a TOML file of steps; 'cupola pipeline-run FILE' runs them, one at a time.",
	"All of it is checked before the first step, and with --dry-run: all faults are reported together, with " +
		"its line.",
	"A run that was cut off, failed or was cancelled continues with 'cupola pipeline-run --resume=NAME'.",
}

var pipelineKeys = []Topic{
	{"name, description", "of the pipeline; the name of the file where there is none"},
	{"[vars]", "defaults of variables; --vars NAME=VALUE goes before them"},
	{"[[step]]", "one call of a verb, with the keys below"},
	{"name, verb", "the step's own name, and what it calls"},
	{"args", "the verb's flags and arguments by name, without dashes; a session that is not named is the session of " +
		"--session"},
	{"needs", "names of steps that run before; those whose answers it uses are added"},
	{"when", "success (the default), failure, or always: of what it needs, or of any step before where it needs none"},
	{"retries, pause, timeout", "how often it is tried again, how long after, and how long each try may take"},
	{"on_error", "stop (the default) or continue"},
	{"repeatable", "true where it does no harm to run it again after it was cut off"},
	{"${session}, ${vars.NAME}", "in texts of args: the session, a variable; $${ is a plain ${"},
	{"${steps.NAME.FIELD}", "a field of an earlier step's answer, with dots into it; every step also has state, " +
		"error and error_code"},
}

var parseCodes = []Topic{
	{"INVALID_VALUE", "INVALID_INPUT for a value that a flag or argument does not take; given in details.parse_code"},
	{"PARSE_ERROR", "INVALID_INPUT for an argument that cannot be parsed; given in details.parse_code"},
	{"ARGUMENT_CONFLICT", "INVALID_FLAG for flags that contradict each other; given in details.parse_code"},
	{"HELP_REQUESTED", "not an error: --help and --version answer with exit status 0"},
}

var exitCodes = []Topic{
	{"0", "success"},
	{"1", "error"},
	{"2", "unavailable: tmux or another tool is missing"},
	{"130", "interrupted by a signal"},
	{"--exit-codes=detailed", "each error code has its own number; see cupola docs errors"},
}

var environment = []Topic{
	{"CUPOLA_ROBOT", "robot mode on (1) or off (0, false)"},
	{"CUPOLA_ROBOT_FORMAT", "default of --robot-format"},
	{"CUPOLA_ENVELOPE", "default of --envelope"},
	{"CUPOLA_ERRORS", "default of --errors"},
	{"CUPOLA_EXIT_CODES", "default of --exit-codes"},
	{"CUPOLA_ENGINE_SOCKET", "path of the tmux socket, for a private server"},
	{"CUPOLA_ENGINE_TRANSPORT", "auto, socket or exec"},
	{"TMUX_TMPDIR, TMUX", "honoured as tmux does"},
	{
		"NO_COLOR, CLICOLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM=dumb",
		"colour: --color comes first, then NO_COLOR, then CLICOLOR_FORCE and FORCE_COLOR",
	},
	{"CUPOLA_ALERTS_STALLED and so on", "settings; 'cupola config-get KEY' names the variable of each"},
	{"CUPOLA_ASCII", "1 draws with ASCII only, 0 does not; otherwise the terminal decides"},
	{
		"CUPOLA_SESSION, CUPOLA_PANE_NAME",
		"set in every pane that Cupola starts: its session, and its agent's name, or user",
	},
	{
		"CUPOLA_WORKTREE, CUPOLA_REPOSITORY, CUPOLA_PORT_BASE",
		"set in panes with a worktree of their own: its top, the main working tree, and the first of its ten ports",
	},
	{
		"CUPOLA_JOB",
		"set in every pane and relay: what inherits it ends with it; start a process that is to outlive it without it",
	},
	{"VISUAL, EDITOR", "what config-edit opens"},
	{
		"XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR",
		"folders for configuration, records, logs and sockets",
	},
	{
		"GIT_CEILING_DIRECTORIES",
		"folders into which the search for a project goes up no more, as git's does",
	},
}
