package tmux

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// pane is one line of list-panes: a pane in one of the sessions that show it.
type pane struct {
	engine.Pane
	// activity is when its window last changed, in seconds.
	activity int64
	// bytes is the size of its screen and history in tmux's memory.
	bytes int64
}

// field is a format variable and where its value goes.
type field struct {
	variable string
	set      func(*pane, string)
}

// briefFields are asked for at every level of detail.
var briefFields = []field{
	{"pane_id", func(p *pane, v string) { p.ID = core.PaneID(v) }},
	{"session_id", func(p *pane, v string) { p.Session = core.SessionID(v) }},
	{"q:pane_title", func(p *pane, v string) { p.Title = v }},
	{"pane_pid", func(p *pane, v string) { p.Process.PID = number(v) }},
}

// layoutFields are left out where brevity is asked for.
var layoutFields = []field{
	{"window_id", func(p *pane, v string) { p.Window.ID = core.WindowID(v) }},
	{"window_index", func(p *pane, v string) { p.Window.Index = number(v) }},
	{"q:window_name", func(p *pane, v string) { p.Window.Name = v }},
	{"pane_index", func(p *pane, v string) { p.Window.PaneIndex = number(v) }},
	{"?#{==:#{window_panes},1},,#{window_layout}", func(p *pane, v string) { p.Layout = v }},
	{"pane_active", func(p *pane, v string) { p.View.Active = v == "1" }},
	{"q:pane_tty", func(p *pane, v string) { p.TTY = v }},
	{"pane_width", func(p *pane, v string) { p.View.Width = number(v) }},
	{"pane_height", func(p *pane, v string) { p.View.Height = number(v) }},
	{"alternate_on", func(p *pane, v string) { p.View.AlternateOn = v == "1" }},
	{"pane_in_mode", func(p *pane, v string) { p.View.InMode = number(v) > 0 }},
	{"history_size", func(p *pane, v string) { p.View.History = number(v) }},
	{"cursor_x", func(p *pane, v string) { p.View.Cursor.X = number(v) }},
	{"cursor_y", func(p *pane, v string) { p.View.Cursor.Y = number(v) }},
	{"cursor_flag", func(p *pane, v string) { p.View.Cursor.Visible = v == "1" }},
	{"history_bytes", func(p *pane, v string) { p.bytes = int64(number(v)) }},
	activityField, companyField,
}

// deathFields apply to dead panes only.
var deathFields = []field{
	{"pane_dead_status", func(p *pane, v string) { p.Process.ExitStatus = number(v) }},
	{"pane_dead_signal", func(p *pane, v string) { p.Process.Signal = number(v) }},
	{"pane_dead_time", func(p *pane, v string) { p.Process.DiedAt = moment(v) }},
	// tmux does not know any more where a program was that has ended.
	{"q:pane_start_path", func(p *pane, v string) { p.Process.Dir = cmp.Or(p.Process.Dir, v) }},
}

var (
	activityField = field{"window_activity", func(p *pane, v string) { p.activity = int64(number(v)) }}

	companyField = field{"window_panes", func(p *pane, v string) { p.Alone = v == "1" }}

	commandField = field{"q:pane_current_command", func(p *pane, v string) { p.Process.Command = v }}
	dirField     = field{"q:pane_current_path", func(p *pane, v string) { p.Process.Dir = v }}
)

// The marks of what only some panes have.
const deadMark, tagsMark = "D", "T"

// paneLine is how panes are asked for at one level of detail.
type paneLine struct {
	fields []field
	// tagged are asked for behind the tags of panes that have some.
	tagged []field
	// format asks for the fields, and whole also for what only some panes have.
	format, whole string
}

// What only some panes have is asked for in lists of their own: tmux reads a
// condition with all that hangs on it again for every pane.

func deadOnly() command {
	return command{
		"list-panes", "-a", "-f", "#{pane_dead}", "-F",
		deadMark + "|" + format("pane_id") + format(variables(deathFields)...),
	}
}

func (l *paneLine) tagsOnly() command {
	return command{"list-panes", "-a", "-f", "#{" + tagged + "}", "-F", tagsMark + "|" + format("pane_id") + l.tags()}
}

// tags asks for what only tagged panes are asked.
func (l *paneLine) tags() string {
	return format(optionFields(engine.PaneTags)...) + format(variables(l.tagged)...)
}

// paneLines are the lines of each Detail, made at their first use.
var paneLines [16]struct {
	sync.Once
	line *paneLine
}

func lineFor(detail engine.Detail) *paneLine {
	l := &paneLines[int(detail)%len(paneLines)]
	l.Do(func() { l.line = newPaneLine(detail) })
	return l.line
}

func newPaneLine(detail engine.Detail) *paneLine {
	fields := slices.Clone(briefFields)
	var ofTagged []field
	switch {
	case detail&engine.Brief == 0:
		fields = append(fields, layoutFields...)
	case detail&engine.WithActivity != 0:
		ofTagged = []field{activityField, companyField}
	}
	if detail&engine.WithCommand != 0 {
		fields = append(fields, commandField)
	}
	if detail&engine.WithDir != 0 {
		fields = append(fields, dirField)
	}
	line := &paneLine{fields: fields, tagged: ofTagged, format: format(variables(fields)...)}
	line.whole = line.format + marked(deadMark, "pane_dead", format(variables(deathFields)...)) +
		marked(tagsMark, tagged, line.tags())
	return line
}

func variables(fields []field) []string {
	return core.Map(fields, func(f field) string { return f.variable })
}

// next reads a pane. What it reads goes through values, which is as long as any
// part of the line.
func (l *paneLine) next(in *records, values []string) (pane, error) {
	var p pane
	if err := p.set(l.fields, in, values); err != nil {
		return p, err
	}
	for _, mark := range []string{deadMark, tagsMark} {
		if in.marked(mark) {
			if err := l.setMarked(&p, mark, in, values); err != nil {
				return p, err
			}
		}
	}
	return p, in.end()
}

// setMarked reads the fields behind a mark.
func (l *paneLine) setMarked(p *pane, mark string, in *records, values []string) error {
	if mark == deadMark {
		p.Process.Dead = true
		return p.set(deathFields, in, values)
	}
	tags := values[:len(engine.PaneTags)]
	if err := in.fields(tags); err != nil {
		return err
	}
	p.Tags = readTags(string(p.ID), engine.PaneTags, tags)
	return p.set(l.tagged, in, values)
}

func (p *pane) set(fields []field, in *records, values []string) error {
	if err := in.fields(values[:len(fields)]); err != nil {
		return err
	}
	for i, f := range fields {
		f.set(p, values[i])
	}
	return nil
}

// newValues makes room for the fields of any part of a record.
func newValues() []string {
	return make([]string, max(len(briefFields)+len(layoutFields)+2, sessionFields+len(engine.SessionTags),
		len(engine.PaneTags)))
}

// sessionLine begins with what is true of the server as a whole.
func sessionLine() string {
	return format(
		"version", "pid", "start_time",
		"session_id", "q:session_name", "session_created", "session_attached", "q:session_path",
	) + format(optionFields(engine.SessionTags)...)
}

const sessionFields = 7

func readSession(v []string) engine.Session {
	return engine.Session{
		Engine: engine.Tmux,
		ID:     core.SessionID(v[2]), Name: v[3], Created: moment(v[4]), Attached: number(v[5]), Dir: v[6],
		Tags: readTags(v[2], engine.SessionTags, v[sessionFields:]),
	}
}

// number reads a decimal; tmux leaves what does not apply empty, which is 0.
func number(v string) int {
	if v == "" {
		return 0 // Atoi makes an error of it, which costs more than all the rest
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0
	}
	return n
}

// moment reads a time in seconds; none is the zero time.
func moment(v string) time.Time {
	seconds, err := strconv.ParseInt(v, 10, 64)
	if err != nil || seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
