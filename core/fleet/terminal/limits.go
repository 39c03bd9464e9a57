package terminal

import "time"

// DrawWait is how long a dialog that a hook reported may take to be drawn.
const DrawWait = 3 * time.Second

// StillFor is how long the screen of an agent that seems to work must not change for it to
// count as stuck: all agents draw something that moves each second.
const StillFor = 4 * time.Second
