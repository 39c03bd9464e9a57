package fleet

import (
	"slices"
	"strings"

	"cupola/core"
)

// waitTarget says which panes are waited for.
type waitTarget struct {
	fleet  *lookout
	target Target
}

// panes returns those that are waited for, at least one.
func (t waitTarget) panes(snapshot *core.Snapshot) ([]*core.Pane, error) {
	panes, err := t.fleet.named(snapshot, t.target)
	if err == nil && len(panes) == 0 {
		err = core.Errorf(core.AgentNotFound, "no session holds an agent")
		if len(t.target.Kinds) > 0 {
			err = core.Errorf(core.AgentNotFound, "no session holds an agent of kind %s", strings.Join(t.target.Kinds, " or "))
		}
	}
	return panes, nobodyToAwait(t.target, err)
}

// nobodyToAwait says of the error of a target that names no agent that there is
// nobody to wait for; other errors stay as they are.
func nobodyToAwait(target Target, err error) error {
	if e := core.AsError(err); e.HasCode(core.AgentNotFound) && !slices.Contains(target.Kinds, e.Slip.Word) {
		e.Message, e.Slip.Add = "there is nobody to wait for: "+e.Message, ""
		if len(e.Suggestions) > 0 {
			// When a command rests cannot be known, only that it has ended.
			e.Slip.Add = "--for=" + string(core.Exited)
		}
		return e
	}
	return err
}

// beside are the panes that are not waited for because they run a command of the user's
// own and nothing names them.
func (t waitTarget) beside(snapshot *core.Snapshot, panes []*core.Pane) []SeenPane {
	t.target.Prompted = false
	all, err := t.fleet.named(snapshot, t.target)
	if err != nil {
		return nil
	}
	var beside []SeenPane
	for _, pane := range all {
		if !slices.Contains(panes, pane) {
			beside = append(beside, seenPane(pane))
		}
	}
	return beside
}
