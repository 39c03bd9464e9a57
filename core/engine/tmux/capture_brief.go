package tmux

import (
	"context"
	"slices"
	"strings"
	"unsafe"

	"cupola/core"
	"cupola/core/engine"
)

// extentFields give the number of rows of a pane, whose rows these are, and the position of the cursor.
var extentFields = []string{"pane_id", "pane_height", "alternate_on", "cursor_x", "cursor_y", "cursor_flag"}

// captureBriefly answers asks that are all brief. Without joining, a capture has as many
// lines as its pane has rows, so that one list of those takes the place of all
// frames, which cost tmux more than the captures. ok is false where the answer is
// not as long as it must be, because a pane is gone or for any other reason.
func captureBriefly(ctx context.Context, s *Server, asks []engine.Ask) (screens []core.Screen, ok bool) {
	mark := nonce()
	commands := extents(mark, asks)
	for _, ask := range asks {
		commands = append(commands, command{"capture-pane", "-p", "-t", string(ask.Pane)})
	}
	taken := s.now()
	out, err := s.ask(ctx, "capture panes", reads, commands...)
	if err != nil {
		return nil, false
	}
	views, rest, ok := readViews(unsafe.String(unsafe.SliceData(out), len(out)), mark) // out is not shared
	if !ok {
		return nil, false
	}
	rows := lines(rest)
	screens = make([]core.Screen, 0, len(asks))
	for _, ask := range asks {
		view, there := views[ask.Pane]
		if !there || view.Height > len(rows) {
			return nil, false
		}
		screens = append(screens, core.Screen{
			Pane: ask.Pane, Lines: slices.Clip(rows[:view.Height]), Visible: view.Height, View: view, Taken: taken,
		})
		rows = rows[view.Height:]
	}
	return screens, len(rows) == 0
}

// extents asks for the extents of the panes that are asked about, behind a mark:
// session by session where these are known, else of all there are.
func extents(mark string, asks []engine.Ask) []command {
	line := mark + format(extentFields...)
	commands := make([]command, 0, 2*len(asks)+1)
	listed := map[core.SessionID]bool{}
	for _, ask := range asks {
		if checkSession(ask.Session) != nil {
			return append(commands[:0], command{"list-panes", "-a", "-F", line})
		}
		if !listed[ask.Session] {
			listed[ask.Session] = true
			commands = append(commands, command{"list-panes", "-s", "-t", string(ask.Session), "-F", line})
		}
	}
	return commands
}

// readViews reads the records behind the mark, and returns what follows them.
func readViews(out, mark string) (views map[core.PaneID]core.Viewport, rest string, ok bool) {
	views = map[core.PaneID]core.Viewport{}
	in := records{out: out}
	v := make([]string, len(extentFields))
	for strings.HasPrefix(in.out, mark) {
		in.out = in.out[len(mark):]
		if in.next(v) != nil {
			return nil, "", false
		}
		views[core.PaneID(v[0])] = core.Viewport{
			Height: number(v[1]), AlternateOn: v[2] == "1",
			Cursor: core.Cursor{X: number(v[3]), Y: number(v[4]), Visible: v[5] == "1"},
		}
	}
	return views, in.out, len(views) > 0
}

// isBrief reports whether an ask wants nothing that captureBriefly leaves out.
func isBrief(ask engine.Ask) bool {
	return ask.Brief && !ask.Escapes && !ask.Join && ask.History == 0
}
