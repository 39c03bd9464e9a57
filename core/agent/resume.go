package agent

import (
	"regexp"
	"slices"
	"strings"

	"cupola/core"
)

// ResumeArgs returns the arguments that make the program resume a session; none if it cannot, or if session is empty.
func (l *Launch) ResumeArgs(session string) []string {
	if session == "" || len(l.Resume) == 0 {
		return nil
	}
	return filled(l.Resume, session)
}

// ForkArgs returns the arguments that make the program begin a conversation of its own where a session is; none if it
// cannot, or if session is empty.
func (l *Launch) ForkArgs(session string) []string {
	if session == "" {
		return nil
	}
	return filled(l.Fork, session)
}

// SessionArgs returns the arguments that set the session id of a new agent; none if its
// kind accepts none, or if argv chooses a session itself.
func (k *Kind) SessionArgs(argv []string, session string) []string {
	if flagAmong(argv, k.Launch.Chooses) != "" {
		return nil
	}
	return filled(k.Launch.Session, session)
}

// WorktreeFlag returns the flag of an argument vector with which the program makes a git worktree of its own; empty if
// there is none.
func (l *Launch) WorktreeFlag(argv []string) string { return flagAmong(argv, l.Worktree) }

// flagAmong returns the first argument that is one of some flags, with a value or without; empty if none is.
func flagAmong(argv, flags []string) string {
	for _, arg := range argv {
		if flag, _, _ := strings.Cut(arg, "="); slices.Contains(flags, flag) {
			return flag
		}
	}
	return ""
}

// filled are arguments with the id of a session.
func filled(args []string, session string) []string {
	return core.Map(args, func(arg string) string { return strings.ReplaceAll(arg, SessionID, session) })
}

// ResumedOn returns the id of the session that an ended program says how to resume, from
// the last such line of its screen; empty if there is none.
func (k *Kind) ResumedOn(screen *core.Screen) string {
	if k.Launch.Resumed == "" {
		return ""
	}
	found := regexp.MustCompile(k.Launch.Resumed).FindAllStringSubmatch(clean(strings.Join(screen.Lines, " ")), -1)
	if len(found) == 0 || len(found[len(found)-1]) < 2 {
		return ""
	}
	return found[len(found)-1][1]
}
