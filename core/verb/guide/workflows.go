package guide

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
