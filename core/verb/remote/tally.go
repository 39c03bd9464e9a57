package remote

import (
	"context"
	"encoding/json"

	"cupola/core"
	"cupola/core/host"
)

// Tally counts the panes and agents on a host.
type Tally struct {
	// Sessions and Agents count what is there, Needs the agents that need the user.
	Sessions, Agents, Needs int
}

// TallyOf asks the Cupola of a link what runs there.
func TallyOf(ctx context.Context, link *host.Link) (Tally, error) {
	var answer struct {
		Summary struct {
			Sessions int `json:"session_count"`
			Agents   int `json:"agent_count"`
		}
		Panes []struct {
			Kind   core.Kind
			State  core.State
			Reason core.Reason
			Notes  []core.Note
		}
	}
	err := link.Call(ctx, host.Request{Verb: "status", As: link.Host.Name}, func(response host.Response) error {
		if response.Failure != nil {
			return response.Failure.AsError()
		}
		return json.Unmarshal(response.Line, &answer)
	})
	tally := Tally{Sessions: answer.Summary.Sessions, Agents: answer.Summary.Agents}
	for _, row := range answer.Panes {
		pane := core.Pane{
			Agent:  core.Agent{Kind: row.Kind},
			Status: core.Status{State: row.State, Reason: row.Reason, Notes: row.Notes},
		}
		if pane.IsAgent() && pane.NeedsUser() {
			tally.Needs++
		}
	}
	return tally, err
}
