package scripted

import (
	"math"
	"time"
)

// frameTime is how often a working agent repaints.
const frameTime = 100 * time.Millisecond

// traits are the settings of an agent.
type traits struct {
	name, model, folder string
	// settle is how long after a paste Enter is a newline.
	settle time.Duration
	// steers sends prompts into the running turn.
	steers bool
	// speed scales the duration of everything the agent does.
	speed float64
}

// scale gives a duration its real length.
func (t traits) scale(d time.Duration) time.Duration {
	scaled := float64(d) * t.speed
	if scaled >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(scaled)
}

// agent is the imitated program without its terminal: keys and times go in, rows and events
// come out. Times never go back.
type agent struct {
	traits traits
	now    time.Time
	ready  bool
	draft  draft
	pasted time.Time
	// leaving is set between the two Ctrl-C that end the program.
	leaving    bool
	queue      []prompt
	turn       *turn
	transcript transcript
	events     []event
	ended      *ending
}

// start shows the banner and takes keys from then on.
func (a *agent) start(now time.Time) {
	a.now, a.ready = now, true
	a.transcript.print(banner(a.traits))
	a.record(eventReady, a.traits.name)
}

// handle acts on a key pressed at the given moment.
func (a *agent) handle(now time.Time, k key) {
	a.advance(now)
	for _, k := range a.split(k) {
		if a.ended != nil {
			return
		}
		a.leaving = a.leaving && k.kind == keyStop
		if d := a.dialog(); d != nil {
			a.answer(d, k)
		} else {
			a.compose(k)
		}
		a.advance(now)
	}
}

// split cuts typed text into characters while a dialog is open: one of them may close it, and the rest is then typed
// into the composer.
func (a *agent) split(k key) []key {
	if k.kind != keyText || a.dialog() == nil {
		return []key{k}
	}
	var keys []key
	for text := k.text; text != ""; {
		one, n, _ := nextText([]byte(text))
		if n == 0 {
			return append(keys, key{kind: keyText, text: text})
		}
		keys, text = append(keys, one), text[n:]
	}
	return keys
}

// compose acts on a key that the composer gets.
func (a *agent) compose(k key) {
	switch k.kind {
	case keyText:
		a.draft.insert(k.text)
	case keyPaste:
		a.draft.paste(k.text)
		a.pasted = a.now
	case keyNewline:
		a.draft.insert("\n")
	case keyBackspace:
		a.draft.backspace()
	case keyKillLine:
		a.draft.killLine()
	case keyEnter:
		a.enter()
	case keyEsc:
		a.interrupt()
	case keyStop:
		a.stop()
	}
}

// enter submits the draft, unless a paste has not settled yet.
func (a *agent) enter() {
	if !a.draft.empty() && a.now.Sub(a.pasted) < a.traits.settle {
		a.draft.stray()
		return
	}
	if (prompt{text: a.draft.text()}).blank() {
		return
	}
	p := a.draft.submit()
	a.pasted = time.Time{}
	switch {
	case a.turn == nil:
		a.begin(p)
		a.record(eventPrompt, p.text)
	case a.traits.steers:
		a.echo(p)
		a.turn.acts = append(a.turn.acts, script(p.text, a.now)...)
		a.recordHow(eventPrompt, p.text, "steered")
	default:
		a.queue = append(a.queue, p)
		a.recordHow(eventPrompt, p.text, "queued")
	}
}

// interrupt ends the running turn.
func (a *agent) interrupt() {
	if a.turn == nil {
		return
	}
	if act := a.turn.current(); act != nil && act.shows.mark == MarkReply {
		a.transcript.print(act.shows)
	}
	a.finish(OutcomeInterrupted)
	a.record(eventInterrupt, "")
}

// stop clears the draft, or asks once before it ends the program.
func (a *agent) stop() {
	switch {
	case !a.draft.empty():
		a.draft = draft{}
	case a.leaving:
		a.end(ending{reason: "ctrl-c"})
	default:
		a.leaving = true
	}
}

// end ends the program; only the first reason counts.
func (a *agent) end(e ending) {
	if a.ended != nil {
		return
	}
	a.ended = &e
	a.record(eventExit, e.reason)
}

// idle reports whether the agent waits for a prompt.
func (a *agent) idle() bool { return a.ready && a.turn == nil && a.ended == nil }

// dialog is the open dialog, or nil.
func (a *agent) dialog() *dialog {
	if a.turn == nil || a.turn.current() == nil {
		return nil
	}
	return a.turn.current().asks
}

// answer acts on a key that a dialog gets. Pastes are lost, as in real agents.
func (a *agent) answer(d *dialog, k key) {
	switch k.kind {
	case keyUp:
		d.move(-1)
	case keyDown:
		d.move(+1)
	case keyText:
		if d.pick(k.text) {
			a.choose(d)
		}
	case keyEnter:
		a.choose(d)
	case keyEsc, keyStop:
		a.record(eventAnswer, answerCancel)
		a.finish(OutcomeInterrupted)
	}
}

// choose takes the selected choice.
func (a *agent) choose(d *dialog) {
	chosen := d.answer()
	a.record(eventAnswer, chosen.label)
	if chosen.stops {
		a.finish(OutcomeDeclined)
		return
	}
	a.transcript.print(block{mark: MarkReply, text: "answered: " + chosen.label, sgr: sgrDim})
	a.turn.pass(a.now)
}

func (a *agent) record(name eventName, text string) { a.recordHow(name, text, "") }

func (a *agent) recordHow(name eventName, text, how string) {
	a.events = append(a.events, event{Event: name, Text: text, How: how, At: a.now})
}

// drain hands out the events since the last call.
func (a *agent) drain() []event {
	events := a.events
	a.events = nil
	return events
}
