package look

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"
	"golang.org/x/sys/unix"
)

const (
	// backgroundWithin is how long the terminal may take to report its background.
	backgroundWithin = 100 * time.Millisecond
	// askBackground asks for the colour of the background, and then for a report that every terminal gives: one that
	// answers the second alone does not know the first.
	askBackground = "\x1b]11;?\x1b\\\x1b[c"
)

// background asks the terminal whether its background is light; known is false if it does not say. It does not ask
// where that would stop this process, or take keys that wait to be read.
func background(in, out *os.File) (light, known bool) {
	if !foreground(in) || pending(in) {
		return false, false
	}
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return false, false
	}
	defer func() { _ = term.Restore(in.Fd(), before) }() // what it was set to a moment ago can be set
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		return false, false
	}
	defer reader.Close()
	late := time.AfterFunc(backgroundWithin, func() { reader.Cancel() })
	defer late.Stop()
	if _, err := out.WriteString(askBackground); err != nil {
		return false, false
	}
	var said []byte
	for !answered(said) {
		part := make([]byte, 256)
		n, err := reader.Read(part)
		said = append(said, part[:n]...)
		if err != nil {
			break // it took too long, or the terminal is gone
		}
	}
	return lightIn(said)
}

// answered reports whether the last of the two answers is there.
func answered(said []byte) bool {
	at := bytes.Index(said, []byte("\x1b[?"))
	return at >= 0 && bytes.IndexByte(said[at:], 'c') >= 0
}

// lightIn reads the colour of the background in what a terminal said, as rgb:RRRR/GGGG/BBBB with one to four digits
// each.
func lightIn(said []byte) (light, known bool) {
	_, after, found := bytes.Cut(said, []byte("\x1b]11;rgb"))
	_, after, colon := bytes.Cut(after, []byte(":"))
	if !found || !colon {
		return false, false
	}
	end := bytes.IndexAny(after, "\x07\x1b")
	if end < 0 {
		return false, false
	}
	parts := strings.Split(string(after[:end]), "/")
	if len(parts) < 3 {
		return false, false
	}
	var bright [3]float64
	for i := range bright {
		value, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil {
			return false, false
		}
		bright[i] = float64(value) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	// The weights of the three in perceived brightness are from ITU-R BT.601.
	return 0.299*bright[0]+0.587*bright[1]+0.114*bright[2] > 0.5, true
}

// foreground reports whether this process may change the terminal; a job in the background would be stopped.
func foreground(in *os.File) bool {
	group, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// pending reports whether keys wait to be read.
func pending(in *os.File) bool {
	ready := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(ready, 0)
	return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
}
