package core

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
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

// KindCommand is the kind of a command pane, which was started with a command of the user's own. It is no agent.
// Text sent to it is typed as it is.
const KindCommand Kind = "command"

// IsAgent reports whether panes of the kind hold an agent, not a shell or a command of the user.
func (k Kind) IsAgent() bool { return k != "" && k != KindCommand }

// KindGeneric is the kind of unknown programs. Its general rules also detect the states
// of commands, and of agents whose kind has no file.
const KindGeneric Kind = "generic"

// Revision numbers the snapshots of keepers, from 1. Zero means that no keeper has
// ever run.
type Revision uint64

// maxSessionName is the length of the longest session name that is accepted, in bytes.
const maxSessionName = 100

// CheckSessionName returns nil for a name that the engine keeps unchanged, and
// otherwise an InvalidInput error that suggests a name which would work.
// Dots and colons separate parts of a target and are silently replaced by
// tmux, which also escapes backslashes, dollars and what it cannot show; a
// leading dash, at, percent or equals sign reads as an option or an id.
func CheckSessionName(name string) error {
	why := refusal(name)
	if why == "" {
		return nil
	}
	err := &Error{Code: InvalidInput, Message: fmt.Sprintf("session name %q %s", shortened(name), why)}
	if better := cleanSessionName(name); better != "" {
		err.Suggestions, err.Slip = []string{better}, Slip{Word: name, New: true}
		err.Hint = fmt.Sprintf("Use %s instead.", better)
	}
	return err
}

// leading are the characters that a name must not begin with.
const leading = "-@%=+!{"

// refusal says why a name is invalid; empty if it is valid.
func refusal(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxSessionName:
		return fmt.Sprintf("is longer than %d bytes", maxSessionName)
	case strings.ContainsAny(name, ".:"):
		return "holds '.' or ':', which separate parts of a target"
	case strings.ContainsAny(name, `\$`):
		return `holds '\' or '$', which are not kept as they are`
	case strings.ContainsRune(leading, rune(name[0])):
		return fmt.Sprintf("begins with %q, which reads as an option or an id", name[:1])
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unprintable):
		return "holds a character that cannot be shown"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a blank"
	case strings.HasSuffix(name, ";"):
		return "ends with ';', which ends a command"
	}
	return ""
}

// cleanSessionName returns a valid name similar to the one given; empty if there is
// none.
func cleanSessionName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`.:\$`, r) || r == utf8.RuneError || unprintable(r) {
			return '-'
		}
		return r
	}, name)
	if len(name) > maxSessionName {
		name = strings.ToValidUTF8(name[:maxSessionName], "")
	}
	edge := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(leading, r) }
	end := func(r rune) bool { return unicode.IsSpace(r) || r == '-' || r == ';' }
	return strings.TrimRightFunc(strings.TrimLeftFunc(name, edge), end)
}

// shortened keeps a message readable, whatever was given as a name.
func shortened(name string) string {
	if len(name) <= maxSessionName {
		return name
	}
	return strings.ToValidUTF8(name[:maxSessionName], "") + "…"
}

// unprintable reports whether a character has no shape of its own on a
// terminal; tmux writes such characters as escapes.
func unprintable(r rune) bool {
	return r == utf8.RuneError || r != ' ' && !unicode.IsPrint(r)
}
