package screen

import "time"

// Phase is the effect of an event on whether something works.
type Phase int

// The phases: no effect, it starts, it pauses, it resumes.
const (
	Unsaid Phase = iota
	Begins
	Pauses
	GoesOn
)

// Worked is how long something has worked since it began last, without its pauses. Event returns when each of its n
// events was, the oldest first, and what that says.
func Worked(now time.Time, n int, event func(i int) (time.Time, Phase)) time.Duration {
	took, until := time.Duration(0), now
	for i := n - 1; i >= 0; i-- {
		at, phase := event(i)
		switch phase {
		case GoesOn:
			took, until = took+max(0, until.Sub(at)), at
		case Pauses:
			until = at
		case Begins:
			return took + max(0, until.Sub(at))
		}
	}
	return took
}
