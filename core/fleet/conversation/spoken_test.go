package conversation

import (
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/agent/transcript"
)

// TestByProtocolTheAgentSaysWhatItUsesAndWhetherItsTurnIsOver goes over all kinds by protocol.
func TestByProtocolTheAgentSaysWhatItUsesAndWhetherItsTurnIsOver(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, screen := range kinds.All() {
		kind, err := kinds.Twin(screen, agent.ByProtocol)
		if err != nil {
			continue
		}
		c := Conversation{Pane: &core.Pane{Agent: core.Agent{Kind: kind.ID}}, Kind: kind, Err: transcript.ErrNone}
		said := func(s spoken) *Conversation { c.spoken = &s; return &c }
		use := said(spoken{Usage: &acp.Usage{Window: 50_001, Size: 200_000}}).ContextUsed(kind)
		if use.Source != FromProtocol || use.Percent != 26 || use.Tokens != 50_001 || use.Estimated() {
			t.Errorf("%s: %+v", kind.ID, use)
		}
		for _, unknown := range []*acp.Usage{nil, {Input: 5}, {Window: 5}, {Size: 5}} {
			if use := said(spoken{Usage: unknown}).ContextUsed(kind); use.Source != "" || use.Percent != -1 {
				t.Errorf("%s: of %+v it makes %+v", kind.ID, unknown, use)
			}
		}
		for _, one := range []struct {
			spoken
			over bool
		}{
			{spoken{State: core.Idle, Complete: true}, true},
			{spoken{State: core.Errored, Complete: true}, true},
			{spoken{State: core.Idle, Complete: true, Queued: 1}, false},
			{spoken{State: core.Working}, false},
			{spoken{State: core.Waiting}, false},
			{spoken{State: core.Working, Complete: true}, false},
			{spoken{State: core.Idle}, false},
		} {
			if over, sure := said(one.spoken).Finished(core.TakenPrompt{Text: "x"}); over != one.over || !sure {
				t.Errorf("%s: after %+v it is over: %t, %t", kind.ID, one.spoken, over, sure)
			}
		}
	}
}
