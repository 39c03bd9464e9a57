package guide

import "encoding/json"

// Call is a command of daily use, with an answer to it and a way in which it
// fails. Both are shortened: columns that are not needed to understand them, the
// timestamp and _meta are left out.
type Call struct {
	Command string          `json:"command" names:"command-line"`
	Purpose string          `json:"purpose"`
	Answer  json.RawMessage `json:"answer"`
	Failure json.RawMessage `json:"failure"`
}

// daily are the calls of a session from its start to its end, in order.
var daily = []Call{
	{
		"cupola spawn api --spawn-cc=2 --wait-ready",
		"Start a session with two agents, and wait until they show their prompts",
		raw(`{"success":true,"session":"api","panes":[{"session":"api","ordinal":1,"agent":"cc_1","kind":"claude","state":"idle","ready":true}]}`),
		raw(`{"success":false,"error_code":"ALREADY_EXISTS","suggestions":["api-2"],"actions":["cupola spawn api-2 --spawn-cc=2 --wait-ready"]}`),
	},
	{
		"cupola send api.1 'Read README.md and summarise it' --wait",
		"Deliver a prompt, and wait until the agent has finished",
		raw(`{"success":true,"deliveries":[{"session":"api","ordinal":1,"outcome":"delivered"}],"wait":{"reached_count":1}}`),
		raw(`{"success":false,"error_code":"DELIVERY_FAILED","actions":["cupola answer api.2 --dry-run"],` +
			`"details":{"deliveries":[{"session":"api","ordinal":2,"outcome":"refused","why":"dialog"}]}}`),
	},
	{
		"cupola reply api.1", "Read its last message",
		raw(`{"success":true,"replies":[{"session":"api","ordinal":1,"text":"It says ...","source":"transcript","complete":true}]}`),
		raw(`{"success":false,"error_code":"PANE_NOT_FOUND","hint":"It has: 0 (user), 1 cc_1 (claude)."}`),
	},
	{
		"cupola wait api --timeout=10m", "Wait until all agents of the session are idle, or one needs you",
		raw(`{"success":true,"panes":[{"session":"api","ordinal":1,"state":"idle","reached":true}],"reached_count":2,"pending_count":0}`),
		raw(`{"success":false,"error_code":"NOT_READY","actions":["cupola answer api.2 --dry-run"],` +
			`"details":{"needs":[{"session":"api","ordinal":2,"state":"waiting","reason":"approval","asks":"make deploy"}]}}`),
	},
	{
		"cupola attention", "List the agents that need you, and what each asks",
		raw(`{"success":true,"needs":[{"session":"api","ordinal":2,"type":"waiting_approval","reason":"approval","asks":"make deploy",` +
			`"command":"cupola answer api.2 --dry-run"}]}`),
		raw(`{"success":false,"error_code":"SESSION_NOT_FOUND","suggestions":["api"]}`),
	},
	{
		"cupola answer api.2 --approve --expect=approval --showing='make deploy'",
		"Say yes to exactly that, or no with --deny; --dry-run shows the options",
		raw(`{"success":true,"answers":[{"session":"api","ordinal":2,"chosen":"Yes","resolved":true,"before":"waiting","state":"idle"}]}`),
		raw(`{"success":false,"error_code":"NOT_READY","actions":["cupola tail api.2"]}`),
	},
	{
		"cupola status", "List all sessions, panes and agents with their states",
		raw(`{"success":true,"panes":[{"session":"api","ordinal":1,"agent":"cc_1","kind":"claude","state":"working","reason":"tool"}],` +
			`"summary":{"agent_count":2,"working":1,"waiting":0}}`),
		raw(`{"success":false,"error_code":"INVALID_INPUT","suggestions":["agent"]}`),
	},
	{
		"cupola interrupt api.1", "Stop its turn, with the agent's own keys",
		raw(`{"success":true,"panes":[{"session":"api","ordinal":1,"before":"working","state":"idle","changed":true}]}`),
		raw(`{"success":false,"error_code":"MISSING_REQUIRED","details":{"missing":["SESSION"]}}`),
	},
	{
		"cupola kill api --yes", "End the session, with every process in it",
		raw(`{"success":true,"session":"api","panes":[{"session":"api","ordinal":1,"agent":"cc_1"}]}`),
		raw(`{"success":false,"error_code":"MISSING_REQUIRED","details":{"missing":["--yes"]},"actions":["cupola kill api --dry-run"]}`),
	},
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// stateVerbs are the verbs that report states, those of daily use first.
var stateVerbs = []Topic{
	{"attention", "which agents need you now, what each asks, and the command that shows it"},
	{"status", "every agent's state; --fields=minimal is the smallest list, --since=rev:N what changed"},
	{"wait", "sleep until agents are idle, or in other states (--for); never poll status"},
	{"tail, reply", "what an agent shows; what it said last"},
	{"watch", "every change as a stream; --states follows the agents of one session"},
	{"health", "a verdict with an exit status; --show=findings says why, and what repairs it"},
	{"inspect-pane", "one pane: process, title, screen; --signals says why it is in its state"},
	{"alerts", "what was raised, and when it was resolved"},
	{"summary", "what each agent did since a time or revision; --changes lists the changes"},
}

// dailyLoop is the workflow of the daily calls.
func dailyLoop() Workflow {
	flow := Workflow{Name: "Daily loop"}
	for _, call := range daily {
		flow.Steps = append(flow.Steps, Step{call.Command, call.Purpose})
	}
	return flow
}

var workflows = []Workflow{
	{"Supervise", []Step{
		{"cupola attention", "Which agents need you, and what each asks"},
		{"cupola status --fields=minimal,agent,reason", "What every agent is doing"},
		{"cupola wait api --for=waiting,idle,error --any --timeout=10m", "Sleep until one of them needs you"},
		{"cupola tail api.1 --strip-ui", "What an agent shows"},
		{
			"cupola watch --timeout=60s",
			"Follow every change as it happens; states are on record only while a watch or the dashboard runs",
		},
		{"cupola summary --since=1h", "What happened while you were away, and whether some of it was not recorded"},
	}},
	{"Answer a dialog", []Step{
		{"cupola attention", "Each waiting agent with what it asks"},
		{"cupola answer api.2 --dry-run", "The dialog, and a command for each of its options: decide"},
		{
			"cupola answer api.2 --approve --expect=approval --showing='make deploy'",
			"Say yes; refused if another dialog is open by now",
		},
		{"cupola answer api.2 --deny --expect=approval --showing='make deploy'", "Or say no"},
		{"cupola wait api.2 --timeout=10m", "Wait until the agent has finished"},
	}},
	{"Recover", []Step{
		{"cupola diagnose api", "What is wrong, why, and how to fix it"},
		{"cupola interrupt api.1", "Stop what an agent is doing"},
		{"cupola inspect-pane api.1", "Everything about its pane"},
		{"cupola smart-restart api.1 --yes", "Restart the agent if it has nothing to lose"},
		{"cupola kill api.1 --yes", "Or end it"},
		{"cupola add api --spawn-cc=1", "And start another"},
	}},
	{"First setup", []Step{
		{"cupola version", "Is it installed"},
		{"cupola setup", "The steps to take"},
		{"cupola setup --yes", "Take them"},
		{"cupola doctor --problems", "What is wrong, and how to fix it"},
		{"cupola capabilities", "All verbs"},
		{"cupola status", "All sessions, panes and agents"},
	}},
	{"Search", []Step{
		{"cupola history --session=api --since=24h", "The prompts sent to a session"},
		{"cupola tokens --since=today --group-by=agent", "Today's tokens and cost of each agent"},
		{"cupola cass-search --query='auth error' --since=7d --limit=10", "Past agent sessions, if cass is installed"},
		{"cupola reply api.1", "An agent's last complete message"},
		{"cupola capabilities --jq '.commands | keys'", "The names of all verbs"},
		{"cupola schema status", "The shape of an answer"},
	}},
	{"Pre-flight", []Step{
		{"cupola dcg-check --command='rm -rf build'", "Would a command be blocked, if dcg is installed"},
		{"cupola spawn api --spawn-cc=2 --dry-run", "What would be started"},
		{"cupola send api 'text' --dry-run", "To which panes a prompt would go"},
		{"cupola kill api --dry-run", "What would be ended"},
	}},
}
