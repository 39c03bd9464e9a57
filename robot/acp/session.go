package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/agent/acp/rpc"
)

// routed is the mode in which each prompt goes to an agent that is free.
const routed = "route"

// crewMode begins the mode in which prompts go to a crew; its id follows.
const crewMode = "crew:"

// session is a view of the fleet in an editor.
type session struct {
	id  string
	dir string

	mu sync.Mutex
	// to is the mode: routed, an address, or a crew.
	to string
	// running ends the running prompt; nil if none runs.
	running context.CancelFunc
	// waiting are prompts behind the running one.
	waiting []*request
	// addressed are the agents that the running prompt went to.
	addressed []string
}

// choice is a mode as editors list it.
type choice struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Help string `json:"description,omitempty"`
}

// modes lists whom a prompt can go to. The mode that is chosen is always among them.
func (s *Server) modes(ctx context.Context, chosen string) []choice {
	all := []choice{{routed, "Route", "Each prompt goes to an agent of this folder that is free"}}
	snapshot, _ := s.fleet.now()
	for i := range snapshot.Sessions {
		one := &snapshot.Sessions[i]
		agents := s.fleet.agents(one.Name)
		if len(agents) > 1 {
			name, count := "All of "+rpc.Line(one.Name, mostWord), fmt.Sprintf("%d agents", len(agents))
			all = append(all, choice{one.Name, name, count})
		}
		for _, pane := range agents {
			name := pane.Address() + " " + rpc.Line(pane.Agent.Name, mostWord)
			all = append(all, choice{pane.Address(), name, string(pane.Agent.Kind)})
		}
	}
	for _, crew := range s.verbs.crews(ctx) {
		all = append(all, choice{crewMode + crew.ID, "Crew " + crew.ID, rpc.Line(crew.Prompt, mostWord)})
	}
	if !slices.ContainsFunc(all, func(c choice) bool { return c.ID == chosen }) {
		all = append(all, choice{chosen, chosen, "It is not there now"})
	}
	return all
}

// described is the state of a session for an editor, in both forms in which editors read it.
func (s *Server) described(ctx context.Context, one *session) map[string]any {
	one.mu.Lock()
	to := one.to
	one.mu.Unlock()
	modes := s.modes(ctx, to)
	return map[string]any{
		"modes":         map[string]any{"currentModeId": to, "availableModes": modes},
		"configOptions": options(to, modes),
	}
}

// optionID is the id of the option that is the mode.
const optionID = "to"

func options(to string, modes []choice) []any {
	type value struct {
		Value string `json:"value"`
		Name  string `json:"name"`
		Help  string `json:"description,omitempty"`
	}
	values := core.Map(modes, func(mode choice) value { return value{mode.ID, mode.Name, mode.Help} })
	return []any{map[string]any{
		"id": optionID, "name": "To", "category": "mode", "type": "select", "currentValue": to, "options": values,
	}}
}

// open makes a session. An empty id makes a new one.
func (s *Server) open(ctx context.Context, m *rpc.Message, id, dir, to string) (any, *rpc.Error) {
	if !filepath.IsAbs(dir) {
		return nil, badParams("cwd is no absolute path")
	}
	s.mu.Lock()
	if len(s.sessions) >= mostSessions && s.sessions[id] == nil {
		s.mu.Unlock()
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: "too many sessions are open; close one"}
	}
	if id == "" {
		s.count++
		id = "fleet-" + strconv.Itoa(s.count)
	}
	one := &session{id: id, dir: dir, to: to}
	s.sessions[id], s.last = one, one
	s.mu.Unlock()
	s.work.Go(func() {
		s.fleet.first(ctx)
		state := s.described(ctx, one)
		state["sessionId"] = id
		s.editor.conn.Reply(m.ID, state, nil)
		s.editor.update(id, "available_commands_update", map[string]any{"availableCommands": s.verbs.commands()})
	})
	return nil, nil
}

// sessionParams are the parameters of the methods of a session.
type sessionParams struct {
	Session string            `json:"sessionId"`
	Dir     string            `json:"cwd"`
	Mode    string            `json:"modeId"`
	Option  string            `json:"configId"`
	Value   string            `json:"value"`
	Prompt  []json.RawMessage `json:"prompt"`
}

func paramsOf(m *rpc.Message) *sessionParams {
	p := &sessionParams{}
	rpc.Decode(m.Params, p)
	return p
}

func (s *Server) newSession(ctx context.Context, m *rpc.Message) (any, *rpc.Error) {
	return s.open(ctx, m, "", paramsOf(m).Dir, cmp.Or(s.opts.To, routed))
}

// resumeSession takes up a session. What was said is with the agents: an address is a session that can be taken up
// whenever there are agents there.
func (s *Server) resumeSession(ctx context.Context, m *rpc.Message) (any, *rpc.Error) {
	p := paramsOf(m)
	if known := s.session(p.Session); known != nil {
		return s.open(ctx, m, p.Session, p.Dir, known.addressee())
	}
	if len(s.fleet.agents(p.Session)) == 0 {
		return nil, badParams("no session " + strconv.Quote(rpc.Line(p.Session, mostWord)) +
			": those of the fleet are in session/list")
	}
	return s.open(ctx, m, p.Session, p.Dir, p.Session)
}

func (s *session) addressee() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to
}

// listSessions lists the agents and the sessions of the fleet. All can be resumed.
func (s *Server) listSessions(ctx context.Context, m *rpc.Message) (any, *rpc.Error) {
	p := paramsOf(m)
	s.work.Go(func() {
		s.fleet.first(ctx)
		snapshot, _ := s.fleet.now()
		listed := []any{}
		for i := range snapshot.Sessions {
			one := &snapshot.Sessions[i]
			agents := s.fleet.agents(one.Name)
			if len(agents) == 0 || p.Dir != "" && filepath.Clean(p.Dir) != filepath.Clean(one.Dir) {
				continue
			}
			listed = append(listed, map[string]any{
				"sessionId": one.Name, "cwd": one.Dir, "title": "All of " + rpc.Line(one.Name, mostWord),
			})
			for _, pane := range agents {
				listed = append(listed, map[string]any{
					"sessionId": pane.Address(), "cwd": cmp.Or(pane.Process.Dir, one.Dir),
					"title": who(pane) + ": " + string(pane.Status.Shown()),
				})
			}
		}
		s.editor.conn.Reply(m.ID, map[string]any{"sessions": listed}, nil)
	})
	return nil, nil
}

// who names an agent for people.
func who(pane *core.Pane) string {
	return fmt.Sprintf("%s %s (%s)", pane.Address(), rpc.Line(pane.Agent.Name, mostWord), pane.Agent.Kind)
}

func (s *Server) closeSession(_ context.Context, m *rpc.Message) (any, *rpc.Error) {
	one, failed := s.named(m)
	if failed != nil {
		return nil, failed
	}
	one.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, one.id)
	if s.last == one {
		s.last = nil
	}
	return struct{}{}, nil
}

// session returns a session that is open; nil if there is none.
func (s *Server) session(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

// named returns the session that a message names.
func (s *Server) named(m *rpc.Message) (*session, *rpc.Error) {
	id := paramsOf(m).Session
	if one := s.session(id); one != nil {
		return one, nil
	}
	return nil, badParams("no session " + strconv.Quote(rpc.Line(id, mostWord)) + " is open")
}

func (s *Server) setMode(ctx context.Context, m *rpc.Message) (any, *rpc.Error) {
	return s.address(ctx, m, paramsOf(m).Mode)
}

func (s *Server) setOption(ctx context.Context, m *rpc.Message) (any, *rpc.Error) {
	p := paramsOf(m)
	if p.Option != optionID {
		return nil, badParams("no option " + strconv.Quote(rpc.Line(p.Option, mostWord)) + ": there is " + optionID)
	}
	return s.address(ctx, m, p.Value)
}

// address changes who gets the prompts of a session.
func (s *Server) address(ctx context.Context, m *rpc.Message, to string) (any, *rpc.Error) {
	one, failed := s.named(m)
	if failed != nil {
		return nil, failed
	}
	known := to == routed || len(s.fleet.agents(to)) > 0
	if id, crew := strings.CutPrefix(to, crewMode); crew {
		known = slices.ContainsFunc(s.verbs.crews(ctx), func(c crewRow) bool { return c.ID == id })
	}
	if !known {
		return nil, badParams("no agent is at " + strconv.Quote(rpc.Line(to, mostWord)))
	}
	one.mu.Lock()
	one.to = to
	one.mu.Unlock()
	state := options(to, s.modes(ctx, to))
	s.editor.update(one.id, "current_mode_update", map[string]any{"currentModeId": to})
	return map[string]any{"configOptions": state}, nil
}
