package agentsession

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
)

// Subject is where an agent is, from which its session is found.
type Subject struct {
	// Named is the id that was given explicitly, and Inherited that of the environment.
	Named, Inherited string
	// Dir is the folder that one is in, Pane the pane.
	Dir  string
	Pane Pane
}

// Find returns the session of a place: that which is named; else that whose folder is this one or the nearest above,
// if its owner lives, preferably that of the same pane; else that of the environment, if its folder is this one or
// above. It never returns a session of another folder unless it is named.
//
// Ambiguous says that several fit, NotFound that there is none with the given id, and SessionRequired that none was
// found.
func (b *Directory) Find(p Subject) (*Session, error) {
	if id := story.Given(p.Named); id != "" {
		return b.Load(id)
	}
	all, err := b.All()
	if err != nil {
		return nil, err
	}
	dir := resolved(p.Dir)
	here := slices.DeleteFunc(all, func(s Session) bool { return !s.has(dir) })
	// In the folder of a session that ended, one of a folder above it would be that of other tasks.
	living, ended := split(deepest(here))
	if len(living) > 0 {
		return only(inPane(living, p.Pane))
	}
	if id := story.Given(p.Inherited); id != "" {
		s, err := b.Load(id)
		switch {
		case err != nil:
			return nil, err
		case s.has(dir):
			return s, nil
		}
		return nil, required(fmt.Sprintf("the session %s of the environment belongs to another folder, %s", id, s.Dir),
			ended)
	}
	return nil, required("no session is found in "+dir, ended)
}

// Ended returns the session that was left by its owner: the named one, else the newest of a change in or above a
// folder, else the only one there. It fails as Find, or with ChangeLocked. It does not judge whether the
// owner of a named one ended.
func (b *Directory) Ended(p Subject, change string) (*Session, error) {
	if id := story.Given(p.Named); id != "" {
		return b.Load(id)
	}
	all, err := b.All()
	if err != nil {
		return nil, err
	}
	dir := resolved(p.Dir)
	here := slices.DeleteFunc(all, func(s Session) bool {
		return !s.has(dir) || change != "" && s.Change != change
	})
	living, ended := split(here)
	switch {
	case len(ended) == 0 && len(living) > 0:
		return nil, lockedError(&living[0])
	case len(ended) == 0 && change != "":
		return nil, required(fmt.Sprintf("no session of the change %q was left in %s", change, dir), nil)
	case len(ended) == 0:
		return nil, required("no session was left in "+dir, nil)
	case change != "":
		return &ended[0], nil
	}
	return only(ended)
}

// split divides sessions into those whose owner lives, and those whose owner ended.
func split(all []Session) (living, ended []Session) {
	for i := range all {
		if all[i].Owner.Alive() {
			living = append(living, all[i])
		} else {
			ended = append(ended, all[i])
		}
	}
	return living, ended
}

// deepest returns the sessions whose folder is as deep as any.
func deepest(all []Session) []Session {
	longest := 0
	for i := range all {
		longest = max(longest, len(all[i].Dir))
	}
	return slices.DeleteFunc(all, func(s Session) bool { return len(s.Dir) < longest })
}

// inPane returns those of some sessions that are of a pane; all of them if none is.
func inPane(all []Session, pane Pane) []Session {
	own := slices.DeleteFunc(slices.Clone(all), func(s Session) bool { return s.Pane != pane })
	if pane == (Pane{}) || len(own) == 0 {
		return all
	}
	return own
}

// only returns the session that alone fits, or Ambiguous.
func only(fit []Session) (*Session, error) {
	if len(fit) == 1 {
		return &fit[0], nil
	}
	ids := make([]string, len(fit))
	of := make([]string, len(fit))
	for i := range fit {
		ids[i] = fit[i].ID
		of[i] = fit[i].ID + " (" + fit[i].Change + ")"
	}
	return nil, &core.Error{
		Code: core.Ambiguous, Message: "several sessions fit: " + strings.Join(of, ", "), Suggestions: ids,
		Remedies: []core.Remedy{core.RemedyNameAgentSession}, Details: map[string]any{"session_ids": ids},
	}
}

// required is the error of a place without a session. Ended are the sessions that could be resumed.
func required(why string, ended []Session) error {
	e := &core.Error{
		Code: core.SessionRequired, Message: why, Remedies: []core.Remedy{core.RemedyStartAgentSession},
	}
	if len(ended) > 0 {
		e.Message += fmt.Sprintf("; the owner of the session %s (%s) ended", ended[0].ID, ended[0].Change)
		e.Remedies = []core.Remedy{core.RemedyResumeAgentSession}
		e.Subject.Run = ended[0].ID
	}
	return e
}

// StoryOf returns the story of a change that an agent works on: that which is named, else the current one of its
// session, else that of the environment. StoryRequired says that none is known, StoryNotFound that the change has none
// with the given id.
func (s *Session) StoryOf(c *story.Change, named, inherited string) (*story.Story, error) {
	id := cmp.Or(story.Given(named), story.Given(s.Story), story.Given(inherited))
	if id == "" {
		return nil, &core.Error{
			Code: core.StoryRequired, Message: "the session " + s.ID + " has no current story",
			Remedies: []core.Remedy{core.RemedyNextStory}, Subject: core.Subject{Run: s.ID},
		}
	}
	return c.Find(id)
}
