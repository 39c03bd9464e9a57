package detect

import (
	"encoding/json"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/agent"
)

// LiveFile returns the path of the file in which a process of a kind reports its own
// status. It is empty for kinds without such a file, and if the environment does not name
// the folder. env returns the value of a variable of that process, empty if it has none.
func LiveFile(kind core.Kind, pid int, env func(name string) string) string {
	if agent.NativeOf(kind).Live != agent.FormatClaude {
		return ""
	}
	return agent.HomeOf(kind, env, "sessions", strconv.Itoa(pid)+".json")
}

// claudeLive is the part of Claude's file that is read. It is undocumented.
type claudeLive struct {
	PID             int    `json:"pid"`
	ProcStart       string `json:"procStart"`
	SessionID       string `json:"sessionId"`
	Status          string `json:"status"`
	WaitingFor      string `json:"waitingFor"`
	UpdatedAt       int64  `json:"updatedAt"`
	StatusUpdatedAt int64  `json:"statusUpdatedAt"`
}

// ParseLive parses the content of a file of LiveFile for the process pid. start is the
// process's start time in the unit of package process; 0 means unknown. It returns nil for
// a file that is still empty, cannot be parsed, or belongs to an earlier process with the
// same pid.
func ParseLive(content []byte, pid int, start uint64) *Live {
	var file claudeLive
	if json.Unmarshal(content, &file) != nil || file.PID != pid {
		return nil
	}
	if started, err := strconv.ParseUint(file.ProcStart, 10, 64); err == nil && start != 0 && started != start {
		return nil
	}
	live := LiveStatus(file.Status, file.WaitingFor)
	if live == nil {
		return nil
	}
	live.Session = file.SessionID
	if ms := max(file.StatusUpdatedAt, 0); ms > 0 {
		live.At = time.UnixMilli(ms).UTC()
	} else if file.UpdatedAt > 0 {
		live.At = time.UnixMilli(file.UpdatedAt).UTC()
	}
	return live
}

// LiveStatus returns what Claude's words for its status and for what it waits for mean; nil for words that are not
// known.
func LiveStatus(status, waitingFor string) *Live {
	live := &Live{Line: "status: " + status}
	switch status {
	case "idle":
		live.State = core.Idle
	case "shell":
		// Its turn has ended, and a command of it runs in the background.
		live.State, live.Notes = core.Idle, []core.Note{core.NoteBackground}
	case "busy":
		live.State = core.Working
	case "waiting":
		live.State, live.Reason = core.Waiting, claudeWaits(waitingFor)
		live.Line += ", waitingFor: " + waitingFor
	default:
		return nil
	}
	return live
}

// claudeWaits is the reason that "waitingFor" gives. Older versions say
// "permission prompt" of questions too.
func claudeWaits(what string) core.Reason {
	switch what {
	case "permission prompt":
		return core.ReasonApproval
	case "input needed":
		return core.ReasonQuestion
	case "dialog open":
		return core.ReasonDialog
	}
	return ""
}
