package fleettest

// Screens of the scripted agent.
var (
	Rule        = "──────────────────────────────"
	ReadyScreen = []string{"Scripted 1.0", Rule, "› Type a prompt", Rule, "? for help"}
	BlankScreen = []string{"", "", ""}
)
