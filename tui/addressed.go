package tui

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/tui/screen/form"
)

// mostAddressed is how many addresses a form lists of one sort.
const mostAddressed = 12

// addressed describes for a form who gets a prompt among panes that were not chosen one by one, and who is left out
// and why.
func addressed(to string, who core.Addressees) form.Addressed {
	says := "To " + listed(who.Agents) + "."
	var why []string
	beside := map[string][]*core.Pane{}
	for _, pane := range who.Beside {
		if reason := pane.WhyBeside(); beside[reason] == nil {
			why = append(why, reason)
		}
		beside[pane.WhyBeside()] = append(beside[pane.WhyBeside()], pane)
	}
	for i, reason := range why {
		why[i] = listed(beside[reason]) + " (" + reason + ")"
	}
	if len(why) > 0 {
		says += "\nNot to " + strings.Join(why, ", ") + ": s on the pane itself types there."
	}
	return form.Addressed{To: to, Says: says}
}

// listed are the addresses of panes, not more than a form has room for.
func listed(panes []*core.Pane) string {
	if more := len(panes) - mostAddressed; more > 0 {
		return addresses(panes[:mostAddressed]) + fmt.Sprintf(" and %d more", more)
	}
	return addresses(panes)
}

// refuseWithoutTarget returns the reason why a session has no agent to prompt.
func refuseWithoutTarget(session *core.Session) string {
	if programs := session.Programs(); len(programs) > 0 {
		return fmt.Sprintf("%s has no agent; select %s to type to its command", session.Name, programs[0].Address())
	}
	return session.Name + " has no agent; a adds one"
}
