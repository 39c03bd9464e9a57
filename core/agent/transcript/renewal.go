package transcript

import (
	"context"
	"slices"
	"strings"
	"time"

	"cupola/core/agent"
)

// renewal returns the identity of an agent that got a command to begin another conversation, and took no prompt in
// it that is
// on record.
func (c *claim) renewal(ctx context.Context, place *Subject, others rivals) Identity {
	former := c.leaves(others)
	if len(former) == 0 {
		return Identity{New: true, Why: c.why}
	}
	if !c.stayed {
		if started, why := c.started(place, former[0], others); why != "" {
			return Identity{Session: started, Certain: started != "", Why: why, New: true}
		}
	}
	now := place.Now
	if now.IsZero() {
		now = time.Now()
	}
	switch settled := now.Sub(c.left) >= settling; {
	case settled && (c.stayed || c.holds(place, former[0])):
		c.why = "the agent has started no other"
		return c.among(place, former, len(former) == 1)
	case !c.stayed && gone(ctx, place, former[0]):
		return Identity{New: true, Why: "its screen shows nothing of the conversation before"}
	}
	own := former[0]
	found := Identity{Path: own.path, Session: own.id, Leaving: true}
	for _, r := range former {
		found.Fits = append(found.Fits, r.fit())
	}
	return found
}

// leaves returns the records that may be the conversation before the command, the likeliest first.
func (c *claim) leaves(others rivals) []*record {
	former := c.former
	if len(former) == 0 {
		former = slices.DeleteFunc(slices.Clone(c.records),
			func(r *record) bool { return r.aside || r.last().text == "" })
	}
	return newestFirst(distinct(others.free(former)))
}

// started returns the session that the agent has started since it was ordered to, and the evidence; without a reason if
// there is none.
func (c *claim) started(place *Subject, former *record, others rivals) (session, why string) {
	since := c.left.Add(-clockSkew)
	for session, at := range c.locks(place) {
		if at.After(since) && session != former.id {
			return session, "the agent's process has locked it"
		}
	}
	for _, r := range others.free(c.records) {
		if r.begins.After(since) && !r.same(former) && !r.aside {
			return r.id, "it was started when the agent was ordered to start another"
		}
	}
	return "", ""
}

func (c *claim) locks(place *Subject) map[string]time.Time {
	if how, _ := storageOf(place.Kind); how.locks != nil {
		return how.locks(place)
	}
	return nil
}

// holds reports whether the agent's process has locked the session of a record: had it started another, it would have
// locked that one too.
func (c *claim) holds(place *Subject, r *record) bool {
	_, locked := c.locks(place)[r.id]
	return locked
}

// gone reports whether the agent's screen, on which its composer is drawn, shows nothing of a conversation that it
// showed.
func gone(ctx context.Context, place *Subject, r *record) bool {
	if place.Screen == nil {
		return false
	}
	words, composed := place.Screen()
	said, err := ReadPath(ctx, place.Kind, r.path, r.id)
	if !composed || err != nil {
		return false
	}
	words = agent.Squeeze(words)
	for _, text := range []string{said.Turn.Prompt, said.Turn.Message, said.Earlier.Message} {
		for _, piece := range lineBeginnings(text) {
			if strings.Contains(words, piece) {
				return false
			}
		}
	}
	return true
}

// lineBeginnings returns the beginnings of the lines of a text that a screen shows unchanged if it shows them: programs
// draw Markdown in their own way, and wrap lines.
func lineBeginnings(text string) (pieces []string) {
	const least, most = 5, 16
	parts := func(r rune) bool { return strings.ContainsRune("\n*_`#|[]()<>~", r) }
	for _, words := range strings.FieldsFunc(text, parts) {
		if piece := agent.Squeeze(words); len(piece) >= least {
			pieces = append(pieces, piece[:min(most, len(piece))])
		}
	}
	return pieces
}
