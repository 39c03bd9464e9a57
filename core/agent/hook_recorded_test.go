package agent

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/agent/payload"
)

// TestRecordedHooksMeanWhatTheyShould holds every recorded payload to a table of
// what each kind of event means; an event that the table lacks is an error.
func TestRecordedHooksMeanWhatTheyShould(t *testing.T) {
	root := os.Getenv("CUPOLA_TESTDATA")
	if root == "" {
		t.Skip("needs recorded payloads: set CUPOLA_TESTDATA")
	}
	for folder, want := range recordedEdges {
		t.Run(folder, func(t *testing.T) {
			id, _, _ := strings.Cut(folder, "-")
			kind := hookKind(t, id)
			file, err := os.Open(filepath.Join(root, "hooks", folder, "events.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			seen := map[string]bool{}
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 4<<20)
			for n := 1; lines.Scan(); n++ {
				name, payload := recorded(t, lines.Bytes())
				if payload == nil {
					continue
				}
				edge, err := kind.Edge(payload)
				if err != nil {
					t.Errorf("line %d: %v: %.200s", n, err, payload)
					continue
				}
				if got := said(edge); got != want[name] {
					t.Errorf("line %d: %s is %q, not %q: %.300s", n, name, got, want[name], payload)
				}
				if edge.Session == "" && !edge.Ignore {
					t.Errorf("line %d: %s names no session", n, name)
				}
				seen[name] = true
			}
			for name := range want {
				if !seen[name] {
					t.Errorf("%s was not recorded", name)
				}
			}
		})
	}
}

// recorded returns the payload of a recorded line, and its event with the field
// on which its meaning depends.
func recorded(t *testing.T, line []byte) (name string, report []byte) {
	t.Helper()
	var record struct {
		Label       string
		Argv, Stdin json.RawMessage
	}
	if err := json.Unmarshal(line, &record); err != nil {
		t.Fatal(err)
	}
	report = record.Stdin
	if record.Label == "notify" {
		report = record.Argv
	}
	p := payload.Parse(report)
	name = p.First([]string{"hook_event_name", "type"})
	if name == "" {
		return "", nil
	}
	for _, path := range []string{
		"source", "trigger", "error", "notification_type", "details.type", "reason", "properties.status.type",
		"properties.error.name",
	} {
		if text := p.Text(path); text != "" && !strings.Contains(text, " ") {
			name += " " + text
		}
	}
	switch {
	case name == "PermissionRequest":
		name += " " + p.Text("tool_name")
	case strings.HasPrefix(name, "Subagent") && p.Text("agent_type") == "":
		name += " compacting"
	case strings.Contains(p.Text("input-messages"), "single-line task title"):
		name += " title"
	}
	return name, report
}

// The meanings of the payloads that were recorded.
var recordedEdges = map[string]map[string]string{
	"claude": {
		"SessionStart startup": "idle", "SessionStart resume": "idle", "UserPromptSubmit": "working/thinking",
		"PreToolUse":             "working/tool",
		"PermissionRequest Bash": "waiting/approval", "PermissionRequest Write": "waiting/approval",
		"PermissionRequest AskUserQuestion": "waiting/question", "PostToolUse": "working/thinking",
		"PostToolUseFailure": "working/thinking",
		"PostToolBatch":      "working/thinking", "SubagentStart": "working+subagents", "SubagentStop": "ignored",
		"SubagentStop compacting":        "ignored",
		"Notification permission_prompt": "waiting/approval", "Notification idle_prompt": "idle", "Stop": "idle",
		"StopFailure authentication_failed": "error/auth", "StopFailure rate_limit": "limited/rate_limit",
		"StopFailure server_error": "error/server",
		"PreCompact manual":        "working/compacting", "PreCompact auto": "working/compacting",
		"PostCompact manual": "idle",
		"PostCompact auto":   "working/thinking", "SessionEnd other": "exited/finished, ends",
	},
	"claude-2.1.197": {
		"SessionStart startup": "idle", "SessionStart compact": "ignored", "UserPromptSubmit": "working/thinking",
		"PreToolUse":             "working/tool",
		"PermissionRequest Bash": "waiting/approval", "PermissionRequest Write": "waiting/approval",
		"PermissionRequest AskUserQuestion": "waiting/question", "PostToolUse": "working/thinking",
		"PostToolBatch": "working/thinking",
		"SubagentStart": "working+subagents", "SubagentStop": "ignored", "SubagentStop compacting": "ignored",
		"Notification permission_prompt": "waiting/approval", "Stop": "idle",
		"StopFailure billing_error":         "error/billing",
		"StopFailure authentication_failed": "error/auth", "PreCompact manual": "working/compacting",
		"PostCompact manual":           "idle",
		"SessionEnd prompt_input_exit": "exited/finished, ends",
	},
	"codex": {
		"SessionStart startup": "working/thinking", "SessionStart resume": "working/thinking",
		"UserPromptSubmit": "working/thinking",
		"PreToolUse":       "working/tool", "PostToolUse": "working/thinking",
		"PermissionRequest Bash":        "waiting/approval",
		"PermissionRequest apply_patch": "waiting/approval", "PreCompact auto": "working/compacting",
		"PreCompact manual": "working/compacting",
		"PostCompact auto":  "working/thinking", "PostCompact manual": "idle", "Stop": "idle",
		"SessionEnd other":    "exited/finished, ends",
		"agent-turn-complete": "idle", "agent-turn-complete title": "ignored",
	},
	"gemini": {
		"SessionStart startup": "idle", "SessionStart resume": "idle", "BeforeAgent": "working/thinking",
		"BeforeTool": "working/tool",
		"AfterTool":  "working/thinking", "AfterAgent": "idle", "PreCompress auto": "ignored", "BeforeModel": "ignored",
		"AfterModel":          "ignored",
		"BeforeToolSelection": "ignored", "Notification ToolPermission exec": "waiting/approval",
		"Notification ToolPermission edit":     "waiting/approval",
		"Notification ToolPermission ask_user": "waiting/question", "SessionEnd exit": "exited/finished, ends",
	},
	"opencode": {
		"session.status busy": "working", "session.status idle": "idle", "session.status retry": "working+retrying",
		"session.idle":                      "idle",
		"session.error MessageAbortedError": "idle+interrupted", "session.error APIError": "error/auth",
		"permission.asked":   "waiting/approval",
		"permission.replied": "working", "question.asked": "waiting/question", "question.replied": "working",
		"session.created": "ignored",
		"session.updated": "ignored", "session.diff": "ignored", "session.compacted": "ignored",
		"message.updated":      "ignored",
		"message.part.updated": "ignored", "message.part.delta": "ignored", "plugin.added": "ignored",
		"catalog.updated":   "ignored",
		"reference.updated": "ignored", "integration.updated": "ignored", "file.edited": "ignored",
		"file.watcher.updated": "ignored",
		"todo.updated":         "ignored",
	},
	"qwen": {
		"Notification auth_success": "ignored", "SessionStart startup": "idle", "UserPromptSubmit": "working/thinking",
		"PreToolUse":  "working/tool",
		"PostToolUse": "working/thinking", "PermissionRequest run_shell_command": "waiting/approval",
		"PermissionRequest write_file": "waiting/approval",
		"Stop":                         "idle", "StopFailure authentication_failed": "error/auth",
		"SessionEnd prompt_input_exit": "exited/finished, ends",
	},
}
