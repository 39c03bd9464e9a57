package core

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Why says what an agent's state is about, as far as the state itself knows. The zero value says that nothing is known
// beyond the state.
type Why struct {
	// Lead introduces Text where the state and its age alone do not: "asks", "done 2 min ago"; empty for nothing.
	Lead string
	// Text is the question, the error, when a limit ends, how the program ended, or the beginning of the last reply;
	// empty where only Lead is known.
	Text string
}

// String joins both parts with a colon.
func (w Why) String() string {
	if w.Lead == "" || w.Text == "" {
		return w.Lead + w.Text
	}
	return w.Lead + ": " + w.Text
}

// Brief is the text without its lead, for rows that show the state and its age; the lead where there is no text.
func (w Why) Brief() string {
	if w.Text == "" {
		return w.Lead
	}
	return w.Text
}

// Why says what the state of a pane's program is about. Times are local, and counted from now; at the zero time it says
// nothing that changes as time goes by.
func (p *Pane) Why(now time.Time) Why {
	s := &p.Status
	switch {
	case p.IsUser():
		return Why{}
	case p.IsSnoozed():
		awake := *p
		awake.Agent.Snoozed = time.Time{}
		text := SnoozedWords(p.Agent.Snoozed, now)
		if why := awake.Why(now).String(); why != "" {
			text += "; " + why
		}
		return Why{Text: text}
	case s.State == Waiting && s.Asks != "":
		return Why{Lead: "asks", Text: s.Asks}
	case s.State == Waiting:
		return Why{Text: "waits for " + s.Reason.Awaited()}
	case p.cutOff():
		return Why{Text: p.whenContinued(now)}
	case s.State == Errored, s.State == Working && s.Has(NoteRetrying):
		return Why{Text: s.failure()}
	case s.State == Exited:
		return Why{Text: p.ended()}
	case s.State == Unknown && s.Has(NoteUnreadable):
		return Why{Text: "its screen cannot be read, and may be a question"}
	case s.Shown() == Done:
		return Why{Lead: s.since(now), Text: s.Said}
	case s.State == Idle:
		return Why{Text: s.rests()}
	}
	return Why{}
}

// whenContinued says when the agent continues, else what ended its turn.
func (p *Pane) whenContinued(now time.Time) string {
	at := p.ContinuesAt()
	switch {
	case p.Agent.Continues.GaveUp():
		return fmt.Sprintf("did not continue after %d tries; %s", p.Agent.Continues.Tries, p.Status.limit(now))
	case !at.IsZero() && at.After(now):
		return "continues at " + until(at, now)
	case !at.IsZero():
		return "is to continue now"
	}
	return p.Status.limit(now)
}

// clock is a time of the next day, or one with its weekday.
func clock(at, now time.Time) string {
	if at.Sub(now) < day {
		return at.Local().Format("15:04")
	}
	return at.Local().Format("Mon 15:04")
}

// until names a later time, and how long it is until then if now is not the zero time.
func until(at, now time.Time) string {
	if now.IsZero() {
		return at.Local().Format("Mon 15:04")
	}
	return fmt.Sprintf("%s (%s)", clock(at, now), spell(at.Sub(now)))
}

// limit says when a limit ends, else what the agent says of it.
func (s *Status) limit(now time.Time) string {
	if s.ResetsAt.IsZero() {
		return s.failure()
	}
	left := s.ResetsAt.Sub(now)
	if left <= 0 {
		return "the limit ended at " + s.ResetsAt.Local().Format("15:04")
	}
	return "resets " + until(s.ResetsAt, now)
}

// failure is the agent's own line about what failed, else what the reason means.
func (s *Status) failure() string {
	mark := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsSymbol(r) || strings.ContainsRune("[(*·•●⎿✕✗!-", r)
	}
	line := strings.TrimRightFunc(strings.TrimLeftFunc(s.Shows(), mark), mark)
	for _, pair := range []string{"()", "[]"} {
		if strings.HasSuffix(line, pair[1:]) && strings.Count(line, pair[:1]) < strings.Count(line, pair[1:]) {
			line = line[:len(line)-1] // its other half was the mark
		}
	}
	switch {
	case line != "":
		return line
	case s.State == Working:
		return "its requests fail, and it tries again"
	}
	return s.Reason.Sentence()
}

// ended says how a program ended.
func (p *Pane) ended() string {
	switch {
	case p.Process.Dead && p.Process.Signal != 0:
		return fmt.Sprintf("signal %d", p.Process.Signal)
	case p.Process.Dead && p.Process.ExitStatus > 0:
		return fmt.Sprintf("exit %d", p.Process.ExitStatus)
	case p.Process.Dead && p.Process.ExitStatus < 0:
		return "how it ended is not known"
	}
	return p.Status.Reason.Sentence()
}

// since says how long ago a turn ended.
func (s *Status) since(now time.Time) string {
	if ago := now.Sub(s.Since); !s.Since.IsZero() && ago >= time.Minute {
		return "done " + spell(ago) + " ago"
	}
	return string(Done)
}

// rests says what is left of an idle agent's last turn.
func (s *Status) rests() string {
	for _, note := range []Note{NoteDraft, NoteInterrupted, NoteBackground} {
		if s.Has(note) {
			return note.Words()
		}
	}
	return ""
}

// Shows returns the line of a screen or a file that proves the state, without the frame that programs draw around it;
// empty if no line does.
func (s *Status) Shows() string {
	for _, evidence := range s.Evidence {
		if _, line, found := strings.Cut(evidence, ": "); found {
			return strings.Join(strings.Fields(strings.Trim(line, "│┃║ ")), " ")
		}
	}
	return ""
}

const day = 24 * time.Hour

// spell writes a duration for a sentence, in its largest unit: "20 s", "43 min", "5 h", "3 d".
func spell(d time.Duration) string {
	switch d = max(0, d); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d/time.Minute))
	case d < day:
		return fmt.Sprintf("%d h", int(d/time.Hour))
	}
	return fmt.Sprintf("%d d", int(d/day))
}
