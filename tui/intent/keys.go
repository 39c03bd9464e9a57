package intent

// Binding is a row of a key table.
type Binding struct {
	// Keys are the keys, as Bubble Tea names them.
	Keys []string
	// Intent is what they mean. One that needs a target has none yet: the screen
	// fills in what is selected.
	Intent Intent
	// Does is what help says, Footer the word in the footer; a key without one is
	// not in the footer.
	Does, Footer string
}

// Scope is a table of keys that hold in one place.
type Scope struct {
	Name     string
	Bindings []Binding
}

// Lookup returns what a key means here; ok is false if nothing.
func (s *Scope) Lookup(key string) (meaning Intent, ok bool) {
	for i := range s.Bindings {
		for _, k := range s.Bindings[i].Keys {
			if k == key {
				return s.Bindings[i].Intent, true
			}
		}
	}
	return nil, false
}

// act are the keys that act on what is selected, wherever something is.
var act = []Binding{
	{Keys: []string{"enter"}, Intent: Attach{}, Does: "open it in this terminal; leave with the server's own keys (tmux: Ctrl-b d)", Footer: "open"},
	{Keys: []string{"s"}, Intent: AskSend{}, Does: "send a prompt", Footer: "send"},
	{Keys: []string{"S"}, Intent: AskSend{All: true}, Does: "send a prompt to all agents of the session"},
	{Keys: []string{"i"}, Intent: Interrupt{}, Does: "interrupt its turn", Footer: "interrupt"},
	{Keys: []string{"y"}, Intent: Copy{}, Does: "copy what the pane shows"},
	{Keys: []string{"n"}, Intent: AskSpawn{}, Does: "start a session", Footer: "new"},
	{Keys: []string{"a"}, Intent: AskAdd{}, Does: "add agents to the session"},
	{Keys: []string{"R"}, Intent: AskRename{}, Does: "rename the session"},
	{Keys: []string{"x"}, Intent: AskKill{}, Does: "end the pane or session, after a question", Footer: "end"},
	{Keys: []string{"w"}, Intent: NextNeedy{}, Does: "go to the next agent that needs someone"},
	{Keys: []string{"]"}, Intent: NextSession{By: 1}, Does: "next session"},
	{Keys: []string{"["}, Intent: NextSession{By: -1}, Does: "previous session"},
}

// always are the keys that hold everywhere but in forms.
var always = []Binding{
	{Keys: []string{"?"}, Intent: Help{}, Does: "explain the keys", Footer: "help"},
	{Keys: []string{"ctrl+l"}, Intent: Redraw{}, Does: "paint everything anew"},
	{Keys: []string{"ctrl+z"}, Intent: Suspend{}, Does: "suspend"},
	{Keys: []string{"q", "ctrl+c"}, Intent: Quit{}, Does: "quit; the sessions go on", Footer: "quit"},
}

// Tree holds where the tree of sessions is shown.
var Tree = scope("Tree", []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "next row"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "previous row"},
	{Keys: []string{"right", "l"}, Intent: Shift{By: 1}, Does: "unfold the session"},
	{Keys: []string{"left", "h"}, Intent: Shift{By: -1}, Does: "fold the session"},
	{Keys: []string{"home"}, Intent: Jump{}, Does: "first row"},
	{Keys: []string{"end", "G"}, Intent: Jump{Last: true}, Does: "last row"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "next page"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "previous page"},
	{Keys: []string{" ", "tab"}, Intent: Peek{}, Does: "give the pane the whole display", Footer: "peek"},
	{Keys: []string{"g"}, Intent: ToggleGrid{}, Does: "live tiles of the session", Footer: "grid"},
	{Keys: []string{"A"}, Intent: ToggleGrid{All: true}, Does: "live tiles of all sessions"},
	{Keys: []string{"/"}, Intent: AskFilter{}, Does: "show only what matches", Footer: "filter"},
	{Keys: []string{"esc"}, Intent: Back{}, Does: "forget the filter"},
}, act, always)

// Grid holds where live tiles are shown.
var Grid = scope("Grid", []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "tile below"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "tile above"},
	{Keys: []string{"right", "l"}, Intent: Shift{By: 1}, Does: "tile to the right"},
	{Keys: []string{"left", "h"}, Intent: Shift{By: -1}, Does: "tile to the left"},
	{Keys: []string{"home"}, Intent: Jump{}, Does: "first tile"},
	{Keys: []string{"end", "G"}, Intent: Jump{Last: true}, Does: "last tile"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "next page"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "previous page"},
	{Keys: []string{" ", "tab"}, Intent: Peek{}, Does: "give the pane the whole display", Footer: "peek"},
	{Keys: []string{"g", "esc"}, Intent: Back{}, Does: "back to the tree", Footer: "tree"},
	{Keys: []string{"A"}, Intent: ToggleGrid{All: true}, Does: "tiles of all sessions, or of one"},
}, act, always)

// Peeking holds where one pane has the whole display.
var Peeking = scope("Peek", []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "next pane"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "previous pane"},
	{Keys: []string{" ", "tab", "esc"}, Intent: Back{}, Does: "back", Footer: "back"},
}, act, always)

// Form holds in forms; other keys edit the field.
var Form = Scope{Name: "Forms", Bindings: []Binding{
	{Keys: []string{"ctrl+s", "alt+enter"}, Intent: Submit{}, Does: "accept", Footer: "accept"},
	{Keys: []string{"tab"}, Intent: NextField{By: 1}, Does: "next field", Footer: "next"},
	{Keys: []string{"shift+tab"}, Intent: NextField{By: -1}, Does: "previous field"},
	{Keys: []string{"esc", "ctrl+c"}, Intent: Back{}, Does: "leave; a prompt that was begun is kept", Footer: "leave"},
}}

// Question holds where a form wants a yes.
var Question = Scope{Name: "Questions", Bindings: []Binding{
	{Keys: []string{"y", "Y"}, Intent: Submit{}, Does: "yes", Footer: "yes"},
	{Keys: []string{"n", "N", "esc", "q", "ctrl+c"}, Intent: Back{}, Does: "no", Footer: "no"},
}}

// Helping holds in the help.
var Helping = Scope{Name: "Help", Bindings: []Binding{
	{Keys: []string{"down", "j"}, Intent: Move{By: 1}, Does: "scroll down"},
	{Keys: []string{"up", "k"}, Intent: Move{By: -1}, Does: "scroll up"},
	{Keys: []string{"pgdown"}, Intent: Turn{By: 1}, Does: "next page"},
	{Keys: []string{"pgup"}, Intent: Turn{By: -1}, Does: "previous page"},
	{Keys: []string{"esc", "?", "q", "enter", " ", "ctrl+c"}, Intent: Back{}, Does: "back", Footer: "back"},
}}

// Scopes are all tables, in the order in which help shows them.
var Scopes = []*Scope{&Tree, &Grid, &Peeking, &Form, &Question, &Helping}

func scope(name string, tables ...[]Binding) Scope {
	s := Scope{Name: name}
	for _, table := range tables {
		s.Bindings = append(s.Bindings, table...)
	}
	return s
}
