package agentcli

import (
	"context"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type agentSessionFlushIn struct{ ofSession }

type agentSessionFlushOut struct {
	SessionID        string `json:"session_id"`
	ChangeName       string `json:"change_name"`
	LearningsWritten int    `json:"learnings_written"`
	// DesignFile has the learnings; absent if there were none.
	DesignFile string `json:"design_file,omitempty"`

	// tasks is the plain file of tasks; empty for an OpenSpec change.
	tasks string
}

var agentSessionFlush = registry.Define(registry.Spec[*verb.Local, agentSessionFlushIn, agentSessionFlushOut]{
	Name: "agent-session-flush", Group: verb.GroupInside,
	Short:   "End the session, with what was learned",
	Aliases: []string{"agent session flush"}, ForPrograms: true,
	Long: forMachines + howFound + "The learnings go to the section Learnings of design.md beside the tasks. If they " +
		"cannot be written, the session stays as it is.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{""},
	Errors:   append(append([]core.Code{core.Conflict}, codes...), writeCodes...),
	Run: func(ctx context.Context, env *verb.Local, in agentSessionFlushIn) (agentSessionFlushOut, error) {
		s, err := directoryOf(env).Find(in.place(env))
		if err == nil {
			err = s.Free()
		}
		if err != nil {
			return agentSessionFlushOut{}, err
		}
		out := agentSessionFlushOut{SessionID: s.ID, ChangeName: s.Change}
		if s.ChangeDir == "" {
			out.tasks = s.Path
		}
		if out.LearningsWritten, err = directoryOf(env).Flush(ctx, s.ID); out.LearningsWritten > 0 {
			out.DesignFile = s.DesignFile()
		}
		return out, err
	},
})

// Next says how to work on the change again.
func (o agentSessionFlushOut) Next() []registry.Action {
	words := []string{"agent-session-init", "--change=" + o.ChangeName}
	if o.tasks != "" {
		words = append(words, "--tasks="+o.tasks)
	}
	return verb.NextOnly("init", "Begin another session on the change", words...)
}
