package intent

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
)

// Binding is a row of a key table.
type Binding struct {
	// Intent is what the keys mean, without a target: the root fills in the selection.
	Intent Intent
	// Label is the word in the footer, Does what the keys do, in help.
	Label, Does string
	// Keys are their names, as Bubble Tea has them.
	Keys []string
}

// keyColumn is how many cells help has for the names of keys.
const keyColumn = 13

func bind(meaning Intent, label, does string, keys ...string) Binding {
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

// ShortHelp is what the footer shows: the keys of Footer, in its order.
func (s *Scope) ShortHelp() []key.Binding {
	short := make([]key.Binding, len(s.Footer))
	for i, name := range s.Footer {
		short[i] = key.NewBinding(key.WithKeys(name), key.WithHelp(Name(name), s.Find(name).Label))
	}
	return short
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
	table := make([]key.Binding, len(s.Bindings))
	for i := range s.Bindings {
		table[i] = s.Bindings[i].Key()
	}
	return [][]key.Binding{table}
}

// start are the keys that need no selection.
var start = bind(AskSpawn{}, "new", "start a session", "n")

// restore are the keys that bring a recorded session back.
var restore = bind(ListCheckpoints{}, "restore", "restore a recorded session", "L")

// showRelays are the keys of the relays, which need no selection either.
var showRelays = bind(ShowRelays{}, "relays", "list the relays", "r")

// showChanges are the keys of what changed in the working trees.
var showChanges = bind(ShowChanges{}, "changes", "what changed in the working trees", "v")

// showCrews are the keys of the crews.
var showCrews = bind(ShowCrews{}, "crews", "list the crews", "c")

// showStories are the keys of the changes and the runs over their stories.
var showStories = bind(ShowStories{}, "stories", "list the stories of changes, and their runs", "t")

// act are the keys that act on the selection.
var act = []Binding{
	bind(Attach{}, "open", `open it; prefix d or ^\ leaves, in tmux: L`, "enter"),
	bind(AskSend{}, "send", "send a prompt", "s"),
	bind(AskSend{All: true}, "", "send to all agents of the session", "S"),
	bind(AskSend{Everyone: true}, "", "send to all agents of all sessions", "B"),
	bind(Interrupt{}, "interrupt", "interrupt its turn", "i"),
	bind(Copy{}, "copy", "copy what the pane shows", "y"),
	bind(NextNeedsYou{}, "needs you", "go to the next that needs you", "w"),
	bind(AskAnswer{}, "decide", "decide what it waits for", "d"),
	bind(ShowInbox{}, "inbox", "answer who needs you, one after the other", "I"),
	bind(ShowAlerts{}, "alerts", "list the alerts", "!"),
	bind(ShowScrollback{}, "output", "all that it has shown", "o"),
	bind(Replay{}, "", "play what was recorded of it", ">"),
	bind(ShowHistory{}, "history", "list what was sent to it", "H"),
	bind(ShowExplain{}, "explain", "explain its state", "e"),
	showChanges,
	showRelays,
	showCrews,
	showStories,
	start,
	bind(AskAdd{}, "add", "add agents to the session", "a"),
	bind(AskRestart{}, "restart", "restart it, in its own session or a new one", "R"),
	bind(AskRename{}, "rename", "rename the session", ","),
	bind(AskLabel{}, "", "label it, to find it and to group by", "#"),
	bind(Mark{}, "mark", "mark it, or not; acts are on the marked", "m"),
	bind(Mark{Range: true}, "", "mark all from the last marked up to it", "M"),
	bind(Mark{All: true}, "", "mark all that show, or none", "*"),
	bind(Acknowledge{}, "seen", "off the list, until something new happens", "z"),
	bind(AskCheckpoint{}, "checkpoint", "record the session, to restore it later", "C"),
	restore,
	bind(Edit{}, "", "open its folder in your editor", "E"),
	bind(AskKill{}, "end", "end it, after a question", "x"),
	bind(TypeInto{}, "type", "type into it; ctrl+] ends that", "T"),
	bind(NextSession{By: 1}, "", "next session", "]"),
	bind(NextSession{By: -1}, "", "previous session", "["),
}

// always are the keys that are active everywhere but in forms.
var always = append(slices.Clone(general), screens...)

// general are those of them that are no digits.
var general = []Binding{
	bind(Help{}, "help", "explain the keys", "?"),
	bind(OpenPalette{}, "palette", "find anything to do, or to go to", ":", "ctrl+k"),
	bind(AskTheme{}, "theme", "another theme, shown while you look", "f2"),
	bind(Undo{}, "", "undo the last act, where that can be", "u"),
	bind(Redraw{}, "", "redraw everything", "ctrl+l"),
	bind(Suspend{}, "", "suspend", "ctrl+z"),
	bind(Quit{}, "quit", "quit; the sessions stay", "q", "ctrl+c"),
}

// paging are the keys that move far in rows.
var paging = []Binding{
	bind(Jump{}, "", "first row", "home"),
	bind(Jump{Last: true}, "", "last row", "end", "G"),
	bind(Turn{By: 1}, "", "next page", "pgdown"),
	bind(Turn{By: -1}, "", "previous page", "pgup"),
}

// Tree is active in the tree of sessions.
var Tree = scope("Tree",
	[]string{"enter", "s", "d", "i", "R", "I", " ", "g", "v", "n", "/", ":", "q", "x", "a", "m", "y", "?"}, act,
	[]Binding{
		bind(Move{By: 1}, "", "next row", "down", "j"),
		bind(Move{By: -1}, "", "previous row", "up", "k"),
		bind(Shift{By: 1}, "", "unfold the session", "right", "l"),
		bind(Shift{By: -1}, "", "fold the session", "left", "h"),
	}, paging, []Binding{
		bind(Peek{}, "peek", "give the pane the whole display", " ", "tab"),
		bind(ToggleGrid{}, "grid", "live tiles of the session", "g"),
		bind(ToggleGrid{All: true}, "", "live tiles of all sessions", "A"),
		bind(AskFilter{}, "filter", "show only what matches", "/"),
		bind(AskArrange{}, "", "group and sort the list", "O"),
		bind(Back{}, "", "forget the marks, then the filter", "esc"),
	}, always)

// Grid is active in the grid of live tiles.
var Grid = scope("Grid",
	[]string{"enter", "s", "d", "i", "R", "I", " ", "g", "v", "n", "/", ":", "q", "x", "m", "y", "?"}, act,
	[]Binding{
		bind(Move{By: 1}, "", "tile below", "down", "j"),
		bind(Move{By: -1}, "", "tile above", "up", "k"),
		bind(Shift{By: 1}, "", "tile to the right", "right", "l"),
		bind(Shift{By: -1}, "", "tile to the left", "left", "h"),
		bind(Jump{}, "", "first tile", "home"),
		bind(Jump{Last: true}, "", "last tile", "end", "G"),
		bind(Turn{By: 1}, "", "next page", "pgdown"),
		bind(Turn{By: -1}, "", "previous page", "pgup"),
		bind(Peek{}, "peek", "give the pane the whole display", " ", "tab"),
		bind(Back{}, "tree", "back to the tree", "g", "esc"),
		bind(ToggleGrid{All: true}, "", "tiles of all sessions, or of one", "A"),
		bind(AskFilter{}, "filter", "show only what matches", "/"),
	}, always)

// Peeking is active while one pane has the whole display.
var Peeking = scope("Peek", []string{" ", "enter", "s", "d", "i", "R", "o", "v", "w", "y", "x", "q", "?"}, act,
	[]Binding{
		bind(Move{By: 1}, "", "next pane", "down", "j"),
		bind(Move{By: -1}, "", "previous pane", "up", "k"),
		bind(Turn{By: -1}, "", "show what is above, then all it has shown", "pgup"),
		bind(Turn{By: 1}, "", "show what is below", "pgdown"),
		bind(Back{}, "back", "back", " ", "tab", "esc"),
	}, always)

// Reading is active while all that a pane has shown is on the display.
var Reading = scope("Output", []string{"/", "n", "N", "W", "y", "s", "esc", "?"}, []Binding{
	bind(Move{By: 1}, "", "down", "down", "j"),
	bind(Move{By: -1}, "", "up", "up", "k"),
	bind(Shift{By: 1}, "", "to the right", "right", "l"),
	bind(Shift{By: -1}, "", "to the left", "left", "h"),
	bind(AskFind{}, "find", "find a text", "/"),
	bind(FindNext{By: -1}, "next", "next match upward", "n"),
	bind(FindNext{By: 1}, "previous", "next match downward", "N"),
	bind(ToggleWrap{}, "wrap", "wrap long lines, or cut them at the edge", "W"),
	bind(Copy{}, "copy", "copy all of it", "y"),
	bind(AskSend{}, "send", "send a prompt", "s"),
	bind(Back{}, "back", "back", "esc", "o"),
}, paging, always)

// browse are the keys that move in a list.
var browse = append([]Binding{
	bind(Move{By: 1}, "down", "down", "down", "j"),
	bind(Move{By: -1}, "up", "up", "up", "k"),
	bind(Back{}, "back", "back", "esc"),
}, paging...)

// choosing are the keys that move in a list beside which something else has pages.
var choosing = []Binding{
	bind(Move{By: 1}, "down", "down", "down", "j"),
	bind(Move{By: -1}, "up", "up", "up", "k"),
	bind(Back{}, "back", "back", "esc"),
	bind(Jump{}, "", "first row", "home"),
	bind(Jump{Last: true}, "", "last row", "end", "G"),
}

// Alerting is active in the list of alerts.
var Alerting = scope("Alerts", []string{"enter", "esc", "D", "?"}, []Binding{
	bind(GoTo{}, "go there", "go to what it is about", "enter", " "),
	bind(Dismiss{}, "dismiss", "dismiss it", "D"),
}, browse, always)

// Recalling is active in the list of prompts.
var Recalling = scope("History", []string{"enter", "r", "/", "esc", "?"}, []Binding{
	bind(Peek{}, "whole", "show the whole prompt, or the list again", "enter", " "),
	bind(AskAgain{}, "again", "send it again, or to the marked agents", "r"),
	bind(AskFilter{}, "filter", "show only what matches", "/"),
}, browse, always)

// Relaying is active in the list of relays.
var Relaying = scope("Relays", []string{"n", "enter", "x", "/", "y", "o", "esc", "?"}, []Binding{
	bind(Peek{}, "whole", "show the whole answer, or the list again", "enter", " ", "tab"),
	bind(AskRelay{}, "ask", "ask a backend a prompt", "n"),
	bind(AskCancel{}, "cancel", "cancel it, after a question", "x"),
	bind(AskSpawn{}, "session", "start a session with its prompt", "o"),
	bind(Copy{}, "copy", "copy the answer", "y"),
	bind(AskFilter{}, "filter", "show only what matches", "/"),
	bind(Back{}, "", "back", "r"),
}, browse, always)

// Crewing is active in the list of crews.
var Crewing = scope("Crews", []string{"n", "enter", "s", "p", "x", "f", "a", "m", "/", "esc", "?"}, []Binding{
	bind(Peek{}, "whole", "show the whole crew, or the list again", "enter", " ", "tab"),
	bind(AskCrew{}, "new", "start a crew", "n"),
	bind(AskSay{}, "say", "say something to its agents", "s"),
	bind(PauseCrew{}, "pause", "pause it, or let it go on", "p"),
	bind(AskStop{}, "stop", "stop it, after a question", "x"),
	bind(NextFeed{}, "feed", "messages and notes, messages, notes", "f"),
	bind(NextTalker{}, "agent", "only the next agent, then pairs, then all", "a"),
	bind(ToggleMatrix{}, "matrix", "who wrote to whom", "m"),
	bind(GoTo{}, "pane", "go to the pane of the shown agent", "o"),
	bind(Copy{}, "copy", "copy what it told you", "y"),
	bind(AskFilter{}, "filter", "show only what matches", "/"),
	bind(Back{}, "", "back", "c"),
}, browse, always)

// Changing is active in the list of changes.
var Changing = scope("Changes", []string{"enter", "s", "C", "D", "E", "M", "/", "y", "esc", "?"}, []Binding{
	bind(Peek{}, "whole", "show the whole difference, or the list again", "enter", " ", "tab"),
	bind(Stage{}, "stage", "stage the file, or take it back from there", "s"),
	bind(AskCommit{}, "commit", "commit what is staged, else all", "C"),
	bind(AskDiscard{}, "discard", "take the change back, after a question", "D"),
	bind(Edit{}, "edit", "open it in your editor", "E"),
	bind(AskMergeTree{}, "merge", "merge the worktree back, after a question", "M"),
	bind(GoTo{}, "agent", "go to the agent who works there", "o"),
	bind(AskFind{}, "find", "find a text in the difference", "/"),
	bind(FindNext{By: 1}, "", "next match", "n"),
	bind(FindNext{By: -1}, "", "previous match", "N"),
	bind(ToggleWrap{}, "", "wrap long lines, or cut them at the edge", "W"),
	bind(Shift{By: 1}, "", "move the difference to the right", "right", "l"),
	bind(Shift{By: -1}, "", "move it to the left", "left", "h"),
	bind(Turn{By: 1}, "", "next page of the difference", "pgdown"),
	bind(Turn{By: -1}, "", "previous page of the difference", "pgup"),
	bind(Copy{}, "copy", "copy the difference", "y"),
	bind(Back{}, "", "back", "v"),
}, choosing, always)

// Activity is active in the timeline of the agents.
var Activity = scope("Activity", []string{"left", "right", "enter", "pgdown", "esc", "?"}, []Binding{
	bind(Shift{By: -1}, "longer", "a longer time", "left", "h"),
	bind(Shift{By: 1}, "shorter", "a shorter time", "right", "l"),
	bind(GoTo{}, "go there", "go to the agent", "enter", " "),
	bind(Turn{By: 1}, "older", "older entries of the agent", "pgdown"),
	bind(Turn{By: -1}, "", "newer entries of the agent", "pgup"),
}, choosing, always)

// Spending is active where it shows what agents used.
var Spending = scope("Usage", []string{"left", "right", "g", "b", "enter", "esc", "?"}, []Binding{
	bind(Shift{By: -1}, "longer", "a longer time", "left", "h"),
	bind(Shift{By: 1}, "shorter", "a shorter time", "right", "l"),
	bind(NextGroup{}, "by", "by agent, session, kind or model", "g"),
	bind(AskCommand{Line: "budget-set day --usd="}, "ceiling", "set a ceiling of what may be spent", "b"),
	bind(GoTo{}, "go there", "go to the agent or session", "enter", " "),
}, browse, always)

// Setting is active in the list of settings.
var Setting = scope("Settings", []string{"enter", "D", "E", "/", "f2", "esc", "?"}, []Binding{
	bind(AskSetting{}, "change", "change it", "enter", " "),
	bind(ResetSetting{}, "reset", "go back to its usual value", "D"),
	bind(Edit{}, "file", "open the file of your settings", "E"),
	bind(AskFilter{}, "filter", "show only what matches", "/"),
}, browse, always)

// Hosts is active in the list of hosts.
var Hosts = scope("Hosts", []string{"enter", "n", "a", "t", "D", "esc", "?"}, []Binding{
	bind(GoTo{}, "go there", "go to its first session", "enter", " "),
	bind(OnHost{Line: "spawn HOST/"}, "new", "start agents there", "n"),
	bind(AskCommand{Line: "hosts-add "}, "add", "add a host", "a"),
	bind(OnHost{Line: "hosts-check HOST"}, "test", "test whether it answers", "t"),
	bind(OnHost{Line: "hosts-disable HOST"}, "off/on", "disable or enable it", "D"),
}, browse, always)

// Explaining is active while a state is explained.
var Explaining = scope("Explain", []string{"esc", "w", "?"}, []Binding{
	bind(NextNeedsYou{}, "needs you", "go to the next that needs you", "w"),
	bind(Back{}, "", "back", "e"),
}, browse, always)

// Nothing is active if there is no session to show.
var Nothing = scope("No session", []string{"n", "D", "r", "c", "t", "q", "?"},
	[]Binding{
		start, bind(Demo{}, "demo", "show a demo of nine agents", "D"), restore, showRelays, showCrews, showStories,
	}, general, anytime)

// Form is active in forms; other keys edit the field.
var Form = Scope{Name: "Forms", Footer: []string{"ctrl+s", "tab", "ctrl+p", "esc"}, Bindings: []Binding{
	bind(Recollect{By: 1}, "earlier", "an earlier or saved prompt", "ctrl+p"),
	bind(Recollect{By: -1}, "", "a later one, at last what was typed", "ctrl+n"),
	bind(Submit{}, "accept", "accept", "ctrl+s", "alt+enter"),
	bind(NextField{By: 1}, "next field", "next field", "tab"),
	bind(NextField{By: -1}, "", "previous field", "shift+tab"),
	bind(Back{}, "leave", "leave; a prompt is kept until you quit", "esc", "ctrl+c"),
}}

// LeaveTyping is the key that ends typing into a pane.
const LeaveTyping = "ctrl+]"

// Typing is active while keys go to a pane; all others are its.
var Typing = Scope{Name: "Typing into a pane", Footer: []string{LeaveTyping}, Bindings: []Binding{
	bind(Back{}, "end", "end typing; all other keys go to the pane", LeaveTyping),
}}

// Asking is active in forms that ask for a yes.
var Asking = Scope{Name: "Questions", Footer: []string{"y", "n"}, Bindings: []Binding{
	bind(Submit{}, "yes", "yes", "y", "Y"),
	bind(Back{}, "no", "no", "n", "N", "esc", "q", "ctrl+c"),
}}

// Ending is active in questions whose yes destroys.
var Ending = Scope{Name: "Ending", Footer: []string{"Y", "n"}, Bindings: []Binding{
	bind(Submit{}, "yes", "yes; a capital letter, for it is final", "Y"),
	bind(Back{}, "keep it", "no", "n", "N", "esc", "q", "ctrl+c"),
}}

// Choosing is active in the palette; other keys search.
var Choosing = Scope{Name: "Palette", Footer: []string{"enter", "down", "esc"}, Bindings: []Binding{
	bind(Submit{}, "take it", "take what is selected", "enter", "ctrl+s"),
	bind(Move{By: 1}, "select", "select the next", "down", "ctrl+n"),
	bind(Move{By: -1}, "", "select the one before", "up", "ctrl+p"),
	bind(Turn{By: 1}, "", "next page", "pgdown"),
	bind(Turn{By: -1}, "", "previous page", "pgup"),
	bind(Back{}, "leave", "leave", "esc", "ctrl+c"),
}}

// Deciding is active in the form for an agent's dialog.
var Deciding = Scope{Name: "Decide", Footer: deciding, Bindings: append([]Binding{
	bind(Answer{Approve: true}, "approve", "approve", "y"),
	bind(Answer{Deny: true}, "deny", "deny", "n"),
	bind(AskText{}, "words", "answer in words", "t"),
	bind(Submit{}, "take it", "take what is selected", "enter"),
	bind(Move{By: 1}, "select", "select the next option", "down", "j"),
	bind(Move{By: -1}, "", "select the one before", "up", "k"),
	bind(Turn{By: 1}, "", "show the rest of a long question", "pgdown"),
	bind(Turn{By: -1}, "", "show its beginning", "pgup"),
	bind(Back{}, "leave", "leave it open", "esc", "q", "ctrl+c"),
}, options()...)}

// Inbox is active in the list of agents that need the user.
var Inbox = scope("Inbox", []string{"y", "n", "1", "t", "s", "R", "z", "enter", "esc", "?"}, []Binding{
	bind(Answer{Approve: true}, "approve", "approve", "y"),
	bind(Answer{Deny: true}, "deny", "deny", "n"),
	bind(AskText{}, "words", "answer in words", "t"),
	bind(Turn{By: 1}, "", "show the rest of a long question", "pgdown"),
	bind(Turn{By: -1}, "", "show its beginning", "pgup"),
	bind(Attach{}, "open", `open it; prefix d or ^\ leaves, in tmux: L`, "enter"),
	bind(AskSend{}, "send", "send a prompt", "s"),
	bind(AskRestart{}, "restart", "restart it, in its own session or a new one", "R"),
	bind(Acknowledge{}, "seen", "off the list, until something new happens", "z"),
	bind(Interrupt{}, "", "interrupt its turn", "i"),
	bind(AskKill{}, "", "end it, after a question", "x"),
	bind(ShowScrollback{}, "", "all that it has shown", "o"),
	bind(Replay{}, "", "play what was recorded of it", ">"),
	bind(ShowExplain{}, "", "explain its state", "e"),
	bind(ShowChanges{}, "", "what changed in the working trees", "v"),
	bind(ShowHistory{}, "", "list what was sent to it", "H"),
	bind(Peek{}, "", "give the pane the whole display", " ", "tab"),
	bind(Move{By: 1}, "", "next agent", "down", "j"),
	bind(Move{By: -1}, "", "previous agent", "up", "k"),
	bind(Jump{}, "", "first agent", "home"),
	bind(Jump{Last: true}, "", "last agent", "end", "G"),
	bind(Back{}, "back", "back", "esc", "I"),
}, options(), general)

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
		bindings = append(bindings, bind(Answer{N: n}, label, "choose option "+strconv.Itoa(n), strconv.Itoa(n)))
	}
	return bindings
}

// Helping is active in the help.
var Helping = scope("Help", []string{"down", "up", "/", "esc"}, []Binding{
	bind(AskFilter{}, "find", "show only what matches", "/"),
	bind(Move{By: 1}, "down", "scroll down", "down", "j"),
	bind(Move{By: -1}, "up", "scroll up", "up", "k"),
	bind(Back{}, "back", "back", "esc", "?", "q", "enter", " ", "ctrl+c"),
}, paging)

// Scopes are all tables, in the order in which help shows them.
var Scopes = []*Scope{
	&Tree, &Grid, &Inbox, &Peeking, &Reading, &Alerting,
	&Recalling, &Relaying, &Crewing, &Storying, &Changing, &Activity, &Spending, &Setting, &Hosts,
	&Explaining, &Nothing, &Form, &Typing, &Asking, &Ending, &Choosing, &Deciding, &Helping,
}

// footed is a scope with another footer, in which some keys have other words.
func (s *Scope) footed(footer []string, words map[string]string) Scope {
	other := Scope{Name: s.Name, Bindings: slices.Clone(s.Bindings), Footer: footer}
	for name, word := range words {
		other.Find(name).Label = word
	}
	return other
}

func scope(name string, footer []string, tables ...[]Binding) Scope {
	return Scope{Name: name, Footer: footer, Bindings: slices.Concat(tables...)}
}
