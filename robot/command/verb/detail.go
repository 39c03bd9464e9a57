package verb

import (
	"cupola/core"
)

// PaneDetail is what --verbose adds to a pane.
type PaneDetail struct {
	_       struct{}    `minimal:"pane,command" standard:"pane,pid,command,dir,title,launch"`
	Pane    core.PaneID `json:"pane"`
	PID     int         `json:"pid,omitempty"`
	Command string      `json:"command,omitempty"`
	Dir     string      `json:"dir,omitempty"`
	Title   string      `json:"title"`
	Window  string      `json:"window,omitempty"`
	Width   int         `json:"width"`
	Height  int         `json:"height"`
	// AlternateOn is true for full-screen programs.
	AlternateOn bool `json:"alternate_on"`
	// Launch is the command line that Cupola started.
	Launch string `json:"launch,omitempty"`
	// Evidence says what decided the state.
	Evidence []string `json:"evidence"`
}

// DetailOf is what a pane shows only on demand.
func DetailOf(pane *core.Pane) PaneDetail {
	return PaneDetail{
		Pane: pane.ID, PID: pane.Process.PID, Command: pane.Process.Command, Dir: pane.Process.Dir,
		Title: pane.Title, Window: pane.Window.Name, Width: pane.View.Width, Height: pane.View.Height,
		AlternateOn: pane.View.AlternateOn, Launch: pane.Agent.Launch,
		Evidence: pane.Status.Evidence,
	}
}
