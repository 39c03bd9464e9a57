package agent

import (
	"regexp"
	"slices"
	"strings"

	"cupola/core"
)

// ResumeArgs returns the arguments that make the kind take up a session; none
// where it cannot or no session is named.
func (k *Kind) ResumeArgs(session string) []string {
	if session == "" || len(k.Launch.Resume) == 0 {
		return nil
	}
	return filled(k.Launch.Resume, session)
}

// SessionArgs returns the arguments that give the session of a new agent an id; none where
// its kind takes none, or the command line chooses a session itself.
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

// ResumedOn returns the id of the session that a program which has ended said
// how to take up again, the last such line of its screen; empty without one.
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
