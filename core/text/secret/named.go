package secret

import (
	"slices"
	"strings"
	"unicode"
)

// Words of names. The values of strong names are secrets whatever they look like, those of weak ones where they look
// random. Names with an unlike word are about secrets, and have none.
var (
	strong = []string{
		"password", "passwd", "passphrase", "passcode", "pwd", "pass", "secret", "mnemonic", "pgpassword", "pword",
		"passw", "psw", "userpassword", "rootpassword", "dbpassword", "dbpass", "mypwd", "sshpass", "authpass",
		"smtppass", "keypass", "storepass", "clientsecret", "secretkey", "appsecret", "consumersecret",
		"sharedsecret", "jwtsecret", "apisecret", "authtoken", "accesstoken", "refreshtoken", "bearertoken",
		"apitoken", "sessiontoken", "idtoken", "apikey", "secretaccesskey", "privatekey", "encryptionkey",
		"signingkey", "masterkey", "accountkey", "sharedaccesskey",
	}
	weak = []string{
		"token", "key", "credential", "credentials", "creds", "cred", "auth", "pat", "jwt", "bearer", "cookie",
		"otp", "signature", "sig", "webhook", "dsn", "tokens", "keys", "passwords", "secrets", "accesskey",
		"authkey", "licensekey", "deploykey", "sessionkey", "apikeys", "connectionstring", "hmac", "passkey",
	}
	unlike = []string{
		"count", "counts", "type", "name", "file", "path", "dir", "limit", "limits", "usage", "used", "budget",
		"size", "len", "length", "ttl", "expiry", "expires", "expiration", "format", "policy", "manager", "store",
		"version", "max", "min", "total", "cost", "per", "rate", "ms", "seconds", "url", "uri", "public", "pub",
		"primary", "foreign", "sort", "partition", "hint", "help", "label", "placeholder", "description", "regex",
		"pattern", "test", "field", "column", "kind", "algorithm", "alg", "method", "provider", "scope", "scopes",
		"mode", "enabled", "required", "rotation", "binding", "bindings", "press", "pressed", "code", "board",
		"map", "id", "ids", "input", "output", "cached", "cache", "thinking", "reasoning", "context", "prompt",
		"completion", "fingerprint", "checksum", "index", "status", "state",
	}
	// placeholders are values that are written in place of a secret.
	placeholders = []string{
		"string", "str", "bool", "boolean", "none", "null", "nil", "true", "false", "undefined", "required",
		"optional", "number", "object", "bytes", "text", "masked", "redacted", "hidden", "example", "changeme",
		"password", "secret", "token", "bearer", "basic", "missing", "invalid", "incorrect", "empty", "unset",
		"value", "default", "prompt", "username", "yes", "no", "on", "off", "ok", "failed", "error", "denied",
		"expired", "wrong", "unknown", "any", "disabled", "enabled", "const", "let", "var", "self", "this",
		"function", "return", "process", "environ", "getenv", "require", "import", "field", "option",
		"authentication", "authorization",
	}
)

// mostName and mostValue bound names and values, in bytes.
const (
	mostName  = 80
	mostValue = 4096
)

// named returns the values that names say are secrets: variables, fields, headers, arguments of programs.
func named(text string) []span {
	var spans []span
	for i := 0; i < len(text); i++ {
		var from int
		switch text[i] {
		case '=', ':':
			from = i + 1
		case ' ':
			// An argument of its own behind its name: --password VALUE.
			if !isFlag(text, i) {
				continue
			}
			from = i
		default:
			continue
		}
		start, quoted := nameBefore(text, i)
		if start < 0 {
			continue
		}
		name := text[start : start+quoted]
		sure := confidence(name)
		if sure == 0 {
			continue
		}
		if s, ok := valueFrom(text, from, sure, assigned(text, start, i)); ok {
			spans = append(spans, s)
			i = max(i, s.to-1)
		}
	}
	return spans
}

// isFlag reports whether a blank ends a word that begins with a dash.
func isFlag(text string, blank int) bool {
	from := blank
	for from > 0 && blank-from < mostName && isNamePart(text[from-1]) {
		from--
	}
	return blank-from > 3 && text[from] == '-' && (from == 0 || text[from-1] == ' ')
}

// assigned reports whether a name at the beginning of a word is set as a shell does it, or as an argument: NAME=VALUE.
func assigned(text string, start, sign int) bool {
	return text[sign] == ' ' || text[sign] == '=' && sign > 0 && isNamePart(text[sign-1]) &&
		(start == 0 || strings.IndexByte(" \t\n-;'\"`$&?(", text[start-1]) >= 0 || text[start] == '-')
}

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

func isNamePart(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.'
}

// nameBefore is where the name before a sign begins, and how long it is; start is -1 without one.
func nameBefore(text string, sign int) (start, length int) {
	end := sign
	for end > 0 && sign-end < 4 && strings.IndexByte(" \"'\\])", text[end-1]) >= 0 {
		end--
	}
	start = end
	for start > 0 && end-start < mostName && isNamePart(text[start-1]) {
		start--
	}
	if start == end {
		return -1, 0
	}
	return start, end - start
}

// confidence says how sure a name says that its value is a secret: 2 for a strong one, 1 for a weak one, 0 for others.
func confidence(name string) int {
	if !slices.ContainsFunc(hints, func(hint string) bool { return containsFold(name, hint) }) {
		return 0
	}
	words := wordsOf(name)
	if len(words) == 0 || name == "PWD" || name == "OLDPWD" { // the folder of a shell
		return 0
	}
	sure := 0
	for i := range words {
		for j := i + 1; j <= min(len(words), i+3); j++ {
			switch joined := strings.Join(words[i:j], ""); {
			case slices.Contains(strong, joined), strings.HasSuffix(joined, "password") && len(joined) > 8,
				strings.HasSuffix(joined, "passwd"), j == i+1 && len(joined) > 6 && strings.HasSuffix(joined, "secret"):
				sure = 2
			case slices.Contains(weak, joined), strings.HasSuffix(joined, "token"),
				strings.HasSuffix(joined, "apikey"):
				sure = max(sure, 1)
			}
		}
	}
	last := words[len(words)-1]
	if sure > 0 && (slices.Contains(unlike, last) || slices.Contains(unlike, words[0])) {
		return 0
	}
	return sure
}

// hints are parts of all names that say something.
var hints = []string{
	"pass", "pwd", "secret", "token", "key", "cred", "auth", "pat", "jwt", "bearer", "cookie", "otp", "sig", "webhook",
	"dsn", "mnemonic", "connection", "hmac", "pword", "psw",
}

func containsFold(text, part string) bool {
	for i := 0; i+len(part) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// wordsOf are the words of a name, in lower case: DB_PASSWORD, clientSecret, x-api-key.
func wordsOf(name string) []string {
	var words []string
	start := 0
	end := func(i int) {
		if word := strings.ToLower(strings.Trim(name[start:i], "_-.0123456789")); word != "" {
			words = append(words, word)
		}
		start = i
	}
	for i := 1; i < len(name); i++ {
		before, now := name[i-1], name[i]
		switch {
		case strings.IndexByte("_-.", now) >= 0 || strings.IndexByte("_-.", before) >= 0,
			before >= 'a' && before <= 'z' && isUpper(now):
			end(i)
		case i+1 < len(name) && isUpper(before) && isUpper(now) && name[i+1] >= 'a' && name[i+1] <= 'z':
			end(i)
		}
	}
	end(len(name))
	return words
}

// valueFrom is the value behind a sign; ok is false if it is no secret.
func valueFrom(text string, from, sure int, assigned bool) (s span, ok bool) {
	at := from
	if at < len(text) && (text[at] == '>' || text[at] == '=') { // => and ==
		at++
	}
	blanks := at
	for at < len(text) && at-blanks < 4 && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	spaced := at > blanks
	for at < len(text) && text[at] == '\\' { // within JSON within JSON
		at++
	}
	var quote byte
	if at < len(text) && strings.IndexByte("\"'`", text[at]) >= 0 {
		quote = text[at]
		at++
	}
	if at >= len(text) {
		return s, false
	}
	end := at
	for end < len(text) && end-at < mostValue && (text[end] >= ' ' || text[end] == '\t') {
		if quote != 0 && (text[end] == quote || text[end] == '\\' && end+1 < len(text) && text[end+1] == quote) ||
			quote == 0 && strings.IndexByte(" \t\"'`,;", text[end]) >= 0 {
			break
		}
		end++
	}
	if quote == 0 {
		end = at + len(strings.TrimRight(text[at:end], ".)]}>"))
	}
	value := text[at:end]
	if end == at || !isSecret(value, sure, quote != 0, assigned && !spaced, endsLine(text, end)) {
		return s, false
	}
	return span{at, end}, true
}

// endsLine reports whether nothing is behind a value in its line.
func endsLine(text string, at int) bool {
	return at >= len(text) || strings.IndexByte("\n\"'", text[at]) >= 0 ||
		strings.TrimLeft(text[at:min(len(text), at+2)], ",; \n") == ""
}

// isSecret judges a value with a name.
func isSecret(value string, sure int, quoted, assigned, endsLine bool) bool {
	const least, leastWeak, leastPlain = 4, 8, 6
	lower := strings.ToLower(strings.Trim(value, "-_.!?*<>[](){}"))
	switch {
	case len(value) < least, strings.Trim(value, value[:1]) == "", strings.Contains(value, mark):
		return false
	case strings.IndexByte("$<{%[(&|/@*", value[0]) >= 0 && !isRandom(value), strings.Contains(value, "://"):
		return false
	case slices.Contains(placeholders, lower), strings.Contains(value, "(") && !quoted, strings.HasPrefix(value, "./"),
		strings.HasPrefix(value, "~/"), strings.HasPrefix(value, "..."), strings.HasPrefix(value, "…"):
		return false
	case isPlainNumber(value):
		return sure == 2 && (assigned || len(value) >= leastWeak)
	}
	if strings.IndexByte(value, ' ') >= 0 {
		const mostBlanks = 12
		n := strings.Count(value, " ")
		return sure == 2 && quoted && assigned && n <= mostBlanks
	}
	if sure == 1 {
		return len(value) >= leastWeak && isRandom(value)
	}
	switch {
	case isRandom(value):
		return true
	case strings.Contains(strings.Trim(value, "."), ".") && !quoted && isIdentifier(value): // a field of a program
		return false
	case assigned, quoted:
		return len(value) >= least && !strings.ContainsAny(value, "{}<>")
	}
	if len(value) < leastPlain || !endsLine || strings.ContainsAny(value, "{}<>|`/\\") {
		return false
	}
	sign := func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-_:", r) }
	return strings.ContainsFunc(value, sign) || len(value) >= 10 && value == strings.ToLower(value)
}

func isPlainNumber(text string) bool { return strings.Trim(text, "0123456789.,_kKmM%") == "" }

// isIdentifier reports whether a text is names joined by points.
func isIdentifier(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && r != '_' && r != '.' && !unicode.IsDigit(r)
	}) < 0 && !unicode.IsDigit(rune(text[0]))
}

// isRandom reports whether a text looks as programs make secrets: a part of it mixes letters and digits, or the
// cases of letters, as no word does.
func isRandom(text string) bool {
	if len(text) < 8 || strings.Contains(text, "..") || strings.ContainsAny(text, "<>{}()|\\") {
		return false
	}
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i] == '+' || text[i] == '/' ||
			isNamePart(text[i]) && strings.IndexByte("_-.", text[i]) < 0) {
			continue
		}
		if mixes(text[start:i]) {
			return true
		}
		start = i + 1
	}
	return false
}

// mixes reports whether a part of a text changes often between letters, digits and cases.
func mixes(part string) bool {
	const least = 6
	if len(part) < least || strings.Count(part, "/") > 1+len(part)/16 {
		return false
	}
	changes, digits, letters := 0, 0, 0
	kind := func(b byte) int {
		switch {
		case b >= '0' && b <= '9':
			return 0
		case b >= 'a' && b <= 'z':
			return 1
		}
		return 2
	}
	for i := range len(part) {
		if kind(part[i]) == 0 {
			digits++
		} else {
			letters++
		}
		if i > 0 && kind(part[i]) != kind(part[i-1]) && (i != 1 || kind(part[0]) != 2) {
			changes++
		}
	}
	return letters > 1 && (digits > 0 && changes*5 >= len(part) || changes*4 >= len(part) && len(part) >= 10)
}
