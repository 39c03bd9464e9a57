package intent

import "slices"

// Place is a screen that a digit opens, or the palette.
type Place int

// The places.
const (
	Fleet Place = iota
	Tiles
	Answering
	Differences
	Activity
	Usage
	Prompts
	Relayed
	Talking
	Working
	Health
	Settings
)

// anytime are those of places that need no session.
var anytime = slices.DeleteFunc(slices.Clone(places), func(b Binding) bool {
	to, is := b.Intent.(Go)
	return is && (to.To < Activity || to.To == Prompts)
})

// places are the keys that open screens, whatever is open.
var places = []Binding{
	bind(Go{Fleet}, "", "fleet: all sessions and agents", "1"),
	bind(Go{Tiles}, "", "grid: live tiles of all", "2"),
	bind(Go{Answering}, "", "inbox: who needs you", "3"),
	bind(Go{Differences}, "", "changes: what the agents changed", "4"),
	bind(Go{Activity}, "", "activity: who worked for how long", "5"),
	bind(Go{Usage}, "", "usage: tokens and what they cost", "6"),
	bind(Go{Prompts}, "", "history: all that was sent", "7"),
	bind(Go{Relayed}, "", "relays", "8"),
	bind(Go{Talking}, "", "crews", "9"),
	bind(Go{Working}, "", "stories", "0"),
	bind(Go{Health}, "", "health: what is wrong with this machine", "f8"),
	bind(Go{Settings}, "", "settings, and where they are from", "f9"),
}
