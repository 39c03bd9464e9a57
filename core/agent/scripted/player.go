package scripted

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"cupola/core/system/plainfile"
)

const (
	playerPause = 6 * time.Second
	// playerSpread is the most that chance adds to a pause, so that the agents
	// of a fleet do not move in step.
	playerSpread  = 6 * time.Second
	playerTimeout = 40 * time.Second
	playerKeyPace = 45 * time.Millisecond
	// playerTick keeps a script at speed 0 from spinning.
	playerTick = 10 * time.Millisecond
)

// cue is one prompt of a script: what to wait before it, what to type, and how
// long a dialog of its turn stays open before it is confirmed.
type cue struct {
	pause   time.Duration
	text    string
	timeout time.Duration
}

// player types a script into an agent, repeatedly. It pauses while the user's draft is
// there, and while the user answers a dialog.
type player struct {
	cues  []cue
	at    int
	typed string // what is left to type of the current prompt
	busy  bool   // while a prompt is being typed
	// due is when the next key is pressed, after awaited.
	due     time.Time
	awaited time.Duration
	// timeout is the time limit of the prompt typed last.
	timeout time.Duration
}

// loadScript reads a script: one prompt a line. Empty lines and those that
// begin with # are left out; "@pause D" sets the pause before each following
// prompt and "@patience D" how long dialogs stay open.
func loadScript(path, name string) (*player, error) {
	script, err := plainfile.Read(path, plainfile.Record)
	if err != nil {
		return nil, fmt.Errorf("open script: %w", err)
	}
	p := &player{timeout: playerTimeout}
	next := cue{pause: playerPause, timeout: playerTimeout}
	spread := true
	scan := bufio.NewScanner(bytes.NewReader(script))
	for scan.Scan() {
		text := strings.TrimSpace(scan.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if text[0] == '@' {
			if err := next.set(text); err != nil {
				return nil, fmt.Errorf("read script: %w", err)
			}
			spread = spread && !strings.HasPrefix(text, "@pause")
			continue
		}
		c := next
		c.text = text
		if spread {
			c.pause += jitter(name, len(p.cues))
		}
		p.cues = append(p.cues, c)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	if len(p.cues) == 0 {
		return nil, fmt.Errorf("read script: %s holds no prompt", path)
	}
	return p, nil
}

// set reads a line that sets a duration.
func (c *cue) set(text string) error {
	name, value, _ := strings.Cut(text, " ")
	d, err := time.ParseDuration(strings.TrimSpace(value))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch name {
	case "@pause":
		c.pause = d
	case "@patience":
		c.timeout = d
	default:
		return fmt.Errorf("%s: neither @pause nor @patience", name)
	}
	return nil
}

// jitter is the same for the same agent and prompt.
func jitter(name string, number int) time.Duration {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %d", name, number)
	return time.Duration(h.Sum32()) % playerSpread
}

// play presses the keys that are due and returns when it wants to be called
// again; zero means after the agent has changed.
func (p *player) play(now time.Time, a *agent) time.Time {
	c := p.cues[p.at]
	wait := p.wait(c, a)
	if wait < 0 {
		p.due = time.Time{}
		return p.due
	}
	if p.due.IsZero() || wait != p.awaited {
		p.awaited = wait
		p.due = now.Add(max(playerTick, a.traits.scale(wait)))
	}
	if p.due.After(now) {
		return p.due
	}
	p.press(now, a, c)
	p.due = time.Time{}
	return now.Add(playerTick)
}

// wait returns how long to wait before the next key, or a negative duration while the user
// types.
func (p *player) wait(c cue, a *agent) time.Duration {
	switch {
	case a.dialog() != nil:
		return p.timeout
	case !a.idle():
		return -1
	case p.busy:
		return playerKeyPace
	case a.draft.empty():
		return c.pause
	}
	return -1
}

// press confirms a dialog, or types the next character of the prompt.
func (p *player) press(now time.Time, a *agent, c cue) {
	if a.dialog() != nil {
		a.handle(now, key{kind: keyEnter})
		return
	}
	if !p.busy {
		p.busy, p.typed = true, c.text
	}
	if p.typed == "" {
		p.busy, p.timeout, p.at = false, c.timeout, (p.at+1)%len(p.cues)
		a.handle(now, key{kind: keyEnter})
		return
	}
	_, n, _ := nextText([]byte(p.typed))
	n = max(1, n)
	a.handle(now, key{kind: keyText, text: p.typed[:n]})
	p.typed = p.typed[n:]
}
