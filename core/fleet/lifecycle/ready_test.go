package lifecycle

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/process"
)

func TestAnAgentIsNotReadyWhileItSaysThatItStarts(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	codex, _ := kinds.Find("codex")
	for footer, ready := range map[string]bool{"  ? for shortcuts": false, "  gpt-6 high · ~/work": true} {
		screen := core.Screen{Lines: []string{
			"  >_ OpenAI Codex (v0.169.0)", "", "", "› Ask Codex to do anything", "",
			footer,
		}, Visible: 6}
		screen.View = core.Viewport{Width: 80, Height: 6, Cursor: core.Cursor{X: 2, Y: 3, Visible: true}}
		n := startingAgent{Launched: &Launched{}, kind: codex, until: time.Now().Add(time.Hour)}
		n.judge(time.Now(), process.Local{}, core.Process{}, true, &screen)
		if n.Ready != ready || n.done != ready {
			t.Errorf("%q: %+v", footer, n.Launched)
		}
	}
}
