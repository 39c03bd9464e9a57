package conversation

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/terminal"
)

// interfaces are rows that no agent says.
var interfaces = regexp.MustCompile(`\? for shortcuts|esc to (interrupt|cancel)|ctrl\+p commands|^─{10,}|[▄▀]{10,}|▣ |Type your message|Worked for |✻ \S+ for \d|\[⎇ |Shift\+Tab to |Ask Codex to|\d+% (context left|until auto-compact)|[█┃]$`)

func TestRepliesFromRecordedScreensHoldNoInterface(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	root := filepath.Join(folder, "screens")
	index, err := os.Open(filepath.Join(root, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for lines := bufio.NewScanner(index); lines.Scan(); {
		var c struct{ File, Agent, State string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(c.State, "idle_after") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, c.File+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := kinds.Find(c.Agent)
		rows := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		screen := &core.Screen{Lines: rows, Visible: len(rows)}
		reading := kind.Read(screen)
		if _, found := reading.Composer(); !found {
			continue
		}
		tried[c.Agent]++
		r := &Conversation{
			Err: transcript.ErrNone, Kind: kind, Pane: &core.Pane{Status: core.Status{State: core.Idle}},
			screen: &terminal.Capture{Screen: screen, Reading: reading},
		}
		for _, prompts := range [][]core.TakenPrompt{nil, {{Text: "hello"}}} {
			got := r.reply(func(*core.Pane, time.Time) []core.TakenPrompt { return prompts })
			for row := range strings.SplitSeq(got.Text, "\n") {
				if interfaces.MatchString(row) {
					t.Errorf("%s: the reply holds %q", c.File, row)
				}
			}
			if got.Complete && got.Prompt == "" {
				t.Errorf("%s: complete, though where it begins is not known: %q", c.File, got.Text)
			}
		}
	}
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"} {
		if tried[name] == 0 {
			t.Errorf("no screen of %s was tried", name)
		}
	}
}
