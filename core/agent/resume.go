package agent

import (
	"regexp"
	"slices"
	"strings"

	"cupola/core"
)

// ResumeArgs returns the arguments that make the kind resume a session; none if it cannot,
// or if session is empty.
func (k *Kind) ResumeArgs(session string) []string {
	if session == "" || len(k.Launch.Resume) == 0 {
		return nil
	}
	return filled(k.Launch.Resume, session)
}

// SessionArgs returns the arguments that set the session id of a new agent; none if its
// kind accepts none, or if argv chooses a session itself.
func (k *Kind) SessionArgs(argv []string, session string) []string {
	for _, arg := range argv {
		flag, _, _ := strings.Cut(arg, "=")
		if slices.Contains(k.Launch.Chooses, flag) {
			return nil
		}
	}
	return filled(k.Launch.Session, session)
}

// filled are arguments with the id of a session.
func filled(args []string, session string) []string {
	full := make([]string, 0, len(args))
	for _, arg := range args {
		full = append(full, strings.ReplaceAll(arg, SessionID, session))
	}
	return full
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
