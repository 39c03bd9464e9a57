package agentsession

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
	"cupola/core/system/textfile"
)

// recordVersion is the version of the records that this program writes.
const recordVersion = 1

// Session is the record of the work on one change for one owner.
type Session struct {
	Version int `json:"session_version"`
	// ID is a random UUID.
	ID string `json:"id"`
	// Change is the name of the change, and ChangeDir its folder; that is empty for a plain file of tasks.
	Change    string `json:"change"`
	ChangeDir string `json:"change_dir,omitempty"`
	// Path is the file of tasks, and the key by which one owner has it. Links in it are resolved.
	Path string `json:"tasks_file"`
	// Dir is the folder in which, and below which, the session is found without its id. Links in it are resolved.
	Dir string `json:"dir"`
	// Pane distinguishes sessions of one folder; zero outside of panes.
	Pane Pane `json:"pane,omitzero"`
	// Story is the id of the current story; empty before the first.
	Story string `json:"story_id,omitempty"`
	Owner Owner  `json:"owner"`
	// Created is when it began, Resumed when it got its owner if that was later.
	Created time.Time `json:"created_at"`
	Resumed time.Time `json:"resumed_at,omitzero"`
	// Learnings are the learnings that are in no file yet, the oldest first.
	Learnings []story.Learning `json:"learnings"`
	// Ticked are the ids of the tasks that were ticked with it, in that order.
	Ticked []string `json:"ticked"`
	// Run is the run of stories that it belongs to; empty for none. Its end is for the run to see to.
	Run string `json:"run,omitempty"`
	// Verify are the commands that prove a story, and VerifyFrom says what named them: flags, settings, guess or
	// none.
	Verify     []string         `json:"verify"`
	VerifyFrom story.VerifyFrom `json:"verify_from,omitempty"`
}

// Pane is a pane of a terminal server.
type Pane struct {
	ID string `json:"id"`
	// Server is the path of the server's socket.
	Server string `json:"server,omitempty"`
}

// The variables of an agent's environment that name its session and its story.
const (
	SessionVariable = "CUPOLA_STORY_SESSION"
	StoryVariable   = "CUPOLA_STORY"
)

// PaneOf returns the pane in which a process with an environment runs; zero outside of one.
func PaneOf(getenv func(string) string) Pane {
	inside := engine.InsideOf(getenv)
	if inside.Pane == "" {
		return Pane{}
	}
	return Pane{ID: string(inside.Pane), Server: inside.Socket}
}

// Owner is the process that a session belongs to. A pid alone is not enough, for the system reuses it.
type Owner struct {
	PID int `json:"pid"`
	// Start is the start time, in a unit of the system.
	Start uint64 `json:"start"`
}

// OwnerOf returns a process as an owner. It fails with process.ErrGone if none runs with this pid.
func OwnerOf(pid int) (Owner, error) {
	p, err := process.Find(pid)
	if err == nil && p.Zombie {
		err = fmt.Errorf("process %d: %w", pid, process.ErrGone)
	}
	return Owner{PID: p.PID, Start: p.Start}, err
}

// Self returns this process as an owner.
func Self() (Owner, error) { return OwnerOf(os.Getpid()) }

// Caller returns the process that is probably the owner of sessions which this process makes for its caller: the leader
// of its process session, such as a login shell, or its parent if it leads the session itself or the leader ended.
func Caller() (Owner, error) {
	own, err := process.Find(os.Getpid())
	if err != nil {
		return Owner{}, err
	}
	if own.Session > 0 && own.Session != own.PID {
		if leader, err := OwnerOf(own.Session); err == nil {
			return leader, nil
		}
	}
	return OwnerOf(own.Parent)
}

// Alive reports whether the process still runs. A stopped one does.
func (o Owner) Alive() bool { return process.Proc{PID: o.PID, Start: o.Start}.Alive() }

// Read reads the change as it is now. The change of a plain file of tasks has the design that takes its learnings.
// It fails as story.Read and story.ReadTasks.
func (s *Session) Read() (*story.Change, error) {
	if s.ChangeDir == "" {
		c, err := story.ReadTasks(s.Path)
		if err != nil {
			return nil, err
		}
		design, err := textfile.Read(s.DesignFile())
		c.Name, c.Design = s.Change, string(design)
		return c, err
	}
	return story.Read(projectOf(s.ChangeDir), filepath.Base(s.ChangeDir))
}

// FoundIn returns the folder in which a session of a change is found that begins in a folder: that of the project, if
// the folder is in it, else the folder itself.
func FoundIn(c *story.Change, dir string) string {
	if c.Dir == "" {
		return dir
	}
	if project := resolved(projectOf(c.Dir)); isIn(resolved(dir), project) {
		return project
	}
	return dir
}

// projectOf is the folder that an OpenSpec change belongs to: that above openspec/changes/NAME.
func projectOf(changeDir string) string { return filepath.Dir(filepath.Dir(filepath.Dir(changeDir))) }

// valid returns an error for a record that cannot be read.
func (s *Session) valid(id string) error {
	if s.ID != id {
		return fmt.Errorf("the record of the session %s holds the session %s", id, s.ID)
	}
	return run.Readable("a session", s.Version, recordVersion)
}

// hasTicked notes that a task was ticked.
func (s *Session) hasTicked(task string) {
	if !slices.Contains(s.Ticked, task) {
		s.Ticked = append(s.Ticked, task)
	}
}

// IsOf reports whether it is a session of a change.
func (s *Session) IsOf(c *story.Change) bool { return s.Path == resolved(c.Path) }

// Free returns Conflict if a run of stories has the session: the run chooses its stories, and ends it.
func (s *Session) Free() error {
	if s.Run == "" {
		return nil
	}
	return &core.Error{
		Code:     core.Conflict,
		Message:  "the session belongs to the run " + s.Run + ", which chooses its stories and ends it",
		Hint:     "Do the tasks of the story, and end your turn.",
		Remedies: []core.Remedy{core.RemedyShowTasks}, Subject: core.Subject{Run: s.ID},
	}
}

// has reports whether a folder is the session's own, or below it.
func (s *Session) has(dir string) bool { return isIn(dir, s.Dir) }

// isIn reports whether a folder is another one, or below it.
func isIn(dir, above string) bool {
	rest, err := filepath.Rel(above, dir)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// resolved returns an absolute path without links, as far as it exists.
func resolved(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return plainfile.Real(path)
}
