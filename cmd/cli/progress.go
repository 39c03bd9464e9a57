package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
)

const (
	// reportAfter is how long an operation runs before progress is reported.
	reportAfter = time.Second
	// heartbeat is how often unchanged progress is reported.
	heartbeat = time.Minute
	// lineEvery and redrawEvery throttle reports of changes to programs, and to people who
	// see one line.
	lineEvery   = time.Second
	redrawEvery = 100 * time.Millisecond
	// spinAfter is how long an operation runs before a person sees a spinner.
	spinAfter = 300 * time.Millisecond
)

// reporter reports the progress of a long operation: changes, throttled, and a heartbeat. An
// operation that ends within after is never reported. It is safe for concurrent use.
type reporter struct {
	started time.Time
	every   time.Duration
	// after is how long nothing is reported, and repeat how often what has not changed is.
	after, repeat time.Duration
	write         core.ProgressFunc
	// clear removes what write drew; nil if that stays.
	clear func()
	// complete writes the last line of an operation with progress; nil writes none.
	complete func()

	mu sync.Mutex
	// latest is the last report, written the last one written, at wrote; zero before.
	latest, written core.Progress
	wrote           time.Time
	// shown is true while there is something to clear.
	shown bool
	// timer writes a report that is due later; nil if none is.
	timer *time.Timer
	// silent is true after silence: nothing is written any more.
	silent bool
}

// report takes a report of progress.
func (r *reporter) report(at core.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = at
	if !r.silent {
		r.writeDue()
	}
}

// writeDue writes the last report if it is due, or sets the timer.
func (r *reporter) writeDue() {
	r.rest()
	wait := time.Until(r.due())
	if wait <= 0 {
		r.write(r.latest)
		r.written, r.wrote, r.shown = r.latest, time.Now(), true
		wait = cmp.Or(r.repeat, heartbeat)
	}
	var timer *time.Timer
	timer = time.AfterFunc(wait, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.timer == timer {
			r.writeDue()
		}
	})
	r.timer = timer
}

// due returns when the last report is to be written.
func (r *reporter) due() time.Time {
	switch {
	case r.wrote.IsZero():
		return r.started.Add(cmp.Or(r.after, reportAfter))
	case r.latest == r.written:
		return r.wrote.Add(cmp.Or(r.repeat, heartbeat))
	}
	return r.wrote.Add(r.every)
}

func (r *reporter) rest() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
}

// pause removes what is shown and writes nothing until the next report.
func (r *reporter) pause() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest()
	if r.shown && r.clear != nil {
		r.clear()
	}
	r.shown = false
}

// end writes that an operation is complete if its progress was written, and nothing after it.
func (r *reporter) end() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest()
	if r.complete != nil && !r.wrote.IsZero() && !r.silent {
		r.complete()
	}
	r.silent = true
}

// silence pauses for ever, for an operation that draws on the display itself.
func (r *reporter) silence() {
	if r == nil {
		return
	}
	r.pause()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = true
}

// pausing is a writer that pauses a reporter before each write.
type pausing struct {
	io.Writer
	reporter *reporter
}

func (p pausing) Write(text []byte) (int, error) {
	p.reporter.pause()
	return p.Writer.Write(text)
}

// progressLine is a progress report for programs. Percent is -1 where the total
// is not known.
type progressLine struct {
	Type    string `json:"type"`
	Phase   string `json:"phase"`
	Percent int    `json:"percent"`
	Message string `json:"message"`
}

// newReporter returns how progress is reported: lines for programs, one overwritten line on a
// terminal unless lines were asked for; nil reports none.
func (o *faces) newReporter() (r *reporter) {
	where, stderr := o.line.globals.Progress, o.opts.Stderr
	switch {
	case where == "off", o.line.globals.Quiet:
		return nil
	case o.line.robotic && where == "stdout":
		r = &reporter{every: lineEvery, write: lines(o.opts.Stdout)}
	case o.line.robotic && (where == "stderr" || !o.animates()):
		r = &reporter{every: lineEvery, write: lines(stderr), complete: func() {
			elapsed := time.Since(o.started).Milliseconds()
			_, _ = fmt.Fprintf(stderr, `{"type":"complete","elapsed_ms":%d}`+"\n", elapsed)
		}}
	case o.animates() && o.look != nil && o.look.Readable():
		r = &reporter{every: lineEvery, write: func(at core.Progress) {
			_, _ = fmt.Fprintln(stderr, at.Phase+": "+cells.Clean(at.Message))
		}}
	case o.animates():
		r = overwritten(stderr, o.printer(stderr).Theme, func() int {
			width, _, _ := term.GetSize(stderr.Fd())
			return width
		})
	default:
		return nil
	}
	r.started = o.started
	return r
}

// animates reports whether a line of standard error can be overwritten: it is a terminal that can
// move its cursor, and no log of a build.
func (o *faces) animates() bool {
	name, ci := o.opts.Getenv("TERM"), o.opts.Getenv("CI")
	return look.Terminal(o.opts.Stderr) && name != "" && name != "dumb" && (ci == "" || ci == "0" || ci == "false")
}

func lines(out io.Writer) func(core.Progress) {
	return func(at core.Progress) {
		text, err := json.Marshal(progressLine{
			Type: "progress", Phase: at.Phase, Percent: at.Percent,
			Message: at.Message,
		})
		if err == nil {
			_, _ = out.Write(append(text, '\n'))
		}
	}
}

// overwritten returns a reporter that overwrites one line of a terminal, with a spinner that turns
// until the line is cleared, and the time since the command was started. Width returns that of the terminal, 0 if
// unknown.
func overwritten(out io.Writer, themed func() *theme.Theme, width func() int) *reporter {
	frame := 0
	var r *reporter
	r = &reporter{
		every: redrawEvery, after: spinAfter, repeat: theme.SpinEvery,
		write: func(at core.Progress) {
			look := themed()
			turn := look.Spinner()
			line := at.Phase + ": " + cells.Clean(at.Message)
			elapsed := ""
			if took := time.Since(r.started).Truncate(time.Second); took >= time.Second && !r.started.IsZero() {
				elapsed = "  " + core.ShortDuration(took)
			}
			sign := turn.Frames[frame%len(turn.Frames)]
			frame++
			// Two cells stay free, so that a ^C that the terminal echoes does not wrap.
			if width := width(); width > 0 {
				line = cells.Cut(line, max(0, width-3-cells.Width(sign)-len(elapsed)), look.Glyphs().Ellipsis)
			}
			sign, elapsed = look.Style(theme.Busy).Render(sign), look.Style(theme.Dim).Render(elapsed)
			fmt.Fprint(out, "\r\x1b[K"+sign+" "+line+elapsed)
		},
		clear: func() { fmt.Fprint(out, "\r\x1b[K") },
	}
	return r
}
