package intent

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"cupola/core"

	"github.com/charmbracelet/bubbles/key"
)

// Binding is a row of a key table.
type Binding struct {
	// Intent is the meaning of the keys, without a target: the root adds the selection.
	Intent Intent
	// Label is the word in the footer, Does what the keys do, in help.
	Label, Does string
	// Keys are their names, as Bubble Tea has them.
	Keys []string
}

// keyColumn is how many cells help has for the names of keys.
const keyColumn = 13

// Bind is a row of a table; without a label the footer cannot show it.
func Bind(meaning Intent, label, does string, keys ...string) Binding {
	return Binding{Intent: meaning, Label: label, Does: does, Keys: keys}
}

// Key is the row with as many names of its keys as help has room for. The tables are made when the program starts, of
// which most runs show none.
func (b *Binding) Key() key.Binding {
	names := Name(b.Keys[0])
	for _, k := range b.Keys[1:] {
		if more := names + " " + Name(k); utf8.RuneCountInString(more) <= keyColumn {
			names = more
		}
	}
	return key.NewBinding(key.WithKeys(b.Keys...), key.WithHelp(names, b.Does))
}

// Scope is a table of keys that are active in one place. It is a help.KeyMap.
type Scope struct {
	Name     string
	Bindings []Binding
	// Footer are the keys that the footer shows, the most used first. On a narrow display
	// they are left out from the end, except the last one.
	Footer []string
	// Opens says which screens have keys here, which are not among the bindings.
	Opens Opens
}

// labelled is the table with another word in the footer for a meaning.
func (s Scope) labelled(means Intent, label string) Scope {
	s.Bindings = slices.Clone(s.Bindings)
	for i := range s.Bindings {
		if s.Bindings[i].Intent == means {
			s.Bindings[i].Label = label
		}
	}
	return s
}

// Opening is the table with the keys of screens.
func (s Scope) Opening(which Opens) Scope {
	s.Opens = which
	return s
}

// Key returns the name of the first key with a meaning; empty if there is none.
func (s *Scope) Key(means Intent) string {
	for i := range s.Bindings {
		if s.Bindings[i].Intent == means {
			return Name(s.Bindings[i].Keys[0])
		}
	}
	return ""
}

// Lookup returns what a key means here; ok is false if nothing.
func (s *Scope) Lookup(pressed fmt.Stringer) (meaning Intent, ok bool) {
	if b := s.Find(pressed.String()); b != nil {
		return b.Intent, true
	}
	return nil, false
}

// Find returns the row of a key, by its name; nil if there is none.
func (s *Scope) Find(name string) *Binding {
	for i := range s.Bindings {
		if slices.Contains(s.Bindings[i].Keys, name) {
			return &s.Bindings[i]
		}
	}
	return nil
}

// ShortHelp returns the hints of the footer: the keys of Footer, in its order.
func (s *Scope) ShortHelp() []key.Binding {
	return core.Map(s.Footer, func(name string) key.Binding {
		return key.NewBinding(key.WithKeys(name), key.WithHelp(Name(name), s.Find(name).Label))
	})
}

// HelpFor is ShortHelp without the keys whose meaning does not apply.
func (s *Scope) HelpFor(applies func(Intent) bool) []key.Binding {
	short := s.ShortHelp()
	var now []key.Binding
	for i, name := range s.Footer {
		if applies(s.Find(name).Intent) {
			now = append(now, short[i])
		}
	}
	return now
}

// FullHelp is the table.
func (s *Scope) FullHelp() [][]key.Binding {
	table := core.Map(s.Bindings, func(b Binding) key.Binding { return b.Key() })
	return [][]key.Binding{table}
}

// start are the keys that need no selection.
var start = Bind(AskSpawn{}, "new", "start a session", "n")

// restore are the keys that bring a recorded session back.
var restore = Bind(ListCheckpoints{}, "restore", "restore a recorded session", "L")

// showRelays are the keys of the relays, which need no selection either.
var showRelays = Bind(Open{Screen: "relays"}, "relays", "list the relays", "r")

// showChanges are the keys of what changed in the working trees.
var showChanges = Bind(Open{Screen: "changes"}, "changes", "what changed in the working trees", "v")

// showCrews are the keys of the crews.
var showCrews = Bind(Open{Screen: "crews"}, "crews", "list the crews", "c")

// showStories are the keys of the changes and the runs over their stories.
var showStories = Bind(Open{Screen: "stories"}, "stories", "list the stories of changes, and their runs", "t")

// act are the keys that act on the selection.
var act = []Binding{
	Bind(Attach{}, "open", `open it; prefix d or ^\ leaves, in tmux: L`, "enter"),
	Bind(AskSend{}, "send", "send a prompt", "s"),
	Bind(AskSend{All: true}, "", "send to all agents of the session", "S"),
	Bind(AskSend{Everyone: true}, "", "send to all agents of all sessions", "B"),
	Bind(Interrupt{}, "interrupt", "interrupt its turn", "i"),
	Bind(Copy{}, "copy", "copy what the pane shows", "y"),
	Bind(CopyReply{}, "", "copy its last reply", "Y"),
	Bind(CopyReply{Code: true}, "", "copy the last block of code of its reply", "ctrl+y"),
	Bind(NextNeedsYou{}, "needs you", "go to the next that needs you or is done", "w"),
	Bind(AskAnswer{}, "decide", "decide what it waits for", "d"),
	Bind(Open{Screen: "inbox"}, "inbox", "answer who needs you, one after the other", "I"),
	Bind(Open{Screen: "alerts"}, "alerts", "list the alerts", "!"),
	Bind(Open{Screen: "output", Selected: true}, "output", "all that it has shown", "o"),
	Bind(Replay{}, "", "play what was recorded of it", ">"),
	Bind(Open{Screen: "history", Selected: true}, "history", "list what was sent to it", "H"),
	Bind(Open{Screen: "explain", Selected: true}, "explain", "explain its state", "e"),
	Bind(Open{Screen: "queue", Selected: true}, "queue", "prompts that wait until it is idle", "Q"),
	Bind(Open{Screen: "rules", Selected: true}, "rules", "rules that approve its commands", "p"),
	showChanges,
	showRelays,
	showCrews,
	showStories,
	start,
	Bind(AskAdd{}, "add", "add agents to the session", "a"),
	Bind(AskRestart{}, "restart", "restart it, in its own session or a new one", "R"),
	Bind(Fork{}, "fork", "fork its conversation into another agent", "%"),
	Bind(AskRename{}, "rename", "rename the session", ","),
	Bind(AskLabel{}, "", "label it, to find it and to group by", "#"),
	Bind(TurnAtLimit{}, "", "continue by itself after limits, or not", "@"),
	Bind(Pin{}, "", "pin it: first in its list, or no longer", "P"),
	Bind(AskSnooze{}, "", "snooze it: no needs, no notices until a time", "Z"),
	Bind(Mark{}, "mark", "mark it, or not; acts are on the marked", "m"),
	Bind(Mark{Range: true}, "", "mark all from the last marked up to it", "M"),
	Bind(Mark{All: true}, "", "mark all that show, or none", "*"),
	Bind(Acknowledge{}, "seen", "seen: off the list until something happens", "z"),
	Bind(AskCheckpoint{}, "checkpoint", "record the session, to restore it later", "C"),
	restore,
	Bind(Edit{}, "", "open its folder in your editor", "E"),
	Bind(AskKill{}, "end", "end it, after a question", "x"),
	Bind(TypeInto{}, "type", "type into it; ctrl+] ends that", "T"),
	Bind(NextSession{By: 1}, "", "next session", "]"),
	Bind(NextSession{By: -1}, "", "previous session", "["),
}

// General are the keys that are active everywhere but in forms, beside those that open screens.
var General = []Binding{
	Bind(Help{}, "help", "explain the keys", "?"),
	Bind(OpenPalette{}, "palette", "find anything to do, or to go to", ":", "ctrl+k"),
	Bind(AskTheme{}, "theme", "another theme, shown while you look", "f2"),
	Bind(Resize{By: 5}, "", "more of the width for the list", "}"),
	Bind(Resize{By: -5}, "", "less of the width for the list", "{"),
	Bind(Resize{}, "", "the list alone, or what is beside it again", "\\"),
	Bind(Undo{}, "", "undo the last act, where that can be", "u"),
	Bind(Redraw{}, "", "redraw everything", "ctrl+l"),
	Bind(Suspend{}, "", "suspend", "ctrl+z"),
	Bind(Quit{}, "quit", "quit; the sessions stay", "q", "ctrl+c"),
}

// paging are the keys that move far in rows.
var paging = []Binding{
	Bind(Jump{}, "", "first row", "home"),
	Bind(Jump{Last: true}, "", "last row", "end", "G"),
	Bind(Turn{By: 1}, "", "next page", "pgdown"),
	Bind(Turn{By: -1}, "", "previous page", "pgup"),
}

// Tree is active in the tree of sessions.
var Tree = NewScope("Tree",
	[]string{"enter", "s", "d", "i", "R", "I", " ", "g", "v", "n", "/", ":", "q", "x", "a", "m", "y", "?"}, act,
	[]Binding{
		Bind(Move{By: 1}, "", "next row", "down", "j"),
		Bind(Move{By: -1}, "", "previous row", "up", "k"),
		Bind(Shift{By: 1}, "", "unfold the session", "right", "l"),
		Bind(Shift{By: -1}, "", "fold the session", "left", "h"),
	}, paging, []Binding{
		Bind(Peek{}, "peek", "give the pane the whole display", " ", "tab"),
		Bind(ToggleGrid{}, "grid", "live tiles of the session", "g"),
		Bind(ToggleGrid{All: true}, "", "live tiles of all sessions", "A"),
		Bind(AskFilter{}, "filter", "show only what matches", "/"),
		Bind(AskArrange{}, "", "group and sort the list", "O"),
		Bind(Back{}, "", "forget the marks, then the filter", "esc"),
	}, General).Opening(OpensAll)

// Grid is active in the grid of live tiles.
var Grid = NewScope("Grid",
	[]string{"enter", "s", "d", "i", "R", "I", " ", "g", "v", "n", "/", ":", "q", "x", "m", "y", "?"}, act,
	[]Binding{
		Bind(Move{By: 1}, "", "tile below", "down", "j"),
		Bind(Move{By: -1}, "", "tile above", "up", "k"),
		Bind(Shift{By: 1}, "", "tile to the right", "right", "l"),
		Bind(Shift{By: -1}, "", "tile to the left", "left", "h"),
		Bind(Jump{}, "", "first tile", "home"),
		Bind(Jump{Last: true}, "", "last tile", "end", "G"),
		Bind(Turn{By: 1}, "", "next page", "pgdown"),
		Bind(Turn{By: -1}, "", "previous page", "pgup"),
		Bind(Peek{}, "peek", "give the pane the whole display", " ", "tab"),
		Bind(Back{}, "tree", "back to the tree", "g", "esc"),
		Bind(ToggleGrid{All: true}, "", "tiles of all sessions, or of one", "A"),
		Bind(AskFilter{}, "filter", "show only what matches", "/"),
	}, General).Opening(OpensAll)

// Peeking is active while one pane has the whole display.
var Peeking = NewScope("Peek", []string{" ", "enter", "s", "d", "i", "R", "o", "v", "w", "y", "x", "q", "?"}, act,
	[]Binding{
		Bind(Move{By: 1}, "", "next pane", "down", "j"),
		Bind(Move{By: -1}, "", "previous pane", "up", "k"),
		Bind(Turn{By: -1}, "", "show what is above, then all it has shown", "pgup"),
		Bind(Turn{By: 1}, "", "show what is below", "pgdown"),
		Bind(Back{}, "back", "back", " ", "tab", "esc"),
	}, General).Opening(OpensAll)

// Reading is active while all that a pane has shown is on the display.
var Reading = NewScope("Output", []string{"/", "n", "N", "W", "y", "s", "esc", "?"}, []Binding{
	Bind(Move{By: 1}, "", "down", "down", "j"),
	Bind(Move{By: -1}, "", "up", "up", "k"),
	Bind(Shift{By: 1}, "", "to the right", "right", "l"),
	Bind(Shift{By: -1}, "", "to the left", "left", "h"),
	Bind(AskFind{}, "find", "find a text", "/"),
	Bind(FindNext{By: -1}, "next", "next match upward", "n"),
	Bind(FindNext{By: 1}, "previous", "next match downward", "N"),
	Bind(ToggleWrap{}, "wrap", "wrap long lines, or cut them at the edge", "W"),
	Bind(Copy{}, "copy", "copy all of it", "y"),
	Bind(AskSend{}, "send", "send a prompt", "s"),
	Bind(Back{}, "back", "back", "esc", "o"),
}, paging, General).Opening(OpensAll)

// Stopping is Reading while a command of the user's own runs.
var Stopping = Reading.labelled(Back{}, "stop")

// Browse are the keys that move in a list.
var Browse = append([]Binding{
	Bind(Move{By: 1}, "down", "down", "down", "j"),
	Bind(Move{By: -1}, "up", "up", "up", "k"),
	Bind(Back{}, "back", "back", "esc"),
}, paging...)

// listing are the keys that move in a list beside which something else has pages.
var listing = []Binding{
	Bind(Move{By: 1}, "down", "down", "down", "j"),
	Bind(Move{By: -1}, "up", "up", "up", "k"),
	Bind(Back{}, "back", "back", "esc"),
	Bind(Jump{}, "", "first row", "home"),
	Bind(Jump{Last: true}, "", "last row", "end", "G"),
}

// Alerting is active in the list of alerts.
var Alerting = NewScope("Alerts", []string{"enter", "esc", "D", "?"}, []Binding{
	Bind(GoTo{}, "go there", "go to what it is about", "enter", " "),
	Bind(Dismiss{}, "dismiss", "dismiss it", "D"),
}, Browse, General).Opening(OpensAll)

// Recalling is active in the list of prompts.
var Recalling = NewScope("History", []string{"enter", "r", "/", "esc", "?"}, []Binding{
	Bind(Peek{}, "whole", "show the whole prompt, or the list again", "enter", " "),
	Bind(AskAgain{}, "again", "send it again, or to the marked agents", "r"),
	Bind(AskFilter{}, "filter", "show only what matches", "/"),
}, Browse, General).Opening(OpensAll)

// Searching is active in the list of texts that a search found.
var Searching = NewScope("Search", []string{"enter", "r", "o", "/", "esc", "?"}, []Binding{
	Bind(Peek{}, "in place", "show it in its conversation", "enter", " "),
	Bind(Resume{}, "resume", "continue it, or go to the agent who is in it", "r"),
	Bind(GoTo{}, "agent", "go to the agent who said it", "o"),
	Bind(AskSearch{}, "search", "search for another text", "/"),
	Bind(Copy{}, "copy", "copy the text", "y"),
}, Browse, General).Opening(OpensAll)

// SearchReading is active while a found text shows in its conversation.
var SearchReading = NewScope("Found", []string{"n", "N", "r", "o", "y", "esc", "?"}, []Binding{
	Bind(Move{By: 1}, "", "down", "down", "j"),
	Bind(Move{By: -1}, "", "up", "up", "k"),
	Bind(FindNext{By: 1}, "next", "next match", "n"),
	Bind(FindNext{By: -1}, "previous", "previous match", "N"),
	Bind(Resume{}, "resume", "continue it, or go to the agent who is in it", "r"),
	Bind(GoTo{}, "agent", "go to the agent who said it", "o"),
	Bind(AskSearch{}, "", "search for another text", "/"),
	Bind(Copy{}, "copy", "copy what is shown", "y"),
	Bind(Back{}, "back", "back to the list", "esc", "enter", " "),
}, paging, General).Opening(OpensAll)

// Changing is active in the list of changes.
var Changing = NewScope("Changes", []string{"enter", "s", "C", "D", "b", "M", "P", "z", "/", "esc", "?"}, []Binding{
	Bind(Peek{}, "whole", "show the whole difference, or the list again", "enter", " ", "tab"),
	Bind(Stage{}, "stage", "stage the file, or take it back from there", "s"),
	Bind(AskCommit{}, "commit", "commit what is staged, else all", "C"),
	Bind(AskDiscard{}, "discard", "take the change back, after a question", "D"),
	Bind(Edit{}, "edit", "open it in your editor", "E"),
	Bind(NextBase{}, "compare", "since its branch, last commit, or last look", "b"),
	Bind(LookAt{}, "seen", "the tree was looked at as it is", "z"),
	Bind(AskMergeTree{}, "merge", "merge the worktree back, after a question", "M"),
	Bind(AskPublish{}, "publish", "push the branch, and open a pull request", "P"),
	Bind(GoTo{}, "agent", "go to the agent who works there", "o"),
	Bind(AskFind{}, "find", "find a text in the difference", "/"),
	Bind(FindNext{By: 1}, "", "next match", "n"),
	Bind(FindNext{By: -1}, "", "previous match", "N"),
	Bind(ToggleWrap{}, "", "wrap long lines, or cut them at the edge", "W"),
	Bind(Shift{By: 1}, "", "move the difference to the right", "right", "l"),
	Bind(Shift{By: -1}, "", "move it to the left", "left", "h"),
	Bind(Turn{By: 1}, "", "next page of the difference", "pgdown"),
	Bind(Turn{By: -1}, "", "previous page of the difference", "pgup"),
	Bind(Copy{}, "copy", "copy the difference", "y"),
	Bind(Back{}, "", "back", "v"),
}, listing, General).Opening(OpensAll)

// Reviewing is active while a difference has the whole display: its lines are selected.
var Reviewing = NewScope("Review", []string{"s", "m", "D", "c", "enter", "]", "C", "y", "esc", "?"}, []Binding{
	Bind(Stage{}, "stage", "stage hunk or marks, or take them back", "s"),
	Bind(Mark{}, "mark", "mark the line, or not", "m"),
	Bind(Mark{Range: true}, "", "mark all from the last marked up to it", "V"),
	Bind(AskDiscard{}, "discard", "take hunk or marks back, after a question", "D"),
	Bind(AskComment{}, "comment", "comment on the line, for its agent", "c"),
	Bind(Peek{}, "send", "send the comments; without any, the list", "enter"),
	Bind(NextSession{By: 1}, "hunk", "next hunk", "]"),
	Bind(NextSession{By: -1}, "", "previous hunk", "["),
	Bind(AskCommit{}, "commit", "commit what is staged, else all", "C"),
	Bind(Edit{}, "", "open it in your editor", "E"),
	Bind(NextBase{}, "", "since its branch, last commit, or last look", "b"),
	Bind(LookAt{}, "", "the tree was looked at as it is", "z"),
	Bind(AskMergeTree{}, "", "merge the worktree back, after a question", "M"),
	Bind(AskPublish{}, "", "push the branch, and open a pull request", "P"),
	Bind(GoTo{}, "", "go to the agent who works there", "o"),
	Bind(AskFind{}, "", "find a text in the difference", "/"),
	Bind(FindNext{By: 1}, "", "next match", "n"),
	Bind(FindNext{By: -1}, "", "previous match", "N"),
	Bind(ToggleWrap{}, "", "wrap long lines, or cut them at the edge", "W"),
	Bind(Shift{By: 1}, "", "move the difference to the right", "right", "l"),
	Bind(Shift{By: -1}, "", "move it to the left", "left", "h"),
	Bind(Copy{}, "copy", "copy the difference", "y"),
	Bind(Move{By: 1}, "", "next line", "down", "j"),
	Bind(Move{By: -1}, "", "previous line", "up", "k"),
	Bind(Back{}, "list", "back to the list; comments stay", "esc", " ", "tab", "v"),
}, paging, General).Opening(OpensAll)

// Activity is active in the timeline of the agents.
var Activity = NewScope("Activity", []string{"left", "right", "enter", "pgdown", "esc", "?"}, []Binding{
	Bind(Shift{By: -1}, "longer", "a longer time", "left", "h"),
	Bind(Shift{By: 1}, "shorter", "a shorter time", "right", "l"),
	Bind(GoTo{}, "go there", "go to the agent", "enter", " "),
	Bind(Turn{By: 1}, "older", "older entries of the agent", "pgdown"),
	Bind(Turn{By: -1}, "", "newer entries of the agent", "pgup"),
}, listing, General).Opening(OpensAll)

// Spending is active where it shows what agents used.
var Spending = NewScope("Usage", []string{"left", "right", "g", "b", "enter", "esc", "?"}, []Binding{
	Bind(Shift{By: -1}, "longer", "a longer time", "left", "h"),
	Bind(Shift{By: 1}, "shorter", "a shorter time", "right", "l"),
	Bind(NextGroup{}, "by", "by agent, session, kind or model", "g"),
	Bind(AskCommand{Line: "budget-set day --usd="}, "ceiling", "set a ceiling of what may be spent", "b"),
	Bind(GoTo{}, "go there", "go to the agent or session", "enter", " "),
}, Browse, General).Opening(OpensAll)

// Setting is active in the list of settings.
var Setting = NewScope("Settings", []string{"enter", "D", "E", "/", "f2", "esc", "?"}, []Binding{
	Bind(AskSetting{}, "change", "change it", "enter", " "),
	Bind(ResetSetting{}, "reset", "go back to its usual value", "D"),
	Bind(Edit{}, "file", "open the file of your settings", "E"),
	Bind(AskFilter{}, "filter", "show only what matches", "/"),
}, Browse, General).Opening(OpensAll)

// Hosts is active in the list of hosts.
var Hosts = NewScope("Hosts", []string{"enter", "n", "a", "t", "D", "esc", "?"}, []Binding{
	Bind(GoTo{}, "go there", "go to its first session", "enter", " "),
	Bind(OnHost{Line: "spawn HOST/"}, "new", "start agents there", "n"),
	Bind(AskCommand{Line: "hosts-add "}, "add", "add a host", "a"),
	Bind(OnHost{Line: "hosts-check HOST"}, "test", "test whether it answers", "t"),
	Bind(OnHost{Line: "hosts-disable HOST"}, "off/on", "disable or enable it", "D"),
}, Browse, General).Opening(OpensAll)

// Explaining is active while a state is explained.
var Explaining = NewScope("Explain", []string{"esc", "w", "?"}, []Binding{
	Bind(NextNeedsYou{}, "needs you", "go to the next that needs you or is done", "w"),
	Bind(Back{}, "", "back", "e"),
}, Browse, General).Opening(OpensAll)

// Nothing is active if there is no session to show.
var Nothing = NewScope("No session", []string{"L", "n", "D", "r", "c", "t", "q", "?"},
	[]Binding{
		start, Bind(Demo{}, "demo", "show a demo of nine agents", "D"), restore, showRelays, showCrews, showStories,
	}, General).Opening(OpensAlone)

// Form is active in forms; other keys edit the field.
var Form = Scope{Name: "Forms", Footer: []string{"ctrl+s", "tab", "ctrl+p", "esc"}, Bindings: []Binding{
	Bind(Recollect{By: 1}, "earlier", "an earlier or saved prompt", "ctrl+p"),
	Bind(Recollect{By: -1}, "", "a later one, at last what was typed", "ctrl+n"),
	Bind(Submit{}, "accept", "accept", "ctrl+s", "alt+enter"),
	Bind(NextField{By: 1}, "next field", "next field", "tab"),
	Bind(NextField{By: -1}, "", "previous field", "shift+tab"),
	Bind(Back{}, "leave", "leave; a prompt is kept until you quit", "esc", "ctrl+c"),
}}

// LeaveTyping is the key that ends typing into a pane.
const LeaveTyping = "ctrl+]"

// Typing is active while keys go to a pane; all others are its.
var Typing = Scope{Name: "Typing into a pane", Footer: []string{LeaveTyping}, Bindings: []Binding{
	Bind(Back{}, "end", "end typing; all other keys go to the pane", LeaveTyping),
}}

// Asking is active in forms that ask for a yes.
var Asking = Scope{Name: "Questions", Footer: []string{"y", "n"}, Bindings: []Binding{
	Bind(Submit{}, "yes", "yes", "y", "Y"),
	Bind(Back{}, "no", "no", "n", "N", "esc", "q", "ctrl+c"),
}}

// Ending is active in questions whose yes destroys.
var Ending = Scope{Name: "Ending", Footer: []string{"Y", "n"}, Bindings: []Binding{
	Bind(Submit{}, "yes", "yes; a capital letter, for it is final", "Y"),
	Bind(Back{}, "keep it", "no", "n", "N", "esc", "q", "ctrl+c"),
}}

// Choosing is active in the palette; other keys search.
var Choosing = Scope{Name: "Palette", Footer: []string{"enter", "down", "esc"}, Bindings: []Binding{
	Bind(Submit{}, "take it", "take what is selected", "enter", "ctrl+s"),
	Bind(Move{By: 1}, "select", "select the next", "down", "ctrl+n"),
	Bind(Move{By: -1}, "", "select the one before", "up", "ctrl+p"),
	Bind(Turn{By: 1}, "", "next page", "pgdown"),
	Bind(Turn{By: -1}, "", "previous page", "pgup"),
	Bind(Back{}, "leave", "leave", "esc", "ctrl+c"),
}}

// Deciding is active in the form for an agent's dialog.
var Deciding = Scope{Name: "Decide", Footer: deciding, Bindings: append([]Binding{
	Bind(Answer{Approve: true}, "approve", "approve", "y"),
	Bind(Answer{Deny: true}, "deny", "deny", "n"),
	Bind(AskText{}, "words", "answer in words", "t"),
	Bind(AskRule{}, "rule", "let a rule approve its command from now on", "p"),
	Bind(Submit{}, "take it", "take what is selected", "enter"),
	Bind(Move{By: 1}, "select", "select the next option", "down", "j"),
	Bind(Move{By: -1}, "", "select the one before", "up", "k"),
	Bind(Turn{By: 1}, "", "show the rest of a long question", "pgdown"),
	Bind(Turn{By: -1}, "", "show its beginning", "pgup"),
	Bind(Back{}, "leave", "leave it open", "esc", "q", "ctrl+c"),
}, options()...)}

// Inbox is active in the list of agents that need the user.
var Inbox = NewScope("Inbox", []string{"y", "n", "1", "t", "s", "R", "z", "enter", "esc", "?"}, []Binding{
	Bind(Answer{Approve: true}, "approve", "approve", "y"),
	Bind(Answer{Deny: true}, "deny", "deny", "n"),
	Bind(AskText{}, "words", "answer in words", "t"),
	Bind(Turn{By: 1}, "", "show the rest of a long question", "pgdown"),
	Bind(Turn{By: -1}, "", "show its beginning", "pgup"),
	Bind(Attach{}, "open", `open it; prefix d or ^\ leaves, in tmux: L`, "enter"),
	Bind(AskSend{}, "send", "send a prompt", "s"),
	Bind(AskRestart{}, "restart", "restart it, in its own session or a new one", "R"),
	Bind(Acknowledge{}, "seen", "seen: off the list until something happens", "z"),
	Bind(AskSnooze{}, "", "snooze it: no needs, no notices until a time", "Z"),
	Bind(Interrupt{}, "", "interrupt its turn", "i"),
	Bind(AskKill{}, "", "end it, after a question", "x"),
	Bind(Open{Screen: "output", Selected: true}, "", "all that it has shown", "o"),
	Bind(Replay{}, "", "play what was recorded of it", ">"),
	Bind(Open{Screen: "explain", Selected: true}, "", "explain its state", "e"),
	Bind(Open{Screen: "changes"}, "", "what changed in the working trees", "v"),
	Bind(Open{Screen: "history", Selected: true}, "", "list what was sent to it", "H"),
	Bind(Peek{}, "", "give the pane the whole display", " ", "tab"),
	Bind(Move{By: 1}, "", "next agent", "down", "j"),
	Bind(Move{By: -1}, "", "previous agent", "up", "k"),
	Bind(Jump{}, "", "first agent", "home"),
	Bind(Jump{Last: true}, "", "last agent", "end", "G"),
	Bind(Back{}, "back", "back", "esc", "I"),
}, options(), General)

// deciding are the keys that its footer shows, where they are of use.
var deciding = []string{"y", "n", "down", "1", "t", "enter", "esc"}

// options are the keys that choose by number.
func options() []Binding {
	var bindings []Binding
	for n := 1; n <= 9; n++ {
		label := ""
		if n == 1 {
			label = "choose"
		}
		bindings = append(bindings, Bind(Answer{N: n}, label, "choose option "+strconv.Itoa(n), strconv.Itoa(n)))
	}
	return bindings
}

// Helping is active in the help.
var Helping = NewScope("Help", []string{"down", "up", "/", "esc"}, []Binding{
	Bind(AskFilter{}, "find", "show only what matches", "/"),
	Bind(Move{By: 1}, "down", "scroll down", "down", "j"),
	Bind(Move{By: -1}, "up", "scroll up", "up", "k"),
	Bind(Back{}, "back", "back", "esc", "?", "q", "enter", " ", "ctrl+c"),
}, paging)

// Footed is a scope with another footer, in which some keys have other words.
func (s *Scope) Footed(footer []string, words map[string]string) Scope {
	other := Scope{Name: s.Name, Bindings: slices.Clone(s.Bindings), Footer: footer, Opens: s.Opens}
	for name, word := range words {
		other.Find(name).Label = word
	}
	return other
}

// NewScope makes a table of others. The keys of the footer must be among them, with a label.
func NewScope(name string, footer []string, tables ...[]Binding) Scope {
	return Scope{Name: name, Footer: footer, Bindings: slices.Concat(tables...)}
}
