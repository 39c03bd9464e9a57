package core_test

import (
	"strconv"
	"strings"
	"testing"

	"cupola/core"
)

// numbers are the documented exit statuses, by code: the default and the
// detailed one. They never change.
const numbers = `
INTERNAL_ERROR 1 1 | INVALID_FLAG 1 2 | INVALID_INPUT 1 2 | MISSING_REQUIRED 1 2 | UNKNOWN_FLAG 1 2 | UNKNOWN_COMMAND 1 2 | TOO_MANY_VALUES 1 2 |
TOO_FEW_VALUES 1 2 | MISSING_COMMAND 1 2 | SESSION_REQUIRED 1 2 | STORY_REQUIRED 1 2 | CONFIG_INVALID 1 3 | CREDENTIAL_MISSING 1 4 | AUTH_FAILED 1 5 | PERMISSION_DENIED 1 5 | REMOTE_NOT_FOUND 1 6 |
RATE_LIMITED 1 7 | BUDGET_EXCEEDED 1 7 | NETWORK_ERROR 1 8 | STORE_LOCKED 1 9 | CHANGE_LOCKED 1 9 | STORE_ERROR 1 10 | MIGRATION_FAILED 1 11 | IO_ERROR 1 12 | DECODE_FAILED 1 13 |
TOOL_NOT_FOUND 2 14 | ENGINE_UNAVAILABLE 2 14 | ENGINE_BUSY 1 14 | NOT_IMPLEMENTED 2 14 | MODEL_NOT_FOUND 1 15 | BACKEND_FAILED 1 16 | SESSION_NOT_FOUND 1 17 |
PANE_NOT_FOUND 1 17 | AGENT_NOT_FOUND 1 17 | PROJECT_NOT_FOUND 1 17 | THREAD_NOT_FOUND 1 17 | NOT_FOUND 1 17 |
TASK_NOT_FOUND 1 17 | STORY_NOT_FOUND 1 17 | CHANGE_NOT_FOUND 1 17 | SCOPE_ERROR 1 18 | AMBIGUOUS 1 18 | ALREADY_EXISTS 1 18 |
CONFLICT 1 18 | HEALTH_FAILED 1 19 | CONFIG_NOT_FOUND 1 20 | DELIVERY_FAILED 1 21 | NOT_READY 1 21 | DEPTH_LIMIT 1 22 | CHECKPOINT_FAILED 1 23 |
ATTACH_FAILED 1 23 | TIMEOUT 1 124 | CANCELLED 130 130`

func TestCodesKeepTheirNumbers(t *testing.T) {
	documented := map[core.Code]bool{}
	for row := range strings.SplitSeq(numbers, "|") {
		var want core.CodeRow
		words := strings.Fields(row)
		want.Code = core.Code(words[0])
		documented[want.Code] = true
		got, ok := want.Code.Row()
		if !ok || strconv.Itoa(got.Exit) != words[1] || strconv.Itoa(got.Detailed) != words[2] {
			t.Errorf("%s: exit %d, detailed %d, want %s and %s", want.Code, got.Exit, got.Detailed, words[1], words[2])
		}
	}
	seen := map[core.Code]bool{}
	for _, row := range core.Codes() {
		if !documented[row.Code] || seen[row.Code] {
			t.Errorf("%s is not documented, or is there twice", row.Code)
		}
		seen[row.Code] = true
	}
}

func TestEveryCodeSaysWhatItMeans(t *testing.T) {
	for _, row := range core.Codes() {
		if row.Meaning == "" || strings.HasSuffix(row.Meaning, ".") {
			t.Errorf("%s: the meaning is %q", row.Code, row.Meaning)
		}
	}
}

func TestAnUnknownCodeCountsAsInternal(t *testing.T) {
	if row, ok := core.Code("SUNK").Row(); ok || row.Code != core.InternalError {
		t.Errorf("got %+v, %v", row, ok)
	}
}
