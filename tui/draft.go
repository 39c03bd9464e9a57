package tui

import (
	"strings"

	"cupola/core"
	"cupola/tui/intent"
)

// drafts are prompts that were begun, or sent in vain. They are kept by pane or
// session, whatever its name is meanwhile.
type drafts struct {
	begun, returned map[string]string
}

func newDrafts() drafts { return drafts{begun: map[string]string{}, returned: map[string]string{}} }

// take returns what to go on with: what came back, then what was begun since.
func (d *drafts) take(key string) string {
	text := joined(d.returned[key], d.begun[key])
	delete(d.returned, key)
	d.keep(key, text)
	return text
}

// keep puts a draft aside; an empty one is forgotten.
func (d *drafts) keep(key, text string) {
	if strings.TrimSpace(text) == "" {
		delete(d.begun, key)
		return
	}
	d.begun[key] = text
}

// back takes a prompt that was not delivered.
func (d *drafts) back(key, text string) { d.returned[key] = joined(d.returned[key], text) }

func joined(first, second string) string {
	if first == "" || second == "" || first == second {
		return max(first, second)
	}
	return first + "\n\n" + second
}

// draftKey is what the drafts for a target are kept by.
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
