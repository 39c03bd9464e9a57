package story

import (
	"regexp"
	"strings"
	"sync"
)

// pattern compiles a pattern when it is first used.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	headingLine   = pattern(`^(#{1,6})(?:[ \t]+(.*?))?[ \t]*$`)
	headingClosed = pattern(`(?:^|[ \t]+)#+$`)
	numbered      = pattern(`^(\d+(?:\.\d+)*)(?:[.):]+[ \t]*|[ \t]+(?:[-–—][ \t]+)?|$)(.*)$`)
	numberless    = pattern(`^[.):]+[ \t]*(.*)$`)
	nearHeading   = pattern(`^##[\pL\d]`)
	afterTitle    = pattern(`(?i)[ \t]*\((?:depends on|after):?[ \t]+([^()]*)\)`)
	afterLine     = pattern(`(?i)^[ \t]*(?:[-*+][ \t]+)?[*_]*depends on[*_]*[ \t]*:[*_]*[ \t]*(.*)$`)
)

// heading returns the level and title of a heading; 0 for any other line.
func heading(line string) (level int, title string) {
	indented := strings.TrimLeft(line, " ")
	if len(line)-len(indented) > 3 {
		return 0, ""
	}
	parts := headingLine().FindStringSubmatch(strings.TrimRight(indented, " \t\r"))
	if parts == nil {
		return 0, ""
	}
	return len(parts[1]), headingClosed().ReplaceAllString(parts[2], "")
}

// number splits a title into its number and the rest. Missing is true if there is only what would follow a number.
func number(title string) (id, rest string, missing bool) {
	if parts := numbered().FindStringSubmatch(title); parts != nil {
		return parts[1], trim(parts[2]), false
	}
	if parts := numberless().FindStringSubmatch(title); parts != nil {
		return "", trim(parts[1]), true
	}
	return "", title, false
}
