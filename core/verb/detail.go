package verb

import (
	"cupola/core"
)

// PaneDetail holds the fields that --verbose adds to a pane.
type PaneDetail struct {
	_       struct{}    `minimal:"pane,command" standard:"pane,pid,command,dir,title,launch"`
	Pane    core.PaneID `json:"pane"`
	PID     int         `json:"pid,omitempty"`
	Command string      `json:"command,omitempty" names:"command-line"`
	Dir     string      `json:"dir,omitempty"`
	Title   string      `json:"title"`
	Window  string      `json:"window,omitempty"`
	Width   int         `json:"width"`
	Height  int         `json:"height"`
	// AlternateOn is true for full-screen programs.
	AlternateOn bool `json:"alternate_on"`
	// Launch is the command line that Cupola started.
	Launch string `json:"launch,omitempty"`
	// Recognised is the evidence for the agent's kind: tag, process, or signs if several agree. Signs are the signs,
	// the strongest first, and Confidence is their reliability, from 0 to 1.
	Recognised string            `json:"recognised,omitempty"`
	Signs      []core.SignSource `json:"signs,omitempty"`
	Confidence float64           `json:"confidence,omitempty"`
	// Evidence is the sign that decided the state.
	Evidence []string `json:"evidence"`
}

// DetailOf returns the details of a pane that are shown on demand only.
func DetailOf(pane *core.Pane) PaneDetail {
	return PaneDetail{
		Pane: pane.ID, PID: pane.Process.PID, Command: pane.Process.Command, Dir: pane.Process.Dir,
		Title: pane.Title, Window: pane.Window.Name, Width: pane.View.Width, Height: pane.View.Height,
		AlternateOn: pane.View.AlternateOn, Launch: pane.Agent.Launch,
		Recognised: pane.Agent.Recognised, Signs: pane.Agent.Signs, Confidence: pane.Agent.Confidence,
		Evidence: pane.Status.Evidence,
	}
}
