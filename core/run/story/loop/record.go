package loop

import (
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/text/secret"
)

// recorder keeps the record of a run true while this process works on it: each change is saved, and reported by an
// event. All of Run is guarded by mu while agents work.
type recorder struct {
	*story.Run
	directory *Directory
	// log takes the events; seq is the number of the last one.
	log  *run.Log[story.Event]
	seq  int64
	emit func(story.Event)
	now  func() time.Time

	mu sync.Mutex
}

// note records events at once with the state of the run.
func (r *recorder) note(events ...story.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record(events...)
}

// record is note for those that hold the lock.
func (r *recorder) record(events ...story.Event) error {
	if err := r.directory.Save(r.Run); err != nil {
		return err
	}
	for i := range events {
		if err := r.write(events[i]); err != nil {
			return err
		}
	}
	r.directory.Index.Changed()
	return nil
}

func (r *recorder) write(event story.Event) error {
	event.Run, event.At = r.ID, r.now().UTC()
	event.Text, event.Output = secret.Mask(event.Text), secret.Mask(event.Output)
	r.seq++
	event.Seq = r.seq
	if err := r.log.Append(&event); err != nil {
		return core.FileError("record an event of the run", err)
	}
	if r.emit != nil {
		r.emit(event)
	}
	return nil
}

// change changes a story and its last try, and records what the function returns, with the story and the try.
func (r *recorder) change(p *story.Progress, apply func(*story.Try) []story.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := apply(p.Last())
	for i := range events {
		events[i].Story = p.ID
		if last := p.Last(); last != nil {
			events[i].Try = last.N
		}
	}
	return r.record(events...)
}

// learn adds the new ones of some learnings, and returns their events. The caller holds the lock.
func (r *recorder) learn(learned []story.Learning) (events []story.Event) {
	for _, l := range learned {
		l.Text = secret.Mask(l.Text)
		if !slices.ContainsFunc(r.Learnings, func(known story.Learning) bool { return known.Text == l.Text }) {
			r.Learnings = append(r.Learnings, l)
			events = append(events, story.Event{Type: story.Learned, Story: l.Story, Text: l.Text})
		}
	}
	return events
}

// learned are all learnings.
func (r *recorder) learned() []story.Learning {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.Learnings)
}
