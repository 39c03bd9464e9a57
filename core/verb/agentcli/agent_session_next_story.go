package agentcli

import (
	"context"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentSessionNextStoryIn struct{ ofSession }

type agentSessionNextStoryOut struct {
	SessionID string `json:"session_id"`
	// Complete is true if all stories are; then there is no next one.
	Complete   bool   `json:"complete"`
	StoryID    string `json:"story_id,omitempty"`
	StoryTitle string `json:"story_title,omitempty"`
}

var agentSessionNextStory = registry.Define(registry.Spec[*verb.Local, agentSessionNextStoryIn,
	agentSessionNextStoryOut]{
	Name: "agent-session-next-story", Group: verb.GroupInside,
	Short:   "Begin the next story",
	Aliases: []string{"agent session next-story"}, ForPrograms: true,
	Long:  forMachines + howFound + "A story without tasks is complete.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{""},
	Errors:   append(append([]core.Code{core.Conflict}, codes...), writeCodes...),
	Run: func(ctx context.Context, env *verb.Local, in agentSessionNextStoryIn) (agentSessionNextStoryOut, error) {
		s, change, err := in.find(env)
		if err == nil {
			err = s.Free()
		}
		if err != nil {
			return agentSessionNextStoryOut{}, err
		}
		out := agentSessionNextStoryOut{SessionID: s.ID, Complete: true}
		if started := change.Next(); started != nil {
			out.Complete, out.StoryID, out.StoryTitle = false, started.ID, started.Title
		}
		return out, directoryOf(env).SetStory(ctx, s.ID, out.StoryID)
	},
}).SeeAlso("agent-context", "agent-session-flush")

// Next says how to work on it, or what ends the session.
func (o agentSessionNextStoryOut) Next() []registry.Action {
	if o.Complete {
		return next("flush", "Write what was learned, and end the session", "agent-session-flush", o.SessionID)
	}
	return next("context", "See what the story is about", "agent-context", o.SessionID)
}
