package effect

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/tui/intent"
)

// question reads the dialog of an agent without answering it.
func (e *Effects) question(w intent.Question) tea.Cmd {
	return func() tea.Msg {
		if to := e.elsewhere.at(w.Target); to != nil {
			return to.question(e.ctx, w)
		}
		read, err := e.fleet.sender.Answer(e.ctx,
			deliver.AnswerRequest{Target: resolve.Target{Session: word(w.Target)}, Act: core.ActDeny, DryRun: true})
		if len(read) == 0 {
			return Questioned{Intent: w, Err: err}
		}
		return Questioned{Intent: w, Reason: read[0].Before.Reason, Asked: read[0].Asked, Options: read[0].Options}
	}
}

// answer answers an agent that waits.
func (e *Effects) answer(w intent.Answer) Done {
	request := deliver.AnswerRequest{
		Target: resolve.Target{Session: word(w.Target)}, Expect: w.Expect,
		Showing: w.Showing, Text: w.Text, N: w.N, Origin: "dashboard",
	}
	switch {
	case w.Approve:
		request.Act = core.ActApprove
	case w.Deny:
		request.Act = core.ActDeny
	case w.Text != "":
		request.Act = core.ActSay
	default:
		request.Act = core.ActChoose
	}
	answers, err := e.fleet.sender.Answer(e.ctx, request)
	if err != nil || len(answers) == 0 {
		return Done{Err: err}
	}
	done := Done{Said: w.Target.Address + " " + told(&answers[0], request.Act), Open: !answers[0].Resolved}
	if done.Open {
		done.Said += "; it asks something else now"
	}
	return done
}

// told says how an agent was answered. Words to one that wants a yes deny it.
func told(a *deliver.Answered, act core.Act) string {
	asksForYes := a.Before.Reason == core.ReasonApproval || a.Before.Reason == core.ReasonPlan
	said := "was answered"
	if act == core.ActDeny || act == core.ActSay && asksForYes {
		said = "was denied"
	}
	switch {
	case a.Delivery != nil && a.Delivery.Outcome.Failed():
		return said + "; your words did not reach it: " + a.Delivery.Saw()
	case act == core.ActSay:
		return said + " with your words"
	case a.Chosen != "":
		return said + ": " + a.Chosen
	}
	return said
}

func (e *Effects) dismiss(w intent.Dismiss) (string, error) {
	_, err := e.fleet.overview.DismissAlerts(e.ctx, alert.Selection{ID: w.ID})
	return "dismissed", err
}
