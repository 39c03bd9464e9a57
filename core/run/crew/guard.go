package crew

import (
	"slices"
	"strings"
)

// Past holds the facts of the turns so far that the guardrails judge.
type Past struct {
	// traffic has the pairs that talked in each turn, answers what each member said, oldest first.
	traffic map[int]map[pair]bool
	answers map[string][]said
	// judged is the last turn that ended the crew once; it and those before count no more.
	judged int
}

type pair struct{ a, b string }

func pairOf(a, b string) pair {
	if a > b {
		a, b = b, a
	}
	return pair{a, b}
}

type said struct {
	turn int
	text string
}

// NewPast returns the past of a crew that is resumed. Turns up to judged are not counted by PingPong and Stalled.
func NewPast(asks []Ask, deliveries []Delivery, judged int) *Past {
	p := &Past{traffic: map[int]map[pair]bool{}, answers: map[string][]said{}, judged: judged}
	p.Deliver(deliveries)
	for i := range asks {
		if asks[i].State == Routed {
			p.Answer(&asks[i])
		}
	}
	return p
}

// Deliver notes messages that were delivered, each in its turn.
func (p *Past) Deliver(deliveries []Delivery) {
	for i := range deliveries {
		d := &deliveries[i]
		if d.Turn < 0 {
			continue
		}
		if p.traffic[d.Turn] == nil {
			p.traffic[d.Turn] = map[pair]bool{}
		}
		p.traffic[d.Turn][pairOf(d.From, d.To)] = true
	}
}

// Answer notes the answer of a turn.
func (p *Past) Answer(ask *Ask) {
	p.answers[ask.Member] = append(p.answers[ask.Member], said{ask.Turn, plain(ask.Answer)})
}

// plain is a text without differences in case and blanks.
func plain(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// OnlyNotices reports whether all that was delivered in a turn were notices of the crew itself, as those get who wrote
// to agents that failed.
func (p *Past) OnlyNotices(turn int) bool {
	for both := range p.traffic[turn] {
		if both.a != System && both.b != System {
			return false
		}
	}
	return len(p.traffic[turn]) > 0
}

// PingPong returns for how many turns, up to this one, the same two agents were the only ones that talked, and who they
// are.
func (p *Past) PingPong(turn int) (turns int, a, b string) {
	only := pair{}
	for ; turn > p.judged; turn-- {
		if len(p.traffic[turn]) != 1 || p.OnlyNotices(turn) {
			break
		}
		for both := range p.traffic[turn] {
			if turns > 0 && both != only {
				return turns, only.a, only.b
			}
			only = both
		}
		turns++
	}
	return turns, only.a, only.b
}

// OnlyPair reports whether all messages that wait are between two members, in either direction.
func OnlyPair(waiting []Delivery, a, b string) bool {
	return !slices.ContainsFunc(waiting, func(d Delivery) bool { return pairOf(d.From, d.To) != pairOf(a, b) })
}

// Stalled returns for how many turns, up to this one, no agent said anything that it had not said
// before.
func (p *Past) Stalled(turn int) (turns int) {
	for ; turn > p.judged && !p.moved(turn); turn-- {
		turns++
	}
	return turns
}

// moved reports whether an agent said something new in a turn.
func (p *Past) moved(turn int) bool {
	for _, all := range p.answers {
		for i, one := range all {
			before := all[:i]
			if one.turn == turn && one.text != "" &&
				!slices.ContainsFunc(before, func(s said) bool { return s.text == one.text }) {
				return true
			}
		}
	}
	return false
}

// InARow returns how many turns in a row, up to this one, a member answered.
func (p *Past) InARow(member string, turn int) (turns int) {
	for _, one := range slices.Backward(p.answers[member]) {
		if one.turn != turn-turns {
			break
		}
		turns++
	}
	return turns
}

// Yield returns the messages that are delivered in the next turn: without those to members that had
// as many turns in a row as one may have, while others wait.
func (p *Past) Yield(turn, most int, waiting []Delivery) (now []Delivery, yielding []string) {
	rests := func(member string) bool { return most > 0 && p.InARow(member, turn-1) >= most }
	if !slices.ContainsFunc(waiting, func(d Delivery) bool { return !rests(d.To) }) {
		return waiting, nil
	}
	for _, d := range waiting {
		if !rests(d.To) {
			now = append(now, d)
		} else if !slices.Contains(yielding, d.To) {
			yielding = append(yielding, d.To)
		}
	}
	return now, yielding
}
