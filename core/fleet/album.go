package fleet

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/textfile"
)

// album holds the screens that one call leaves for the next in the runtime folder,
// so that those of resting agents need not be captured again. A screen stands as
// long as its pane has the same program and nothing was printed in its window
// since; where a pane was only resized, it says the same in other rows. The server
// tells the time of printing in whole seconds, so a screen is kept only where
// nothing was printed in the second of its capture nor in the one before.
type album struct {
	path    string
	reading sync.WaitGroup
	// failed is what went wrong at reading; nil if nothing did.
	failed error
	leaves map[core.PaneID]leaf
}

// leaf is a brief screen, with what must not have changed since it was taken.
type leaf struct {
	pid    int
	screen *core.Screen
}

// openAlbum begins to read an album; an empty path is an empty one.
func openAlbum(path string) *album {
	a := &album{path: path}
	if path != "" {
		a.reading.Go(a.read)
	}
	return a
}

// screen returns what a pane shows, as far as that is known; nil if it is not.
func (a *album) screen(row *engine.Pane) *core.Screen {
	if a == nil {
		return nil
	}
	a.reading.Wait()
	s, kept := a.leaves[row.ID]
	if !kept || s.pid != row.Process.PID || !stands(row, s.screen) {
		return nil
	}
	return s.screen
}

// stands reports whether nothing was printed in a pane's window since a screen
// was taken, nor shortly before.
func stands(row *engine.Pane, screen *core.Screen) bool {
	return !row.Activity.IsZero() && row.Activity.Unix() < screen.Taken.Unix()-1
}

// worthKeeping is how many screens must have been captured that could have been
// known, for an album to be written.
const worthKeeping = worthPart

// keep leaves what is known of a listing's panes for the next call, where that is
// worth it.
func (a *album) keep(s seat, listing *engine.Listing, m *memory) error {
	a.reading.Wait()
	leaves, fresh := make([]leaf, 0, len(listing.Panes)), 0
	for i := range listing.Panes {
		row := &listing.Panes[i]
		k, old := m.panes[row.ID], a.leaves[row.ID]
		switch {
		case k == nil && old.screen != nil:
			leaves = append(leaves, old)
		case k == nil || k.screen == nil || !stands(row, k.screen):
		default:
			leaves = append(leaves, leaf{row.Process.PID, k.screen})
			if k.screen != old.screen {
				fresh++
			}
		}
	}
	if fresh < worthKeeping {
		return a.failed
	}
	if err := s.prepare(); err != nil {
		return err
	}
	return errors.Join(a.failed, textfile.Put(a.path, encodeLeaves(leaves)))
}

// read reads the album. One that cannot be read is empty.
func (a *album) read() {
	text, err := os.ReadFile(a.path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			a.failed = err
		}
		return
	}
	a.leaves, a.failed = decodeLeaves(unsafe.String(unsafe.SliceData(text), len(text))) // nobody else has text
}

// clockNow is how far the wall clock is ahead of one that nobody sets. Screens of
// another clock are forgotten, because seconds cannot be compared with theirs.
func clockNow() time.Duration {
	var steady unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &steady) != nil {
		return 0
	}
	return time.Duration(time.Now().UnixNano() - steady.Nano())
}

// sameClock is how far clocks that were not set may seem to be apart: they are
// not read at the same moment, and are slewed.
const sameClock = 500 * time.Millisecond

// albumForm begins every album. Another number is another form.
const albumForm = "cupola screens 1 "

// leafFields is how many words describe a screen before its text.
const leafFields = 9

// encodeLeaves writes the clock in a line, and then of each screen a line of
// numbers and its text.
func encodeLeaves(leaves []leaf) []byte {
	text := append([]byte(albumForm), strconv.FormatInt(int64(clockNow()), 10)...)
	for _, s := range leaves {
		view, lines := &s.screen.View, strings.Join(s.screen.Lines, "\n")
		text = append(text, "\n"+string(s.screen.Pane)...)
		for _, n := range [leafFields - 1]int64{
			int64(s.pid), int64(view.Height), asBit(view.AlternateOn), int64(view.Cursor.X), int64(view.Cursor.Y), asBit(view.Cursor.Visible),
			s.screen.Taken.UnixNano(), int64(len(lines)),
		} {
			text = strconv.AppendInt(append(text, ' '), n, 10)
		}
		text = append(append(text, '\n'), lines...)
	}
	return text
}

func asBit(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

var errAlbum = errors.New("the screens that were kept cannot be read")

// decodeLeaves reads what encodeLeaves wrote; nothing of another form or clock.
func decodeLeaves(text string) (map[core.PaneID]leaf, error) {
	head, text, more := strings.Cut(text, "\n")
	clock, is := strings.CutPrefix(head, albumForm)
	set, err := strconv.ParseInt(clock, 10, 64)
	if !is || err != nil {
		return nil, errAlbum
	}
	if (time.Duration(set) - clockNow()).Abs() > sameClock {
		return nil, nil
	}
	leaves := map[core.PaneID]leaf{}
	for more {
		head, text, _ = strings.Cut(text, "\n")
		s, length, err := decodeLeaf(head)
		if err != nil || length < 0 || length > len(text) {
			return nil, errAlbum
		}
		s.screen.Lines = strings.Split(text[:length], "\n")
		s.screen.Visible = len(s.screen.Lines)
		if s.screen.Visible != s.screen.View.Height {
			return nil, errAlbum
		}
		leaves[s.screen.Pane] = s
		text = text[length:]
		text, more = strings.CutPrefix(text, "\n")
	}
	return leaves, nil
}

// decodeLeaf reads the line before a screen's text, which is as long as it says.
func decodeLeaf(line string) (s leaf, length int, err error) {
	words := strings.Fields(line)
	if len(words) != leafFields {
		return leaf{}, 0, errAlbum
	}
	var n [leafFields - 1]int
	for i := range n {
		if n[i], err = strconv.Atoi(words[i+1]); err != nil {
			return leaf{}, 0, err
		}
	}
	screen := &core.Screen{Pane: core.PaneID(words[0]), Taken: time.Unix(0, int64(n[6]))}
	screen.View = core.Viewport{Height: n[1], AlternateOn: n[2] == 1, Cursor: core.Cursor{X: n[3], Y: n[4], Visible: n[5] == 1}}
	return leaf{n[0], screen}, n[7], nil
}
