package tui

import (
	"strings"

	"cupola/core"
	"cupola/tui/intent"
)

// drafts are prompts that are not sent, or were not delivered. They are kept by the id of
// the pane or session, so that a rename keeps them.
type drafts struct {
	typed, returned map[string]string
}

func newDrafts() drafts { return drafts{typed: map[string]string{}, returned: map[string]string{}} }

// take returns a draft to edit: the text that was not delivered, then the text typed since.
func (d *drafts) take(key string) string {
	text := joined(d.returned[key], d.typed[key])
	delete(d.returned, key)
	d.keep(key, text)
	return text
}

// keep stores a draft; an empty one is deleted.
func (d *drafts) keep(key, text string) {
	if strings.TrimSpace(text) == "" {
		delete(d.typed, key)
		return
	}
	d.typed[key] = text
}

// back stores a prompt that was not delivered.
func (d *drafts) back(key, text string) { d.returned[key] = joined(d.returned[key], text) }

func joined(first, second string) string {
	if first == "" || second == "" || first == second {
		return max(first, second)
	}
	return first + "\n\n" + second
}

// The keys of the drafts for more than one target.
const (
	draftOfMarked = "marked"
	draftOfAll    = "all sessions"
)

// draftKey is the key of the drafts for a target.
func draftKey(snap *core.Snapshot, target intent.Target) string {
	if target.Pane != "" {
		return string(target.Pane)
	}
	if snap != nil {
		if session := snap.Session(target.Session); session != nil {
			return string(session.ID)
		}
	}
	return target.Session
}
