package agent

import (
	"regexp"
	"strings"

	"cupola/core"
)

// ResumeArgs returns the arguments that make the kind take up a session; none
// where it cannot or no session is named.
func (k *Kind) ResumeArgs(session string) []string {
	if session == "" || len(k.Launch.Resume) == 0 {
		return nil
	}
	args := make([]string, 0, len(k.Launch.Resume))
	for _, arg := range k.Launch.Resume {
		args = append(args, strings.ReplaceAll(arg, SessionID, session))
	}
	return args
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
