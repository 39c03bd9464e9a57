package tui

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/command"
	"cupola/tui/screen/form"
)

// OwnKeys gives the user's own commands their keys; nil keys are the usual ones. It returns the keys with theirs, and a
// sentence for each key that a command cannot have: the palette alone has that command.
func OwnKeys(keys *intent.Keymap, commands map[string]config.OwnCommand) (with *intent.Keymap, wrong []string) {
	if keys == nil {
		keys = Keys().Keymap()
	}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		if key := commands[name].Key; key != "" {
			if err := keys.AddOwn(name, key); err != nil {
				wrong = append(wrong, fmt.Sprintf("commands.%s.key: %v", cells.Clean(name), err))
			}
		}
	}
	return keys, wrong
}

// ownPart runs the user's own commands on the selection.
type ownPart struct {
	root     *model
	commands map[string]config.OwnCommand
	// last is the number of the one that was started last.
	last int
}

// ask runs a command on the selected row, after a question if it is to be asked.
func (p *ownPart) ask(w intent.Own) tea.Cmd {
	own, known := p.commands[w.Name]
	m := p.root
	values, refusal := rowOf(m)
	argv, missing := own.Filled(values)
	switch {
	case !known:
		refusal = "there is no command " + cells.Clean(w.Name)
	case refusal == "" && missing != "" && values["pane"] == "":
		refusal = values["address"] + " is a session, without " + missing + "; select a pane"
	case refusal == "" && missing != "":
		refusal = missing + " of " + values["address"] + " is not known"
	}
	if refusal != "" {
		m.setStatus(theme.Warn, refusal)
		return nil
	}
	run := intent.RunOwn{
		Title: w.Name + " on " + values["address"], Argv: argv, Dir: values["dir"], Fields: config.RowEnviron(values),
	}
	if !own.Confirm {
		return p.run(run)
	}
	line := ""
	if own.Shell {
		line = own.Run[0]
	}
	m.form = form.RunOwn(run, line)
	return nil
}

// rowOf are the fields of the selected row; refusal says why nothing of the user's own runs on it, empty if it does.
func rowOf(m *model) (values map[string]string, refusal string) {
	session, pane := m.choice.Chosen(m.world.Snapshot)
	dir := folder(m.choice, m.world.Snapshot)
	switch {
	case session == nil:
		return nil, nothing
	case session.ID.Host() != "":
		return nil, session.Name + " is on another host; your commands run on this machine alone"
	case len(m.choice.Marks.Among(m.world.Snapshot)) > 0:
		return nil, "your commands run on one row; Esc forgets the marks"
	case dir == "":
		return nil, "the folder of " + session.Name + " is not known"
	}
	values = map[string]string{"session": session.Name, "address": session.Name, "dir": dir, "host": m.world.Host}
	if pane != nil {
		values["pane"], values["address"] = string(pane.ID), pane.Address()
		values["branch"] = m.world.Works()[pane.ID].Branch
		if pane.Agent.Kind != "" {
			values["agent"], values["kind"] = pane.Agent.Name, string(pane.Agent.Kind)
		}
	}
	return values, ""
}

// run starts a command, or stops it, and opens a screen for what it prints.
func (p *ownPart) run(w intent.RunOwn) tea.Cmd {
	m := p.root
	if !w.Stop {
		p.last++
		w.ID = p.last
		m.stack = append(m.stack, opened{command.NewOwn(w), &command.Entry})
	}
	return m.act.Do(w)
}

// take shows what a command has printed, and asks for more. How one ended whose screen is closed is a message.
func (p *ownPart) take(msg effect.OwnOutput) tea.Cmd {
	m := p.root
	end, failed := endOf(m, &msg)
	is := func(open opened) bool {
		shown, is := open.shown.(*command.Screen)
		return is && shown.Own().ID == msg.Intent.ID
	}
	if at := slices.IndexFunc(m.stack, is); at >= 0 {
		text := msg.Text
		if msg.Left > 0 {
			text = "(" + screen.Count(msg.Left, "byte") + " before this are left out)\n" + text
		}
		m.stack[at].shown.(*command.Screen).Grow(text, end, failed) //nolint:errcheck // its type was seen
	} else if msg.Ended {
		token := theme.Good
		if failed {
			token = theme.Danger
		}
		m.setStatus(token, cells.Clean(msg.Intent.Title)+": "+end)
	}
	if msg.Ended {
		m.world.Acts++
		return nil
	}
	w := msg.Intent
	w.More = true
	return m.act.Do(w)
}

// endOf says how a command ended; empty for one that runs.
func endOf(m *model, msg *effect.OwnOutput) (said string, failed bool) {
	switch {
	case !msg.Ended:
		return "", false
	case msg.Err != nil:
		return m.advise(core.AsError(msg.Err)).Error(), true
	case msg.Stopped:
		return "stopped", true
	case msg.End.Signal != "":
		return "ended by a signal: " + msg.End.Signal, true
	}
	said = "exit " + strconv.Itoa(msg.End.Exit)
	for _, left := range msg.End.Left {
		said += "; " + left.String() + " still runs"
	}
	return said, msg.End.Exit != 0 || len(msg.End.Left) > 0
}

// entries are the commands as the palette names them.
func (p *ownPart) entries(keys *intent.Scope) (all []form.Entry) {
	for _, name := range slices.Sorted(maps.Keys(p.commands)) {
		means := intent.Own{Name: name}
		all = append(all, form.Entry{
			Group: "yours", Name: cells.Clean(name), Keys: keys.Key(means), Means: means,
			Does: cells.Clean(strings.Join(p.commands[name].Run, " ")), Words: "own command run",
		})
	}
	return all
}
