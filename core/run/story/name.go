package story

import (
	"strings"
	"unicode"
)

// longestSlug bounds an id that is made from a title, in bytes: with what is added, it fits the name of a session.
const longestSlug = 60

// slug makes an id from a title, which can be part of the name of a branch, a folder or a session: letters and
// digits in lower case, with a dash for all between them.
func slug(title string) string {
	var b strings.Builder
	dash := false
	for _, r := range title {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			dash = true
			continue
		}
		if b.Len() >= longestSlug {
			break
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(unicode.ToLower(r))
	}
	if b.Len() == 0 {
		return "story"
	}
	return b.String()
}

// Group is the name of what the runs of a change have in common: the session of their panes, and the folder of their
// worktrees.
func Group(change string) string { return "story-" + slug(change) }

// TreeName is the name of the run's worktree among those of agents: SESSION/AGENT.
func (r *Run) TreeName() string { return Group(r.Name) + "/" + r.ID }
