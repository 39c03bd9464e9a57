package process

import "golang.org/x/sys/unix"

// inputWaits is FIONREAD of <sys/filio.h>: it asks a terminal how much of its
// input was not read.
const inputWaits = 0x4004667f

// terminalModes asks a terminal for its modes.
const terminalModes = unix.TIOCGETA
