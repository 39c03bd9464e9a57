// Package background lists the sessions that agents' own programs run without a terminal: all of them, as those
// programs list them, or those whose processes run, by the files of these. It keeps nothing.
package background

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
	"cupola/core/system/process/child"
)

const (
	// patience is how long a program may take to list its sessions.
	patience = 10 * time.Second
	// longest is how much of a list is read, in bytes.
	longest = 4 << 20
)

// Session is a session that an agent's program runs without a terminal.
type Session struct {
	Kind core.Kind
	// ID is the program's name for it, which attaching takes, and Conversation the id of its conversation.
	ID           string
	Conversation string
	// Name is its subject, in the program's words.
	Name    string
	Dir     string
	PID     int
	Started time.Time
	Status  core.Status
}

// List returns the background sessions of a kind, in the order of its program, which it runs for at most 10 s. A kind
// without such sessions, or whose program is not on PATH, has none. A program that takes longer is a Timeout; one that
// fails, or whose list cannot be parsed, is BackendFailed.
func List(ctx context.Context, kind *agent.Kind, environ []string) ([]Session, error) {
	program, argv, ok := command(kind, kind.Background.List)
	if !ok {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var text bytes.Buffer
	run := child.Command{Program: program, Args: argv, Env: environ}
	end, err := run.Run(ctx, func(piece []byte) {
		if text.Len() < longest {
			text.Write(piece)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, core.Errorf(core.Timeout, "%s did not list its background sessions within %s", kind.Name, patience)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case end.Exit != 0:
		return nil, core.Errorf(core.BackendFailed, "%s could not list its background sessions: %s", kind.Name,
			core.Excerpt(end.Stderr))
	}
	return parse(kind.ID, text.Bytes())
}

// Attach returns the command line that opens a session of a kind in a terminal; ok is false if there is none, or no
// program.
func Attach(kind *agent.Kind, id string) (argv []string, ok bool) {
	program, argv, ok := command(kind, kind.Background.AttachArgs(id))
	return append([]string{program}, argv...), ok
}

// command returns the path of the kind's program and its arguments; ok is false without arguments or if the program is
// not on PATH.
func command(kind *agent.Kind, args []string) (program string, argv []string, ok bool) {
	if len(args) == 0 || len(kind.Launch.Command) == 0 {
		return "", nil, false
	}
	program, err := exec.LookPath(kind.Launch.Command[0])
	if err != nil {
		return "", nil, false
	}
	return program, args, true
}

// Running returns the background sessions of a kind whose processes run on this machine, in the order of their ids. It
// reads the files in which those report their status, below the folder that env names, and runs no program. A kind
// without such files has none; a file that cannot be read is left out.
func Running(kind core.Kind, env func(name string) string) []Session {
	one := detect.LiveFile(kind, 1, env)
	if one == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(one), "*"+filepath.Ext(one)))
	if err != nil {
		return nil
	}
	var sessions []Session
	for _, path := range files {
		var r row
		text, err := plainfile.Read(path, plainfile.Text)
		if err != nil || json.Unmarshal(text, &r) != nil || r.Kind != "bg" || r.JobID == "" {
			continue
		}
		r.ID, r.Kind = r.JobID, listed
		s, ok := r.session(kind)
		if !ok || !r.runs() {
			continue
		}
		if r.Status == "" {
			s.Status.State = core.Starting // the file has no status before its first turn
		}
		sessions = append(sessions, s)
	}
	slices.SortFunc(sessions, func(a, b Session) int { return cmp.Compare(a.ID, b.ID) })
	return sessions
}

// listed is the kind of a background session in the list of Claude Code.
const listed = "background"

// row is a session in the list of Claude Code, or in the file of its process.
type row struct {
	PID        int    `json:"pid"`
	ID         string `json:"id"`
	Dir        string `json:"cwd"`
	Kind       string `json:"kind"`
	StartedAt  int64  `json:"startedAt"`
	SessionID  string `json:"sessionId"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	WaitingFor string `json:"waitingFor"`
	State      string `json:"state"`
	// JobID is the id, ProcStart the start of the process, in the unit of package process, and StatusUpdatedAt the
	// time in milliseconds of the last change of Status: only files have them.
	JobID           string `json:"jobId"`
	ProcStart       string `json:"procStart"`
	StatusUpdatedAt int64  `json:"statusUpdatedAt"`
}

// parse parses what a kind's program printed; blank text is an empty list, and other text that is no list is
// BackendFailed. Sessions that have a terminal are left out.
func parse(kind core.Kind, text []byte) ([]Session, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var rows []row
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, core.Errorf(core.BackendFailed, "the list of background sessions of %s cannot be read: %w", kind,
			err)
	}
	var sessions []Session
	for i := range rows {
		if s, ok := rows[i].session(kind); ok {
			sessions = append(sessions, s)
		}
	}
	return sessions, nil
}

// session returns the session that the row is of; ok is false if that has a terminal, or no id that attaching takes.
func (r *row) session(kind core.Kind) (s Session, ok bool) {
	if r.Kind != listed || r.ID == "" || r.ID[0] == '-' {
		return Session{}, false
	}
	s = Session{
		Kind: kind, ID: r.ID, Conversation: r.SessionID, Name: core.Excerpt(r.Name), PID: max(r.PID, 0),
		Status: r.status(),
	}
	if filepath.IsAbs(r.Dir) {
		s.Dir = filepath.Clean(r.Dir)
	}
	if r.StartedAt > 0 {
		s.Started = time.UnixMilli(r.StartedAt).UTC()
	}
	if r.StatusUpdatedAt > 0 {
		s.Status.Since = time.UnixMilli(r.StatusUpdatedAt).UTC()
	}
	return s, true
}

// runs reports whether the process of the row's file runs, and is not another with its process id.
func (r *row) runs() bool {
	if r.PID <= 0 {
		return false
	}
	found, err := process.Find(r.PID)
	if err != nil || found.Zombie {
		return false
	}
	start, err := strconv.ParseUint(r.ProcStart, 10, 64)
	return err != nil || found.Start == 0 || start == found.Start
}

// status returns the state of the session's process or, if it has no process, of its work.
func (r *row) status() core.Status {
	status := core.Status{State: core.Unknown}
	status.Evidence = []string{fmt.Sprintf("status: %s, state: %s", r.Status, r.State)}
	if live := detect.LiveStatus(r.Status, r.WaitingFor); live != nil {
		status.State, status.Reason, status.Notes = live.State, live.Reason, live.Notes
		return status
	}
	switch r.State {
	case "working":
		status.State = core.Working
	case "blocked":
		status.State = core.Waiting
	case "done", "completed", "stopped":
		status.State, status.Reason = core.Exited, core.ReasonFinished
	case "failed":
		status.State, status.Reason = core.Exited, core.ReasonFailed
	}
	return status
}
