package transcript

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// Identity is the conversation of an agent, as far as it is known.
type Identity struct {
	// Path is the file that holds the conversation, Session the id by which the agent resumes it; either may be empty.
	// Without Path, nothing of the conversation is on record yet.
	Path    string
	Session string
	// Certain is false if the conversation may be another one: the agent may have left it, or another agent in the
	// same folder may have written it. Fits are then all that it may be, the likeliest, which Path names, first.
	Certain bool
	Fits    []Fit
	// Why is the evidence for the identity; empty without any.
	Why string
	// New is true if the agent has started a conversation and taken no prompt since, so that nothing is on record.
	New bool
	// Leaving is true if the agent got a command to start another conversation, and nothing shows that it did: it may
	// not have done so yet, or not at all. Then no conversation is Certain, and Path names the one before.
	Leaving bool
}

// Earlier returns the ids of the sessions that hold prompts which an agent took, each in no other session: those in
// which it was since it was started.
func Earlier(ctx context.Context, place *Subject) (sessions []string) {
	kind, ok := storageOf(place.Kind)
	if !ok || place.Env == nil {
		return nil
	}
	c, err := place.claim(ctx, kind)
	if err != nil || len(c.records) < 2 {
		return nil
	}
	for _, p := range place.asked() {
		holders := distinct(slices.DeleteFunc(slices.Clone(c.records), func(r *record) bool { return !r.took(p) }))
		if len(holders) == 1 && holders[0].id != "" && !slices.Contains(sessions, holders[0].id) {
			sessions = append(sessions, holders[0].id)
		}
	}
	return sessions
}

// Fit is one of several conversations that may be an agent's.
type Fit struct {
	Session string `json:"session_id,omitempty"`
	Path    string `json:"path"`
	// Prompt is its last prompt; At is when that, or else anything, was written to it.
	Prompt string    `json:"prompt,omitempty"`
	At     time.Time `json:"at,omitzero"`
}

// Identify finds the conversation of an agent. The newest evidence decides: the record with the prompt that the agent
// took last, the session that it named itself, the one that it was started with. Without any, it is the only
// conversation in its folder that grew since the agent was started and is no other agent's. Records of sub-agents are
// never chosen. A command that starts another conversation counts once something else shows that it was carried out:
// agents ask first, or refuse. It returns ErrNone for kinds that keep no records.
func Identify(ctx context.Context, place *Subject) (Identity, error) {
	kind, ok := storageOf(place.Kind)
	if !ok || place.Env == nil {
		return Identity{}, ErrNone
	}
	shared, err := place.claim(ctx, kind)
	if err != nil {
		return Identity{}, err
	}
	mine := *shared
	return mine.decide(ctx, place, mine.rivals(ctx, place, kind)), nil
}

// commands are the commands with which agents leave a conversation: for a new one, or for one that may be old.
var (
	renewing = regexp.MustCompile(`^\s*/(new|clear|reset)(\s|$)`)
	leaving  = regexp.MustCompile(`^\s*/(new|clear|reset|resume|continue|fork|branch|sessions?|chat|tree|rewind)(\s|$)`)
)

// settling is how long an agent may take to carry out a command that begins another conversation, on a busy machine
// too: some took 9 s. Until then, it is in none for sure.
const settling = 20 * time.Second

// claim is the evidence that assigns records to an agent, without regard to other agents.
type claim struct {
	// records may be the agent's own, the one written last first.
	records []*record
	// open is true if the agent's processes hold the records open, so that no other agent's are among them.
	open bool
	// fits are the records that the newest evidence names: one if it is sure, none without evidence. since is the
	// time of the evidence, and why says what it is.
	fits  []*record
	since time.Time
	why   string
	// session is the id that the evidence names if no record has it.
	session string
	// left is when the agent was sent out of its conversation, if nothing shows another one since then;
	// renewed is true
	// if that was into a new one. former are the records that may be the conversation before, stayed is true if the
	// agent names that one.
	left            time.Time
	renewed, stayed bool
	former          []*record
	// missing is true if the agent took a prompt that none of the records holds.
	missing bool
}

// memo keeps a claim for the peers of an agent.
type memo struct {
	once  sync.Once
	claim *claim
	err   error
}

// Shared returns a place whose evidence is read once and kept, so that agents in one folder can be compared cheaply.
func (p Subject) Shared() *Subject {
	p.memo = &memo{}
	return &p
}

// claim returns the evidence about an agent; of a place that is shared, the one that was read first.
func (p *Subject) claim(ctx context.Context, kind storage) (*claim, error) {
	if p.memo == nil {
		return p.newClaim(ctx, kind)
	}
	p.memo.once.Do(func() { p.memo.claim, p.memo.err = p.newClaim(ctx, kind) })
	return p.memo.claim, p.memo.err
}

func (p *Subject) newClaim(ctx context.Context, kind storage) (*claim, error) {
	if kind.live != nil {
		if live, since := kind.live(p); live != "" {
			named := *p
			named.Session, named.Named, p = live, since, &named
		}
	}
	records, spawned, err := p.records(ctx, kind)
	if err != nil {
		return nil, err
	}
	c := &claim{records: records}
	if kind.newReader != nil {
		held := slices.DeleteFunc(slices.Clone(records),
			func(r *record) bool { return !slices.Contains(p.Open, r.path) })
		if c.open = len(held) > 0; c.open {
			c.records = held
		}
	}
	asked := p.asked()
	c.byPrompts(asked, p.Command)
	if !slices.Contains(spawned, p.Session) {
		c.bySession(p, records)
	}
	c.byStart(p, records)
	c.byLocks(p)
	c.refine(asked, p.Session, p.Launched)
	return c, nil
}

// byLocks leaves out the records of sessions that the agent has not locked, if it has locked some.
func (c *claim) byLocks(p *Subject) {
	locked := c.locks(p)
	free := func(r *record) bool { _, is := locked[r.id]; return !is }
	if c.open || slices.IndexFunc(c.records, func(r *record) bool { return !free(r) }) < 0 {
		return
	}
	c.open, c.records = true, slices.DeleteFunc(slices.Clone(c.records), free)
	if own := slices.DeleteFunc(slices.Clone(c.fits), free); len(own) > 0 {
		c.fits = own
	}
}

// byPrompts finds the records that hold the newest prompt that is on record at all. isCommand reports whether
// the agent
// takes a text for a command, which is on no record.
func (c *claim) byPrompts(asked []core.TakenPrompt, isCommand func(text string) bool) {
	for _, p := range asked {
		var holders []*record
		for _, r := range c.records {
			if !r.grown.Before(p.Sent.Add(-clockSkew)) && r.took(p) {
				holders = append(holders, r)
			}
		}
		switch {
		case len(holders) > 0 && !c.left.IsZero():
			c.former = holders
			return
		case len(holders) > 0:
			c.fits, c.since, c.why = holders, p.Sent, "it holds the last prompt"
			return
		case !c.left.IsZero():
		case leaving.MatchString(p.Text):
			c.left, c.renewed = p.Sent, renewing.MatchString(p.Text)
		default:
			c.missing = c.missing || isCommand == nil || !isCommand(p.Text)
		}
	}
}

// bySession takes the session that the agent itself named, unless the agent took a prompt or left it since. A zero
// Named is now.
func (c *claim) bySession(p *Subject, all []*record) {
	at := p.Named
	if at.IsZero() {
		at = always
	}
	switch own := ofSession(all, p.Session); {
	case p.Session == "" || at.Before(c.since):
		return
	case c.renewed && c.wasIn(own):
		// It may have named it while it was leaving; what it names now it has not left, or not yet.
		c.former, c.stayed = own, at.Equal(always)
		return
	case at.Before(c.left):
		return
	}
	*c = claim{
		records: c.records, open: c.open, missing: c.missing, fits: ofSession(all, p.Session), since: at,
		why: "the agent names it", session: p.Session, renewed: true,
	}
}

// wasIn reports whether records are the conversation that the agent was ordered to leave.
func (c *claim) wasIn(records []*record) bool {
	if len(records) == 0 || len(c.former) > 0 {
		return len(records) > 0 && slices.ContainsFunc(c.former, records[0].same)
	}
	last := records[0].last()
	return last.text != "" && !last.after(c.left, records[0].grown)
}

// byStart takes the session that the agent was started with, if nothing newer shows another.
func (c *claim) byStart(p *Subject, all []*record) {
	if p.Launched == "" {
		return
	}
	if !c.left.IsZero() && len(c.former) == 0 {
		c.former = ofSession(all, p.Launched)
	}
	if c.why == "" && c.left.IsZero() {
		c.fits, c.since, c.why = ofSession(all, p.Launched), p.Started, "the agent was started with it"
		c.session = p.Launched
	}
}

// always is later than anything on record.
var always = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// refine chooses among several records that hold the same prompt.
func (c *claim) refine(asked []core.TakenPrompt, sessions ...string) {
	c.fits = distinct(c.fits)
	best, most := c.fits, 0
	for _, r := range c.fits {
		count := 0
		for _, one := range asked {
			if r.took(one) {
				count++
			}
		}
		switch {
		case len(c.fits) == 1 || count < most:
		case count > most:
			best, most = []*record{r}, count
		default:
			best = append(best, r)
		}
	}
	c.fits = best
	for _, session := range sessions {
		if own := ofSession(c.fits, session); len(own) > 0 {
			c.fits = own
		}
	}
}

// rivals says which of an agent's records belong to other agents of its kind.
type rivals struct {
	// taken are the keys of records that are theirs for sure, contested the keys of records that may be.
	taken, contested []string
	// unknown is true if nothing shows which records one of them has.
	unknown bool
}

// rivals compares the claim with those of the other agents in the folder.
func (c *claim) rivals(ctx context.Context, place *Subject, kind storage) (found rivals) {
	if place.Peers == nil || len(c.records) == 0 {
		return found
	}
	for _, peer := range place.Peers() {
		theirs, err := peer.claim(ctx, kind)
		if err != nil || !theirs.shares(c.records) {
			continue
		}
		switch len(theirs.fits) {
		case 1:
			found.taken = append(found.taken, theirs.fits[0].key())
		case 0:
			found.unknown = found.unknown || theirs.session == ""
		default:
			for _, r := range theirs.fits {
				found.contested = append(found.contested, r.key())
			}
		}
	}
	return found
}

// shares reports whether one of some records may be the agent's.
func (c *claim) shares(records []*record) bool {
	return slices.ContainsFunc(c.records, func(own *record) bool {
		return slices.ContainsFunc(records, func(r *record) bool { return r.key() == own.key() })
	})
}

// free returns the records that are no other agent's for sure.
func (v *rivals) free(records []*record) []*record {
	return slices.DeleteFunc(slices.Clone(records), func(r *record) bool { return slices.Contains(v.taken, r.key()) })
}

// decide chooses a record, and says whether another one fits too.
func (c *claim) decide(ctx context.Context, place *Subject, others rivals) Identity {
	switch {
	case c.stayed:
		return c.renewal(ctx, place, others)
	case len(c.fits) == 1:
		return c.goesOn(place, c.fits[0], others)
	case len(c.fits) > 1:
		fits := others.free(c.fits)
		if len(fits) == 0 {
			fits = c.fits
		}
		if len(fits) == 1 {
			return c.goesOn(place, fits[0], others)
		}
		return c.among(place, newestFirst(fits), c.open)
	case c.session != "" && c.renewed:
		return Identity{Session: c.session, Certain: true, Why: c.why, New: !c.missing}
	}
	fits := c.sinceLeft(others.free(c.records))
	switch {
	case len(fits) == 0 && c.renewed && !c.missing:
		return c.renewal(ctx, place, others)
	case len(fits) == 0:
		return Identity{Session: c.session, Certain: c.session != "", Why: c.why}
	case c.moved():
		return c.among(place, fits, false)
	case c.open:
		c.why = "the agent's process holds it open"
		return c.among(place, fits[:1], true)
	}
	c.why = "no other conversation in its folder grew since the agent was started"
	sure := len(fits) == 1 && c.session == "" && !others.unknown && !c.missing &&
		!slices.Contains(others.contested, fits[0].key())
	return c.among(place, fits, sure)
}

// goesOn returns a record that is the agent's for sure, unless it seems to have gone on in another one since.
func (c *claim) goesOn(place *Subject, own *record, others rivals) Identity {
	until := own.grown
	if until.Before(c.since) {
		until = c.since
	}
	fits := []*record{own}
	for _, r := range distinct(others.free(c.records)) {
		// A fork begins with its prompts; that is no sign that the agent is in the fork.
		if r.key() != own.key() && !r.same(own) && !r.aside && r.grown.After(until) &&
			r.last().after(until, r.grown) && !own.holds(r.last()) {
			fits = append(fits, r)
		}
	}
	if len(fits) > 1 && c.open {
		// Both are open in its own processes: it continued in the one with its last prompt.
		c.why = "the agent's process continued in it"
		return c.among(place, newestFirst(fits)[:1], true)
	}
	return c.among(place, fits, len(fits) == 1)
}

// among returns the identity of an agent to which some records fit; sure is true if it is the first.
func (c *claim) among(place *Subject, fits []*record, sure bool) Identity {
	own, why := fits[0], c.why
	if r := shown(place, fits); !sure && r != nil {
		own, why, sure = r, "its screen shows the last prompt", true
	}
	found := Identity{Path: own.path, Session: own.id, Certain: sure, Why: why}
	if !sure {
		found.Why = ""
		for _, r := range fits {
			found.Fits = append(found.Fits, r.fit())
		}
	}
	return found
}

// moved reports whether the agent was sent to a conversation that may be an old one, and nothing shows which.
func (c *claim) moved() bool { return !c.left.IsZero() && !c.renewed }

// sinceLeft returns the records in which something was asked since the agent left its conversation, the newest first;
// all of them if it was sent to an old one and nothing was asked since.
func (c *claim) sinceLeft(records []*record) []*record {
	all := newestFirst(distinct(records))
	if len(all) > 1 {
		all = slices.DeleteFunc(all, func(r *record) bool { return r.aside })
	}
	since := slices.DeleteFunc(slices.Clone(all), func(r *record) bool {
		started := c.moved() && r.begins.After(c.left)
		return !started && !r.last().after(c.left, r.grown)
	})
	switch {
	case c.left.IsZero(), c.moved() && len(since) == 0:
		return all
	case c.moved():
		c.left = time.Time{}
	}
	return since
}

// shown returns the record whose last prompt is the lowest on the agent's screen; nil if the screen does not decide.
func shown(place *Subject, records []*record) *record {
	if place.Shown == nil || len(records) < 2 {
		return nil
	}
	prompts := core.Map(records, func(r *record) string { return r.last().text })
	rows := place.Shown(prompts)
	best, lowest := -1, -1
	for i, row := range rows {
		switch {
		case row > lowest:
			best, lowest = i, row
		case row == lowest:
			best = -1
		}
	}
	if best < 0 {
		return nil
	}
	for i, r := range records {
		// Programs show something else in place of a long prompt.
		if rows[i] < 0 && collapsible(prompts[i]) && !r.last().at.Before(records[best].last().at) {
			return nil
		}
	}
	return records[best]
}

// collapsible reports whether a screen may not show a prompt as it is.
func collapsible(prompt string) bool {
	const short = 150
	return len(prompt) > short || strings.Contains(strings.TrimSpace(prompt), "\n")
}
