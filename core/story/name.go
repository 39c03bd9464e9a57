package story

import (
	"strings"
	"unicode"
)

// longestSlug bounds an id that is made from a title, in characters.
const longestSlug = 48

// Slug makes an id from a title, which can be part of the name of a branch, a folder, a session or an agent: letters and
// digits in lower case, with a dash for all between them.
func Slug(title string) string {
	var b strings.Builder
	dash, n := false, 0
	for _, r := range title {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			dash = true
			continue
		}
		if n == longestSlug {
			break
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(unicode.ToLower(r))
		n++
	}
	if b.Len() == 0 {
		return "story"
	}
	return b.String()
}

// Group is the name of what the runs of a change have in common: the session of their panes, and the folder of their
// worktrees.
func Group(change string) string { return "story-" + Slug(change) }

// TreeName is the name of the run's worktree among those of agents: SESSION/AGENT.
func (r *Run) TreeName() string { return Group(r.Name) + "/" + r.ID }
