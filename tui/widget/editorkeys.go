package widget

// edits are the keys of text being typed, by the names that Bubble Tea gives
// them.
var edits = map[string]func(*Editor){
	"left": (*Editor).Left, "ctrl+b": (*Editor).Left,
	"right": (*Editor).Right, "ctrl+f": (*Editor).Right,
	"home": (*Editor).Home, "ctrl+a": (*Editor).Home,
	"end": (*Editor).End, "ctrl+e": (*Editor).End,
	"ctrl+home": (*Editor).Begin, "alt+<": (*Editor).Begin,
	"ctrl+end": (*Editor).Finish, "alt+>": (*Editor).Finish,
	"ctrl+left": (*Editor).WordLeft, "alt+left": (*Editor).WordLeft, "alt+b": (*Editor).WordLeft,
	"ctrl+right": (*Editor).WordRight, "alt+right": (*Editor).WordRight, "alt+f": (*Editor).WordRight,
	"backspace": (*Editor).Backspace, "ctrl+h": (*Editor).Backspace,
	"delete": (*Editor).Delete, "ctrl+d": (*Editor).Delete,
	"ctrl+w": (*Editor).DeleteWord, "alt+backspace": (*Editor).DeleteWord,
	"ctrl+k": (*Editor).DeleteToEnd,
	"ctrl+u": (*Editor).DeleteToStart,
}

// Press applies an editing key in a view of w cells, as Input has it for its
// rect. It returns false for a key that means nothing here, such as one that
// would leave the text, and for a line end in a single line.
func (e *Editor) Press(key string, w int) bool {
	switch key {
	case "up", "ctrl+p":
		return !e.Single && e.Up(w-1)
	case "down", "ctrl+n":
		return !e.Single && e.Down(w-1)
	case "enter", "ctrl+j", "shift+enter":
		if e.Single {
			return false
		}
		e.Insert("\n")
		return true
	}
	edit, ok := edits[key]
	if ok {
		edit(e)
	}
	return ok
}
