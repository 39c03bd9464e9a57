package tmux

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/engine"
)

// Capture returns the screens of panes; the fields of a screen are from the same moment. On
// exec it takes one process, on the socket as few messages as hold the request.
func (s *Server) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	screens := make([]core.Screen, 0, len(asks))
	asks = slices.DeleteFunc(slices.Clone(asks), func(a engine.Ask) bool { return checkPane(a.Pane) != nil })
	if len(asks) > 1 && !slices.ContainsFunc(asks, func(a engine.Ask) bool { return !isBrief(a) }) {
		if screens, ok := captureBriefly(ctx, s, asks); ok {
			return screens, nil
		}
	}
	for len(asks) > 0 {
		answered, found, err := captureOnce(ctx, s, asks)
		if err != nil {
			return nil, err
		}
		screens = append(screens, found...)
		// What tmux did not come to, because a pane before it was gone, is asked again.
		asks = asks[answered:]
	}
	return screens, nil
}

// captureOnce returns how many of the asks were answered, and the screens of
// those whose pane is there.
func captureOnce(ctx context.Context, s *Server, asks []engine.Ask) (int, []core.Screen, error) {
	mark := nonce()
	commands := make([]command, len(asks))
	for i, ask := range asks {
		// A group of its own: what fails in it ends nothing else.
		commands[i] = command{"if-shell", "-F", "1", captureScript(mark, i, ask)}
	}
	taken := s.now()
	out, err := s.ask(ctx, "capture panes", reads, commands...)
	frames := strings.Split(string(out), mark)[1:]
	if len(frames) == 0 {
		if err == nil {
			err = fmt.Errorf("capture panes: %w", explain(ctx, s, anomaly{fmt.Sprintf("%.60q", out)}))
		}
		return 0, nil, err
	}
	var screens []core.Screen
	answered := 0
	for len(frames) > 0 {
		index, screen, used := readFrames(frames)
		if index != answered || index >= len(asks) {
			return 0, nil, fmt.Errorf("capture panes: %w",
				anomaly{fmt.Sprintf("frame %d instead of %d", index, answered)})
		}
		if screen != nil && screen.Pane == asks[index].Pane {
			screen.Taken = taken
			if asks[index].Join {
				trimRight(screen.Lines)
			}
			screens = append(screens, *screen)
		}
		frames = frames[used:]
		answered++
	}
	return answered, screens, nil
}

// nonce is a word that no pane can print, because it is not known before it is
// used and never used again.
func nonce() string {
	var random [15]byte
	rand.Read(random[:])
	return "=" + base64.RawURLEncoding.EncodeToString(random[:]) + "="
}

func viewFormat() string {
	return format("version", "pane_id", "pane_width", "pane_height", "alternate_on", "pane_in_mode", "history_size",
		"cursor_x", "cursor_y", "cursor_flag", "pane_active", "q:pane_title")
}

const viewFields = 11

// captureScript prints three frames, each behind the mark: the index and the
// view, the history, and the visible screen; the last is closed by a fourth.
func captureScript(mark string, index int, ask engine.Ask) string {
	say := func(text string) string {
		return "display-message -p -t " + string(ask.Pane) + " " + quote(mark+text)
	}
	flags := "-p"
	if ask.Escapes {
		flags += " -e"
	}
	if ask.Join {
		flags += " -J"
	}
	grab := "capture-pane " + flags + " -t " + string(ask.Pane)
	parts := []string{say("V|" + strconv.Itoa(index) + "|" + viewFormat())}
	if ask.History > 0 {
		// Without any history "-E -1" would be the first visible line.
		parts = append(parts, "if-shell -F -t "+string(ask.Pane)+" "+quote("#{?alternate_on,0,#{history_size}}")+" "+
			quote(grab+" -S -"+strconv.Itoa(ask.History)+" -E -1"))
	}
	return strings.Join(append(parts, say("S|"), grab, say("E|")), " ; ")
}

// readFrames reads the frames of one ask, and says how many those were. The
// screen is nil where the pane was gone.
func readFrames(frames []string) (index int, screen *core.Screen, used int) {
	view, isView := strings.CutPrefix(frames[0], "V|")
	if !isView {
		return -1, nil, 1
	}
	head, rest, _ := strings.Cut(view, "|")
	index = number(head)
	in := records{out: rest}
	var v [viewFields]string
	if in.versioned() != nil || in.next(v[:]) != nil {
		return -1, nil, 1
	}
	if len(frames) < 3 || !strings.HasPrefix(frames[1], "S|\n") || !strings.HasPrefix(frames[2], "E|\n") {
		return index, nil, untilView(frames)
	}
	screen = &core.Screen{Apart: drawsApart(in.version), Pane: core.PaneID(v[0]), Title: v[10], View: core.Viewport{
		Width: number(v[1]), Height: number(v[2]), AlternateOn: v[3] == "1", InMode: number(v[4]) > 0,
		History: number(v[5]), Cursor: core.Cursor{X: number(v[6]), Y: number(v[7]), Visible: v[8] == "1"},
		Active: v[9] == "1",
	}}
	history, visible := lines(in.out), lines(frames[1][len("S|\n"):])
	screen.Lines, screen.Visible = slices.Concat(history, visible), len(visible)
	return index, screen, 3
}

// untilView counts the frames before the next ask's.
func untilView(frames []string) int {
	for i := 1; i < len(frames); i++ {
		if strings.HasPrefix(frames[i], "V|") {
			return i
		}
	}
	return len(frames)
}

// lines splits the output of capture-pane, whose lines all end in a newline.
func lines(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

// trimRight drops the blanks that tmux keeps at the ends of joined lines.
func trimRight(lines []string) {
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
}
