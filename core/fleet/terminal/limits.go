package terminal

import "time"

// DrawWait is how long an agent may take to draw a dialog that a hook reported.
const DrawWait = 3 * time.Second

// StillFor is how long the screen of a working agent must be unchanged to count as stuck: all agents animate
// something every second.
const StillFor = 4 * time.Second
