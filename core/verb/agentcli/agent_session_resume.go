package agentcli

import (
	"context"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentSessionResumeIn struct {
	Session string `names:"agent-session" empty:"that of this folder" help:"Id of the agent's session (default: the one that was left in this folder)"`
	Change  string `empty:"any" help:"Name of the change whose newest session is resumed"`
	owned
}

var agentSessionResume = registry.Define(registry.Spec[*verb.Local, agentSessionResumeIn, agentSessionOut]{
	Name: "agent-session-resume", Of: "agent-session-init --reopen", Group: verb.GroupInside,
	Short:   "Take over a session without an owner",
	Aliases: []string{"agent session resume"}, ForPrograms: true,
	Long: forMachines + "After a crash of the process that owned a session, its story and what was learned are still " +
		"on record. If the owner runs, this fails.",
	Scope: registry.Global, Effect: registry.Writes, List: "stories",
	Examples: []string{"--change=add-login"},
	Errors:   append(append([]core.Code{}, codes...), writeCodes...),
	Run:      runAgentSessionResume,
}).SeeAlso("agent-session-next-story", "agent-session-flush")

func runAgentSessionResume(ctx context.Context, env *verb.Local, in agentSessionResumeIn) (agentSessionOut, error) {
	owner, err := in.owner()
	if err != nil {
		return agentSessionOut{}, err
	}
	place := ofSession{Session: in.Session}.place(env)
	s, err := bookOf(env).Ended(place, story.Given(in.Change))
	if err != nil {
		return agentSessionOut{}, err
	}
	change, err := s.Read()
	if err != nil {
		return agentSessionOut{}, err
	}
	if s, err = bookOf(env).Resume(ctx, s.ID, owner, place.Pane); err != nil {
		return agentSessionOut{}, err
	}
	return sessionOut(s, change), nil
}

// Check sees that the session is named in one way.
func (in agentSessionResumeIn) Check() error {
	if story.Given(in.Session) != "" && story.Given(in.Change) != "" {
		return registry.Conflict("--session", "--change")
	}
	return nil
}
