package intent

import "strconv"

// Binding is a row of a key table.
type Binding struct {
	// Keys are the keys, as Bubble Tea names them.
	Keys []string
	// Intent is what they mean. One that needs a target has none yet: the root
	// fills in what is selected.
	Intent Intent
	// Does is what help says, Label the word in the footer.
	Does, Label string
}

// Scope is a table of keys that hold in one place.
type Scope struct {
	Name     string
	Bindings []Binding
	// Footer are the keys that the footer shows, the most used first. Where there
	// is little room they go from the end, save the last one.
	Footer []string
}

// Lookup returns what a key means here; ok is false if nothing.
func (s *Scope) Lookup(key string) (meaning Intent, ok bool) {
	if binding := s.Find(key); binding != nil {
		return binding.Intent, true
	}
	return nil, false
}

// Find returns the row of a key, nil if there is none.
func (s *Scope) Find(key string) *Binding {
	for i := range s.Bindings {
		for _, k := range s.Bindings[i].Keys {
			if k == key {
				return &s.Bindings[i]
			}
		}
	}
	return nil
}

// start is what can be done even where nothing is selected.
var start = Binding{Keys: []string{"n"}, Intent: AskSpawn{}, Does: "start a session", Label: "new"}

// act are the keys that act on what is selected, wherever something is.
var act = []Binding{
	{Keys: []string{"enter"}, Intent: Attach{}, Does: "open it here; tmux's detach key comes back", Label: "open"},
	{Keys: []string{"s"}, Intent: AskSend{}, Does: "send a prompt", Label: "send"},
	{Keys: []string{"S"}, Intent: AskSend{All: true}, Does: "send to all agents of the session"},
	{Keys: []string{"i"}, Intent: Interrupt{}, Does: "interrupt its turn", Label: "interrupt"},
	{Keys: []string{"y"}, Intent: Copy{}, Does: "copy what the pane shows", Label: "copy"},
	{Keys: []string{"w"}, Intent: NextNeedy{}, Does: "go to the next that needs someone", Label: "next needy"},
	{Keys: []string{"d"}, Intent: AskAnswer{}, Does: "decide what it waits for", Label: "decide"},
	{Keys: []string{"!"}, Intent: ShowAlerts{}, Does: "list the alerts", Label: "alerts"},
	{Keys: []string{"H"}, Intent: ShowHistory{}, Does: "list what was sent to it", Label: "history"},
	{Keys: []string{"e"}, Intent: ShowExplain{}, Does: "explain its state", Label: "explain"},
	start,
	{Keys: []string{"a"}, Intent: AskAdd{}, Does: "add agents to the session", Label: "add"},
	{Keys: []string{"R"}, Intent: AskRename{}, Does: "rename the session", Label: "rename"},
	{Keys: []string{"x"}, Intent: AskKill{}, Does: "end it, after a question", Label: "end"},
	{Keys: []string{"]"}, Intent: NextSession{By: 1}, Does: "next session"},
	{Keys: []string{"["}, Intent: NextSession{By: -1}, Does: "previous session"},
}

// always are the keys that hold everywhere but in forms.
var always = []Binding{
	{Keys: []string{"?"}, Intent: Help{}, Does: "explain the keys", Label: "help"},
	{Keys: []string{"ctrl+l"}, Intent: Redraw{}, Does: "paint everything anew"},
	{Keys: []string{"ctrl+z"}, Intent: Suspend{}, Does: "suspend"},
	{Keys: []string{"q", "ctrl+c"}, Intent: Quit{}, Does: "quit; the sessions go on", Label: "quit"},
}

// Tree holds where the tree of sessions is shown.
var Tree = scope("Tree", []string{"enter", "s", "d", " ", "g", "n", "/", "q", "x", "i", "a", "w", "y", "R", "?"}, act, []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "next row"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "previous row"},
	{Keys: []string{"right", "l"}, Intent: Shift{By: 1}, Does: "unfold the session"},
	{Keys: []string{"left", "h"}, Intent: Shift{By: -1}, Does: "fold the session"},
	{Keys: []string{"home"}, Intent: Jump{}, Does: "first row"},
	{Keys: []string{"end", "G"}, Intent: Jump{Last: true}, Does: "last row"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "next page"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "previous page"},
	{Keys: []string{" ", "tab"}, Intent: Peek{}, Does: "give the pane the whole display", Label: "peek"},
	{Keys: []string{"g"}, Intent: ToggleGrid{}, Does: "live tiles of the session", Label: "grid"},
	{Keys: []string{"A"}, Intent: ToggleGrid{All: true}, Does: "live tiles of all sessions"},
	{Keys: []string{"/"}, Intent: AskFilter{}, Does: "show only what matches", Label: "filter"},
	{Keys: []string{"esc"}, Intent: Back{}, Does: "forget the filter"},
}, always)

// Grid holds where live tiles are shown.
var Grid = scope("Grid", []string{"enter", "s", "d", " ", "g", "n", "/", "q", "x", "i", "a", "w", "y", "?"}, act, []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "tile below"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "tile above"},
	{Keys: []string{"right", "l"}, Intent: Shift{By: 1}, Does: "tile to the right"},
	{Keys: []string{"left", "h"}, Intent: Shift{By: -1}, Does: "tile to the left"},
	{Keys: []string{"home"}, Intent: Jump{}, Does: "first tile"},
	{Keys: []string{"end", "G"}, Intent: Jump{Last: true}, Does: "last tile"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "next page"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "previous page"},
	{Keys: []string{" ", "tab"}, Intent: Peek{}, Does: "give the pane the whole display", Label: "peek"},
	{Keys: []string{"g", "esc"}, Intent: Back{}, Does: "back to the tree", Label: "tree"},
	{Keys: []string{"A"}, Intent: ToggleGrid{All: true}, Does: "tiles of all sessions, or of one"},
	{Keys: []string{"/"}, Intent: AskFilter{}, Does: "show only what matches", Label: "filter"},
}, always)

// Peeking holds where one pane has the whole display.
var Peeking = scope("Peek", []string{" ", "enter", "s", "d", "i", "w", "y", "x", "q", "?"}, act, []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "next pane"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "previous pane"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "show what is above"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "show what is below"},
	{Keys: []string{" ", "tab", "esc"}, Intent: Back{}, Does: "back", Label: "back"},
}, always)

// browse are the keys that move in a list.
var browse = []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "down", Label: "down"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "up", Label: "up"},
	{Keys: []string{"home"}, Intent: Jump{}, Does: "first row"},
	{Keys: []string{"end", "G"}, Intent: Jump{Last: true}, Does: "last row"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "next page"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "previous page"},
	{Keys: []string{"esc"}, Intent: Back{}, Does: "back", Label: "back"},
}

// Alerting holds in the list of alerts.
var Alerting = scope("Alerts", []string{"enter", "esc", "D", "?"}, []Binding{
	{Keys: []string{"enter", " "}, Intent: GoTo{}, Does: "go to what it is about", Label: "go there"},
	{Keys: []string{"D"}, Intent: Dismiss{}, Does: "dismiss it", Label: "dismiss"},
}, browse, always)

// Recalling holds in the list of prompts.
var Recalling = scope("History", []string{"enter", "esc", "r", "?"}, []Binding{
	{Keys: []string{"enter", " "}, Intent: Peek{}, Does: "show the whole prompt, or the list again", Label: "whole"},
	{Keys: []string{"r"}, Intent: AskAgain{}, Does: "send it again, after a look", Label: "again"},
}, browse, always)

// Explaining holds where a state is explained.
var Explaining = scope("Explain", []string{"esc", "w", "?"}, []Binding{
	{Keys: []string{"w"}, Intent: NextNeedy{}, Does: "go to the next that needs someone", Label: "next needy"},
	{Keys: []string{"e"}, Intent: Back{}, Does: "back"},
}, browse, always)

// Nothing holds where there is no session to show.
var Nothing = scope("No session", []string{"n", "q", "?"}, []Binding{start}, always)

// Form holds in forms; other keys edit the field.
var Form = Scope{Name: "Forms", Footer: []string{"ctrl+s", "tab", "esc"}, Bindings: []Binding{
	{Keys: []string{"ctrl+s", "alt+enter"}, Intent: Submit{}, Does: "accept", Label: "accept"},
	{Keys: []string{"tab"}, Intent: NextField{By: 1}, Does: "next field", Label: "next field"},
	{Keys: []string{"shift+tab"}, Intent: NextField{By: -1}, Does: "previous field"},
	{Keys: []string{"esc", "ctrl+c"}, Intent: Back{}, Does: "leave; a prompt is kept until you quit", Label: "leave"},
}}

// Asking holds where a form wants a yes.
var Asking = Scope{Name: "Questions", Footer: []string{"y", "n"}, Bindings: []Binding{
	{Keys: []string{"y", "Y"}, Intent: Submit{}, Does: "yes", Label: "yes"},
	{Keys: []string{"n", "N", "esc", "q", "ctrl+c"}, Intent: Back{}, Does: "no", Label: "no"},
}}

// Deciding holds where an agent's question is answered.
var Deciding = Scope{Name: "Decide", Footer: []string{"y", "n", "1", "t", "enter", "esc"}, Bindings: append([]Binding{
	{Keys: []string{"y"}, Intent: Answer{Approve: true}, Does: "approve", Label: "approve"},
	{Keys: []string{"n"}, Intent: Answer{Deny: true}, Does: "deny", Label: "deny"},
	{Keys: []string{"t"}, Intent: AskText{}, Does: "answer in words", Label: "words"},
	{Keys: []string{"enter"}, Intent: Submit{}, Does: "take what is selected", Label: "take it"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "show the rest of a long question"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "show its beginning"},
	{Keys: []string{"esc", "q", "ctrl+c"}, Intent: Back{}, Does: "leave it open", Label: "leave"},
}, options()...)}

// options are the keys that choose by number.
func options() []Binding {
	var bindings []Binding
	for n := 1; n <= 9; n++ {
		binding := Binding{Keys: []string{strconv.Itoa(n)}, Intent: Answer{N: n}, Does: "choose option " + strconv.Itoa(n)}
		if n == 1 {
			binding.Label = "choose"
		}
		bindings = append(bindings, binding)
	}
	return bindings
}

// Helping holds in the help.
var Helping = Scope{Name: "Help", Footer: []string{"down", "up", "esc"}, Bindings: []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "scroll down", Label: "down"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "scroll up", Label: "up"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "next page"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "previous page"},
	{Keys: []string{"home"}, Intent: Jump{}, Does: "first row"},
	{Keys: []string{"end", "G"}, Intent: Jump{Last: true}, Does: "last row"},
	{Keys: []string{"esc", "?", "q", "enter", " ", "ctrl+c"}, Intent: Back{}, Does: "back", Label: "back"},
}}

// Scopes are all tables, in the order in which help shows them.
var Scopes = []*Scope{&Tree, &Grid, &Peeking, &Alerting, &Recalling, &Explaining, &Nothing, &Form, &Asking, &Deciding, &Helping}

func scope(name string, footer []string, tables ...[]Binding) Scope {
	s := Scope{Name: name, Footer: footer}
	for _, table := range tables {
		s.Bindings = append(s.Bindings, table...)
	}
	return s
}
