package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// footers are the rows from the composer down in each kind, at rest.
var footers = map[string][]string{
	"gemini": {
		"", strings.Repeat("─", 80), " Shift+Tab to accept edits", "▄▄▄▄▄▄▄▄▄▄▄▄",
		" > |  Type your message or @path/to/file", "▀▀▀▀▀▀▀▀▀▀▀▀", " workspace (/directory)", " ~/src/api",
	},
	"qwen": {"", rule, ">   Type your message or @path/to/file", rule, "  ? for shortcuts"},
	"opencode": {
		"", "  ┃", "  ┃  |", "  ┃", "  ┃  Build · Big Model", "  ╹" + strings.Repeat("▀", 56),
		"   ~/src/api                          1.5K (1%) · $0.00  ctrl+p commands",
	},
	"copilot": {"", " ~/src/api [⎇ main]", rule, "❯ |", rule, " Interactive · Manual Approval · / commands"},
}

// said is the state that the rules of a kind claim of a screen, with its reason;
// the program at rest claims none.
func said(kind *agent.Kind, s *core.Screen) string {
	for _, m := range kind.Read(s).Matches() {
		if m.Rule.State != "" {
			return fmt.Sprintf("%s/%s", m.Rule.State, m.Rule.Reason)
		}
	}
	return ""
}

const geminiPrompt, qwenPrompt, copilotPrompt = " > fix it", "  > fix it", " ❯ fix it                    22:01"

// askedOpenCode are rows below a prompt, as OpenCode draws it.
func askedOpenCode(rows ...string) []string {
	return append([]string{"  ┃", "  ┃  fix it", "  ┃", ""}, rows...)
}

// failedOpenCode is a turn that ended with an error.
func failedOpenCode(rows ...string) []string {
	box := []string{"  ┃"}
	for _, row := range rows {
		box = append(box, "  ┃  "+row)
	}
	return askedOpenCode(append(box, "  ┃", "", "     ▣  Build · Big Model")...)
}

// endings are the ends of turns, and the state that they mean.
var endings = map[string]struct {
	kind string
	rows []string
	want string
}{
	"gemini: credentials": {
		"gemini",
		[]string{
			geminiPrompt, `✕ [API Error: {"error":{"code":400,"message":"API key not valid. Please pass a`,
			`  valid API key.","status":"INVALID_ARGUMENT"}}]`, "",
			"ℹ This request failed. Press F12 for diagnostics, or run /settings",
		},
		"error/auth",
	},
	"gemini: too many requests": {
		"gemini",
		[]string{
			geminiPrompt, "✕ [API Error: Resource has been exhausted (Status: RESOURCE_EXHAUSTED)]",
			"  Please wait and try again later. To increase your limits, request a quota",
			"  increase through AI Studio, or switch to another /auth method",
		},
		"limited/rate_limit",
	},
	"gemini: a quota": {
		"gemini",
		[]string{
			geminiPrompt, "✕ [API Error: You exceeded your current quota, please check your plan and",
			"  billing details. (Status: RESOURCE_EXHAUSTED)]",
		},
		"limited/quota",
	},
	"gemini: a quota, and when": {
		"gemini",
		[]string{
			geminiPrompt, "✕ [API Error: You have exhausted your capacity on this model. Your quota will",
			"  reset after 5h12m.]",
		},
		"limited/quota",
	},
	"gemini: the other end": {
		"gemini",
		[]string{
			geminiPrompt, "✕ [API Error: The model is overloaded. Please try again later. (Status:",
			"  UNAVAILABLE)]",
		},
		"error/server",
	},
	"gemini: money": {
		"gemini",
		[]string{geminiPrompt, "✕ [API Error: Your prepayment credits are depleted. (Status: 402)]"},
		"error/billing",
	},
	"gemini: the note alone": {
		"gemini",
		[]string{
			"ℹ This request failed. Press F12 for diagnostics, or run",
			"  /settings and change \"Error Verbosity\"",
		},
		"error/other",
	},
	"gemini: asked again": {
		"gemini", []string{geminiPrompt, "✕ [API Error: 500]", geminiPrompt, "✦ Fixed."}, "",
	},
	"gemini: answered after all": {"gemini", []string{geminiPrompt, "✕ [API Error: 500]", "✦ Fixed."}, ""},
	"gemini: a wrong command":    {"gemini", []string{" > /nope", "✕ Unknown command: /nope"}, ""},
	"gemini: silent command": {
		"gemini",
		[]string{
			geminiPrompt, "╭────────────╮", "│ ⊷  Shell make", "╰────────────╯",
			" ! Shell awaiting input (Tab to focus)",
		},
		"working/tool",
	},
	"gemini: old spinner": {
		"gemini", []string{geminiPrompt, "⠏ Reticulating splines", "(esc to cancel, 1m 4s)"}, "working/",
	},
	"qwen: credentials": {
		"qwen",
		[]string{
			qwenPrompt, "  ✕ [API Error: 401 Incorrect API key provided: sk-1.] (Press Ctrl+Y to", "    retry)",
		},
		"error/auth",
	},
	"qwen: too many requests": {
		"qwen",
		[]string{
			qwenPrompt, "  ✕ [API Error: 429 slow down]",
			"    Possible quota limitations in place or slow response times detected. Please",
			"    wait and try again later. (Press Ctrl+Y to retry)",
		},
		"limited/rate_limit",
	},
	"qwen: a quota": {
		"qwen",
		[]string{qwenPrompt, "  ✕ Qwen OAuth quota exceeded: your free daily quota has been reached."},
		"limited/quota",
	},
	"qwen: tries again": {
		"qwen",
		[]string{
			qwenPrompt, "  ✕ Rate limit exceeded. Please wait and try again. (Retrying in 58s… (attempt",
			"    1/7))", "  ↻ Retrying in 58 seconds… (attempt 1/7)",
		},
		"working/",
	},
	"qwen: the other end": {
		"qwen",
		[]string{qwenPrompt, "  ✕ [API Error: Connection error. (cause: fetch failed)] (Press Ctrl+Y to retry)"},
		"error/server",
	},
	"qwen: asked again": {
		"qwen", []string{qwenPrompt, "  ✕ [API Error: 500 oh]", qwenPrompt, "  ✦ Fixed."}, "",
	},
	"qwen: a narrow terminal": {
		"qwen", []string{qwenPrompt, "  ..  Untangling neural nets...", "  (1m 2s · esc to cancel)"}, "working/",
	},
	"qwen: a tool's rest": {
		"qwen",
		[]string{
			qwenPrompt, "  ╭────────────╮", "  │ ✓  Shell make", "  │    ... first 12 lines hidden ...",
			"  │ ... first 12 lines hidden ...", "  ╰────────────╯",
		},
		"",
	},
	"qwen: a tool runs": {
		"qwen",
		[]string{
			qwenPrompt, "  ╭────────────╮", "  │ ...Shell make", "  ╰────────────╯",
			"  .   Trying (3s · esc to cancel)",
		},
		"working/tool",
	},
	"qwen: two rows of thought": {
		"qwen",
		[]string{qwenPrompt, "  ⠋ Reading the file (4s · ↑ 1.2k tokens · esc to cancel)", "    It says that"},
		"working/",
	},
	"opencode: credentials": {"opencode", failedOpenCode("Incorrect API key provided: sk-1."), "error/auth"},
	"opencode: a quota": {
		"opencode", failedOpenCode("Quota exceeded. Check your plan and billing", "details."), "limited/quota",
	},
	"opencode: the other end": {
		"opencode", failedOpenCode("Unable to connect. Is the computer able to access the url?"), "error/server",
	},
	"opencode: something else": {
		"opencode", failedOpenCode("Input exceeds context window of this model"), "error/other",
	},
	"opencode: answered": {
		"opencode", askedOpenCode("     API key: 401.", "", "     ▣  Build · Big Model · 4.5s"), "",
	},
	"opencode: interrupted": {"opencode", askedOpenCode("     ▣  Build · Big Model · interrupted"), ""},
	"opencode: retries given up": {
		"opencode",
		append([]string{"     ▣  Build · Big Model · 4.5s", ""}, askedOpenCode("     ▣  Build · Big Model")...),
		"",
	},
	"opencode: a refused edit": {
		"opencode",
		askedOpenCode("  ┃", "  ┃  ← Edit api.go", "  ┃  12 - error 401", "  ┃", "", "     ▣  Build · Big Model"), "",
	},
	"opencode: beside a sidebar": {
		"opencode",
		[]string{
			"  ┃                                                                   Context",
			"  ┃  Unauthorized                                                     1,542 tokens", "  ┃",
			"                                                                      LSP",
			"     ▣  Build · Big Model                                             none",
		},
		"error/auth",
	},
}

func TestHowATurnEnded(t *testing.T) {
	for name, test := range endings {
		t.Run(name, func(t *testing.T) {
			kind := find(t, test.kind)
			s := screen(slices.Concat([]string{""}, test.rows, footers[test.kind])...)
			if got := said(kind, s); got != test.want {
				t.Errorf("said %q, want %q: %v", got, test.want, kind.Read(s).Matches())
			}
			if !strings.HasPrefix(test.want, "waiting") && !kind.Read(s).Ready() {
				t.Error("the composer is not seen")
			}
		})
	}
}

func TestLongRetriesAreLimits(t *testing.T) {
	opencode := find(t, "opencode")
	above := footers["opencode"][:6]
	for footer, want := range map[string]string{
		"   ⬝⬝⬝⬝⬝⬝⬝⬝ Free usage exceeded [retrying in 2h 5m attempt #1]  esc interrupt": "limited/quota",
		"   ⬝⬝⬝⬝⬝⬝⬝⬝ Go limit reached [retrying in ~2 days attempt #1]  esc interrupt":  "limited/quota",
		"   ⬝⬝⬝⬝⬝⬝⬝⬝ Rate Limited [retrying in 42s attempt #4]  esc interrupt":          "working/",
		"   [Rate limit reached for the model (click to expand) [retrying attempt #1]":  "working/",
		"   [⋯]  esc interrupt":           "working/",
		"   ⬝⬝⬝■■■■■  esc again to inter": "working/",
	} {
		if got := said(opencode, screen(append(slices.Clone(above), footer)...)); got != want {
			t.Errorf("%s: said %q, want %q", footer, got, want)
		}
	}
}

func TestARefusedCommandIsNoFailedTurn(t *testing.T) {
	for line, want := range map[string]string{
		"■ '/feedback' is unavailable in side conversations. Press Ctrl+C to return to the main thread first.": "",
		"■ '/model' is disabled while a task is in progress.":                                                  "",
		"■ Sign in with ChatGPT to use /usage.":                                                                "",

		"■ Your input exceeds the context window of this model.": "error/other",
	} {
		s := screen(
			"› fix it", "", "• Done.", "", line, "", "› |Ask Codex to do anything", "",
			"  GPT-6-Sol default · ~/src/api",
		)
		if got := said(find(t, "codex"), s); got != want {
			t.Errorf("after %q it is %q, not %q", line, got, want)
		}
	}
}
