package setup

import (
	"fmt"
	"strings"

	"cupola/core/system/shell"
)

// mostNamed is how many processes the row of leftovers names.
const mostNamed = 5

// leftovers has a row for each session whose agents are gone and left processes behind.
func (e *examination) leftovers() []checkRow {
	f, err := e.env.Fleet()
	if err != nil {
		return nil // the engine's row says why
	}
	left, err := f.Launcher.Jobs.Leftovers(e.ctx, "")
	if err != nil {
		return nil // as above
	}
	named := map[string][]string{}
	var sessions []string
	for i := range left {
		if named[left[i].Session] == nil {
			sessions = append(sessions, left[i].Session)
		}
		named[left[i].Session] = append(named[left[i].Session],
			fmt.Sprintf("%d (%s of %s)", left[i].PID, left[i].Name, left[i].Agent))
	}
	var rows []checkRow
	for _, session := range sessions {
		all := named[session]
		shown := strings.Join(all[:min(len(all), mostNamed)], ", ")
		if more := len(all) - mostNamed; more > 0 {
			shown += fmt.Sprintf(" and %d more", more)
		}
		rows = append(rows, checkRow{
			Name: "leftovers of " + session, State: checkWarn, Detail: "their panes are gone and they keep " +
				"running: " + shown,
			Fix: shell.Line("cupola", "kill", session, "--leftovers"),
		})
	}
	return rows
}
