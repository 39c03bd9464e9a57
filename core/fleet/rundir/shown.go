package rundir

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/private"
	"cupola/core/system/textfile"
	"cupola/core/term/cells"
)

// longestLine bounds a line of a shell's text on record, in cells.
const longestLine = 500

// shownFolder is the folder of the texts of shells, beside the record of what runs; empty without one.
func (s Files) shownFolder() string {
	if s.None() || s.Running == "" {
		return ""
	}
	return s.Running + ".shown"
}

// shownName is the name of the file of a pane's text. Pane ids begin anew with each server.
func shownName(pane core.PaneID, pid int) string {
	return fmt.Sprintf("%s-%d", strings.TrimPrefix(string(pane), "%"), pid)
}

// NoteShown records the text of a shell, which must have no credentials.
func (d *Dir) NoteShown(ctx context.Context, pane core.PaneID, pid int, lines []string) {
	folder := d.Found(ctx).shownFolder()
	if folder == "" {
		return
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(cells.Cut(cells.Clean(line), longestLine, "") + "\n")
	}
	path := filepath.Join(folder, shownName(pane, pid))
	before, err := plainfile.Read(path, plainfile.Text)
	if err == nil && string(before) == text.String() {
		return
	}
	if err = private.MakeFolder(folder); err == nil {
		err = textfile.Put(path, []byte(text.String()))
	}
	if err != nil {
		d.log.Debug("what a shell shows is not recorded", "pane", pane, "error", err)
	}
}

// SweepShown removes the texts of shells that are not on record.
func (s Files) SweepShown() {
	entries, err := os.ReadDir(s.shownFolder())
	if err != nil {
		return
	}
	looked, keep := s.looked(), map[string]bool{}
	note := func(ran *RanSession) {
		for i := range ran.Panes {
			keep[shownName(ran.Panes[i].ID, ran.Panes[i].PID)] = true
		}
	}
	for i := range looked.Lost {
		note(&looked.Lost[i])
	}
	for _, sessions := range looked.Engines {
		for name := range sessions {
			session := sessions[name]
			note(&session)
		}
	}
	for _, entry := range entries {
		if !keep[entry.Name()] {
			_ = os.Remove(filepath.Join(s.shownFolder(), entry.Name()))
		}
	}
}

// Shown returns the path of the text on record of a shell that ran; empty if there is none.
func (d *Dir) Shown(ctx context.Context, pane *RanPane) string {
	folder := d.Found(ctx).shownFolder()
	if folder == "" {
		return ""
	}
	path := filepath.Join(folder, shownName(pane.ID, pane.PID))
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}
