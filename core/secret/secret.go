// Package secret masks credentials in text that is kept or shown to others. It knows them by their
// form: prefixes of well-known issuers, values that are named as secrets, passwords in URLs, and
// private keys. What has no such form stays; a mask is no proof that a text holds no secret.
package secret

import (
	"regexp"
	"strings"
	"sync"
)

// mark replaces a secret. What stays of one are its first characters, which name its issuer.
const mark = "[masked]"

// patterns are what is masked: the first group stays, the rest is replaced.
var patterns = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, pattern := range []string{
		// Keys of OpenAI, Anthropic and others, of GitHub, GitLab, Slack, AWS, Google, npm, Hugging Face, Stripe.
		`\b((?:sk|pk|rk)-(?:ant-|proj-|or-|live_|test_)?)[A-Za-z0-9_-]{16,}`,
		`\b((?:sk|pk|rk)_(?:live|test)_)[A-Za-z0-9]{16,}`,
		`\b(gh[pousr]_|github_pat_|glpat-|npm_|hf_)[A-Za-z0-9_-]{20,}`,
		`\b(xox[abeoprs]-)[A-Za-z0-9-]{10,}`,
		`\b(A(?:KIA|SIA))[A-Z0-9]{16}\b`,
		`\b(AIza)[A-Za-z0-9_-]{30,}`,
		// JSON web tokens.
		`\b(eyJ)[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*`,
		`(?i)\b(bearer\s+|basic\s+)[A-Za-z0-9._~+/=-]{16,}`,
		// A password in the address of a server.
		`(\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@]+:)[^\s/@]+(?:@)`,
		// A value that is named as a secret.
		`(?i)\b((?:[a-z0-9_]*[_-])?(?:password|passwd|secret|api_?key|access_?key|auth_?token|access_?token|private_?key)` +
			`["']?\s*[:=]\s*["']?)[^\s"',;]{6,}`,
		`(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`,
	} {
		all = append(all, regexp.MustCompile(pattern))
	}
	return all
})

// Mask returns a text with its secrets masked.
func Mask(text string) string {
	for _, pattern := range patterns() {
		text = pattern.ReplaceAllStringFunc(text, func(found string) string {
			kept := pattern.FindStringSubmatch(found)[1]
			masked := kept + mark
			if strings.HasSuffix(found, "@") {
				masked += "@"
			}
			return masked
		})
	}
	return text
}
