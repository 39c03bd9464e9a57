package process

import "golang.org/x/sys/unix"

// inputWaits asks a terminal how much of its input was not read.
const inputWaits = unix.TIOCINQ

// terminalModes asks a terminal for its modes.
const terminalModes = unix.TCGETS
