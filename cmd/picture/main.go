// Command picture makes the pictures of docs/gallery.md, and a recording: it runs the program's own demo
// on a private server of its own and draws its screens. It needs bin/cupola, and runs in the repository, through
// make picture.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own"
	"cupola/core/engine/own/server"
	"cupola/theme/picture"
)

// The size of the terminal, and how long the fleet runs before it is drawn.
const (
	width, height = 132, 36
	settle        = 12 * time.Second
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	program, err := filepath.Abs(filepath.Join("bin", "cupola"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cupola-picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	t := terminal{server: own.Open(own.Options{
		Socket: filepath.Join(dir, "s"),
		Start:  []string{program, server.ServerWord},
		Environ: []string{
			"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "COLORTERM=truecolor", "LANG=C.UTF-8", "SHELL=/bin/sh",
		},
	})}
	defer t.server.Shutdown(ctx) //nolint:errcheck // it ends with the program in it
	place, err := t.server.Create(ctx, engine.Launch{
		Session: "picture", Dir: dir, Argv: []string{program, "demo"}, Width: width, Height: height,
	})
	if err != nil {
		return err
	}
	t.pane = place.Pane
	time.Sleep(settle)
	for _, shot := range shots {
		if err := t.press(ctx, shot.keys...); err != nil {
			return err
		}
		if err := t.draw(ctx, shot.name+".svg"); err != nil {
			return err
		}
		if err := t.press(ctx, shot.leave...); err != nil {
			return err
		}
	}
	if err := t.record(ctx, "work.svg"); err != nil {
		return err
	}
	return t.press(ctx, "q")
}

// terminal is a private server, with the pane that is drawn.
type terminal struct {
	server *own.Server
	pane   core.PaneID
}

// shots are the pictures: the keys that lead to a screen, and those that leave it.
var shots = []struct {
	name        string
	keys, leave []string
}{
	{"dashboard", []string{"Home", "Down", "Down"}, nil},
	{"grid", []string{"2"}, []string{"1"}},
	{"inbox", []string{"3"}, []string{"Escape"}},
	{"changes", []string{"4"}, []string{"1"}},
	{"output", []string{"o"}, []string{"Escape"}},
	{"palette", []string{":", "w", "o", "r", "k"}, []string{"Escape"}},
	{"start", []string{"n"}, []string{"Escape"}},
	{"activity", []string{"5"}, []string{"1"}},
	{"usage", []string{"6"}, []string{"1"}},
	{"settings", []string{"F9"}, []string{"1"}},
	{"history", []string{"7"}, []string{"1"}},
	{"help", []string{"?"}, []string{"Escape"}},
	{"themes", []string{"F2", "Down"}, []string{"Escape"}},
}

// scenes are the scenes of the recording: keys, and how long their effect is shown, in frames.
var scenes = []struct {
	keys   []string
	frames int
}{
	{nil, 4},
	{[]string{"w"}, 4},
	{[]string{"3"}, 8},
	{[]string{"1"}, 6},
	{[]string{"Escape"}, 2},
	{[]string{"4"}, 6},
	{[]string{"j"}, 4},
	{[]string{"2"}, 8},
	{[]string{"1"}, 2},
}

// frameTime is how long a frame of the recording shows.
const frameTime = 250 * time.Millisecond

// record writes an animation of ten seconds of work to a file of docs.
func (t terminal) record(ctx context.Context, name string) error {
	var frames []picture.Frame
	for _, scene := range scenes {
		for _, key := range scene.keys {
			if err := t.server.Press(ctx, t.pane, key); err != nil {
				return err
			}
		}
		for range scene.frames {
			time.Sleep(frameTime)
			lines, err := t.capture(ctx)
			if err != nil {
				return err
			}
			frames = append(frames, picture.Frame{Lines: lines, For: frameTime})
		}
	}
	return os.WriteFile(filepath.Join("docs", name), []byte(picture.Animation(frames, width, height)), 0o644)
}

// press presses keys, and waits until their effect shows.
func (t terminal) press(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := t.server.Press(ctx, t.pane, key); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

// capture returns the lines that the terminal shows, with their styles.
func (t terminal) capture(ctx context.Context) ([]string, error) {
	screens, err := t.server.Capture(ctx, engine.Ask{Pane: t.pane, Escapes: true})
	if err != nil {
		return nil, err
	}
	return screens[0].Lines, nil
}

// draw writes what the terminal shows to a file of docs.
func (t terminal) draw(ctx context.Context, name string) error {
	lines, err := t.capture(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("docs", name), []byte(picture.SVG(lines, width)), 0o644)
}
