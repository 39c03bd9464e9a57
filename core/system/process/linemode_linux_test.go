package process

import "golang.org/x/sys/unix"

const setModes = unix.TCSETS
