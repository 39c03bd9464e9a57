package intent

import "slices"

// Screen is a screen that a key opens, whatever is open.
type Screen int

// The screens.
const (
	ScreenFleet Screen = iota
	ScreenGrid
	ScreenInbox
	ScreenChanges
	ScreenActivity
	ScreenUsage
	ScreenHistory
	ScreenRelays
	ScreenCrews
	ScreenStories
	ScreenHosts
	ScreenHealth
	ScreenSettings
)

// anytime are those of screens that need no session.
var anytime = slices.DeleteFunc(slices.Clone(screens), func(b Binding) bool {
	to, is := b.Intent.(OpenScreen)
	return is && (to.Screen < ScreenActivity || to.Screen == ScreenHistory)
})

// screens are the keys that open them.
var screens = []Binding{
	bind(OpenScreen{ScreenFleet}, "", "fleet: all sessions and agents", "1"),
	bind(OpenScreen{ScreenGrid}, "", "grid: live tiles of all", "2"),
	bind(OpenScreen{ScreenInbox}, "", "inbox: who needs you", "3"),
	bind(OpenScreen{ScreenChanges}, "", "changes: what the agents changed", "4"),
	bind(OpenScreen{ScreenActivity}, "", "activity: who worked for how long", "5"),
	bind(OpenScreen{ScreenUsage}, "", "usage: tokens and what they cost", "6"),
	bind(OpenScreen{ScreenHistory}, "", "history: all that was sent", "7"),
	bind(OpenScreen{ScreenRelays}, "", "relays", "8"),
	bind(OpenScreen{ScreenCrews}, "", "crews", "9"),
	bind(OpenScreen{ScreenStories}, "", "stories", "0"),
	bind(OpenScreen{ScreenHosts}, "", "hosts: this machine and the other ones", "f7"),
	bind(OpenScreen{ScreenHealth}, "", "health: what is wrong with this machine", "f8"),
	bind(OpenScreen{ScreenSettings}, "", "settings, and where they are from", "f9"),
}
