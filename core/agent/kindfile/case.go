package kindfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
)

// Case is a recorded screen with the state that the program was in.
type Case struct {
	State  core.State  `json:"state"`
	Reason core.Reason `json:"reason,omitempty"`
	// Command is the program that was in the foreground.
	Command   string      `json:"command,omitempty"`
	Title     string      `json:"title,omitempty"`
	Width     int         `json:"width"`
	Height    int         `json:"height"`
	Cursor    core.Cursor `json:"cursor"`
	Alternate bool        `json:"alternate_on,omitempty"`
	// Lines are the visible rows, with their escapes.
	Lines []string `json:"lines"`
}

// Of returns the case of a captured screen that shows a state; it keeps the visible rows only.
func Of(screen *core.Screen, state core.State, reason core.Reason) Case {
	return Case{
		State: state, Reason: reason, Title: screen.Title, Width: screen.View.Width, Height: screen.View.Height,
		Cursor: screen.View.Cursor, Alternate: screen.View.AlternateOn,
		Lines: screen.Lines[max(0, len(screen.Lines)-screen.Visible):],
	}
}

// Screen returns the screen as it was captured.
func (c *Case) Screen() *core.Screen {
	return &core.Screen{
		Lines: c.Lines, Visible: len(c.Lines), Title: c.Title,
		View: core.Viewport{Width: c.Width, Height: c.Height, Cursor: c.Cursor, AlternateOn: c.Alternate},
	}
}

// Shows reports whether both screens show the same rows.
func (c *Case) Shows(other *Case) bool {
	return slices.Equal(agent.Rows(c.Screen()), agent.Rows(other.Screen()))
}

// Label returns the state with its reason: "waiting-approval".
func (c *Case) Label() string {
	if c.Reason == "" {
		return string(c.State)
	}
	return string(c.State) + "-" + string(c.Reason)
}

// ParseCase parses a case that Encode wrote. A case without lines is an error.
func ParseCase(text []byte) (Case, error) {
	c := Case{}
	if err := json.Unmarshal(text, &c); err != nil {
		return Case{}, err
	}
	if len(c.Lines) == 0 {
		return Case{}, fmt.Errorf("the capture has no lines")
	}
	return c, nil
}

// Encode returns the case as JSON.
func (c *Case) Encode() ([]byte, error) { return json.MarshalIndent(c, "", "  ") }

// Got is the reading of a case by a kind.
type Got struct {
	State  core.State
	Reason core.Reason
	// Right is true for the state that was recorded, with its reason if one was.
	Right bool
}

// Label returns the state with its reason: "waiting/approval".
func (g Got) Label() string {
	if g.Reason == "" {
		return string(g.State)
	}
	return string(g.State) + "/" + string(g.Reason)
}

// ReadCase returns how a kind reads the screen of a case.
func ReadCase(kind *agent.Kind, c *Case) Got {
	v := Judge(kind, c.Screen(), c.Command)
	return Got{v.State, v.Reason, v.State == c.State && (c.Reason == "" || v.Reason == c.Reason)}
}

// Judge returns the verdict on a screen alone; command is the program in the foreground, empty if unknown.
func Judge(kind *agent.Kind, screen *core.Screen, command string) detect.Verdict {
	return detect.Judge(detect.Facts{
		Now: time.Unix(0, 0), Kind: kind, Process: core.Process{Command: command}, Title: screen.Title, Screen: screen,
	})
}
