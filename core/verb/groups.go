package verb

// The headings under which help lists the verbs.
const (
	GroupSee    = "Overview"
	GroupFleet  = "Sessions"
	GroupAgents = "Agents"
	GroupRuns   = "Runs"
	GroupRelay  = "Relays"
	GroupCrew   = "Crews"
	GroupStory  = "Stories"
	GroupInside = "For agents inside a story"
	GroupMoney  = "Usage and budgets"
	GroupWork   = "Work items"
	GroupKeep   = "Save and restore"
	GroupPipes  = "Pipelines"
	GroupServe  = "Servers"
	GroupHosts  = "Hosts"
	GroupSetup  = "Setup"
	GroupTools  = "External tools"
	GroupLearn  = "Help for programs"
)
