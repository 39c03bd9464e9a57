package core

import (
	"fmt"
	"strings"
)

// SessionID is the engine's own name for a session, such as "$3". It is stable
// for the life of the session and never reused by the same server.
type SessionID string

// WindowID is the engine's own name for a window, such as "@5".
type WindowID string

// PaneID is the engine's own name for a pane, such as "%7".
type PaneID string

// Kind is the id of an agent kind ("claude", "codex", ...). The zero value is
// the kind of a user pane, which holds no agent.
type Kind string

// KindCommand is the kind of a pane spawned with a command of the user's own.
// Text sent to it is typed as it is.
const KindCommand Kind = "command"

// Revision numbers the pictures that a keeper minted, from 1. Zero means that
// no keeper has ever run.
type Revision uint64

// Address is how people name a pane: SESSION.N, where N is the pane's ordinal.
func Address(session string, ordinal int) string {
	return fmt.Sprintf("%s.%d", session, ordinal)
}

// MaxSessionName is the longest session name accepted, in bytes.
const MaxSessionName = 100

// CheckSessionName returns nil for a name that the engine keeps unchanged, and
// otherwise an InvalidInput error that suggests a name which would work.
// Dots and colons separate parts of a target and are silently replaced by
// tmux; a leading dash, dollar, at, percent or equals sign reads as an option
// or an id.
func CheckSessionName(name string) error {
	why := ""
	switch {
	case name == "":
		why = "is empty"
	case len(name) > MaxSessionName:
		why = fmt.Sprintf("is longer than %d bytes", MaxSessionName)
	case strings.ContainsAny(name, ".:"):
		why = "holds '.' or ':', which separate parts of a target"
	case strings.ContainsRune("-$@%=+!{", rune(name[0])):
		why = fmt.Sprintf("begins with %q, which reads as an option or an id", name[:1])
	case strings.TrimSpace(name) != name:
		why = "begins or ends with a blank"
	case strings.IndexFunc(name, unprintable) >= 0:
		why = "holds a character that cannot be shown"
	default:
		return nil
	}
	err := &Error{Code: InvalidInput, Message: fmt.Sprintf("session name %q %s", name, why)}
	if better := cleanSessionName(name); better != "" {
		err.Suggestions = []string{better}
		err.Hint = fmt.Sprintf("Use %s instead.", better)
	}
	return err
}

func cleanSessionName(name string) string {
	name = strings.TrimSpace(strings.TrimLeft(name, "-$@%=+!{ "))
	name = strings.Map(func(r rune) rune {
		if r == '.' || r == ':' || unprintable(r) {
			return '-'
		}
		return r
	}, name)
	name = strings.Trim(name, "- ")
	if len(name) > MaxSessionName {
		name = strings.ToValidUTF8(name[:MaxSessionName], "")
	}
	return name
}

func unprintable(r rune) bool {
	return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '�'
}
