package deliver

import (
	"path"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/resolve"
	"cupola/core/text/near"
)

// addressees returns the panes that a prompt goes to.
func (s *Sender) addressees(snapshot *core.Snapshot, request *Request) ([]*core.Pane, error) {
	if request.Filter == "" {
		return s.opts.Resolver.Resolve(snapshot, request.Target.ForPrompts())
	}
	shown := *snapshot
	if shown.Sessions = slices.Clone(snapshot.Sessions); s.opts.Resolver.HidesForeign() {
		shown.Sessions = slices.DeleteFunc(shown.Sessions, resolve.Hidden)
	}
	names := core.Map(shown.Sessions, func(s core.Session) string { return s.Name })
	matches := func(name string) bool {
		is, _ := path.Match(request.Filter, name)
		bare, _ := path.Match(request.Filter, core.BareName(name))
		return is || bare
	}
	if !slices.ContainsFunc(names, matches) {
		return nil, noMatchError(request.Filter, names)
	}
	target := request.Target.ForPrompts()
	target.Session = ""
	panes, err := s.opts.Resolver.Named(&shown, target)
	if err != nil {
		return nil, err
	}
	panes = slices.DeleteFunc(panes, func(pane *core.Pane) bool { return !matches(pane.Session) })
	if len(panes) == 0 {
		return nil, core.Errorf(core.AgentNotFound, "no session that matches %q holds such a pane", request.Filter)
	}
	return panes, nil
}

// withoutShells returns the request for the panes to wait for: without the user panes and commands that only
// All includes.
func (r *Request) withoutShells() *Request {
	agents := *r
	agents.Target.All = false
	return &agents
}

// noMatchError reports a pattern that matches no session's name.
func noMatchError(filter string, names []string) error {
	err := core.Errorf(core.SessionNotFound, "no session matches %q", filter)
	if len(names) == 0 {
		err.Message = "there is no session"
		err.Remedies = []core.Remedy{core.RemedyStartSession}
		return err
	}
	err.Suggestions, err.Slip.Word = near.Words(strings.Trim(filter, "*?"), names), filter
	const most = 10
	shown := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		shown += ", ..."
	}
	err.Hint = "The sessions are: " + shown + "."
	return err
}
