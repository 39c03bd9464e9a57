package bridge

import (
	"regexp"
	"sync"

	"cupola/core"
)

// cause is a kind of failure that tools of all makers put into the same words.
type cause struct {
	code core.Code
	says *regexp.Regexp
	hint string
}

// causes are compiled at first use, for few calls fail. The first that fits counts.
var causes = sync.OnceValue(func() []cause {
	return []cause{
		{
			core.CredentialMissing,
			regexp.MustCompile(`(?i)\bnot (logged|signed) in\b|\b(log ?in|sign ?in) (first|required)|` +
				`\b(api[ _-]?key|token|credentials?)\b[^\n]{0,40}\b(not (set|found|configured)|missing|required)\b|` +
				`\b(no|missing) (api[ _-]?key|token|credentials?)\b`),
			"Sign in with the tool itself; see what it says in details.stderr.",
		},
		{
			core.AuthFailed,
			regexp.MustCompile(`(?i)\b(http|status|error|code)[ :=]{1,2}40[13]\b|\bunauthori[sz]ed\b|\bauthentication failed\b|` +
				`\b(invalid|expired|revoked) (api[ _-]?key|token|credentials?)\b`),
			"Sign in again with the tool itself; see what it says in details.stderr.",
		},
		{
			core.RateLimited,
			regexp.MustCompile(`(?i)\b(http|status|error|code)[ :=]{1,2}429\b|\btoo many requests\b|\brate[ -]limit(ed)?\b|\bquota exceeded\b`),
			"Wait until the limit resets; see what the tool says in details.stderr.",
		},
		{
			core.NetworkError,
			regexp.MustCompile(`(?i)\bconnection (refused|reset|timed out)\b|\bno such host\b|\b(network|host) is (unreachable|down)\b|` +
				`\bcould not resolve\b|\btemporary failure in name resolution\b|\bE(CONNREFUSED|CONNRESET|NOTFOUND|TIMEDOUT|AI_AGAIN)\b`),
			"Check the connection, and whether the service that the tool asks is running.",
		},
	}
})

// causeOf returns why a tool failed, by what it printed. ok is false where its words
// give no cause.
func causeOf(out printed) (found cause, ok bool) {
	text := tail(out.stderr) + "\n" + tail(out.stdout)
	for _, cause := range causes() {
		if cause.says.MatchString(text) {
			return cause, true
		}
	}
	return cause{}, false
}
