// Command picture makes docs/grid.svg and docs/dashboard.svg: it runs the program's own demo
// in a private terminal and draws its screens. It needs bin/cupola and tmux, and runs in the
// repository, through make picture.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cupola/theme/picture"
)

// The size of the terminal, and how long the fleet runs before it is drawn.
const (
	width, height = 132, 36
	settle        = 12 * time.Second
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run() error {
	program, err := filepath.Abs(filepath.Join("bin", "cupola"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cupola-picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	t := terminal{socket: filepath.Join(dir, "s"), home: dir}
	defer t.tmux("kill-server") //nolint:errcheck // it ends with the program in it
	if _, err := t.tmux("new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-s", "picture",
		program, "demo"); err != nil {
		return err
	}
	for _, keys := range [][]string{{}, {"Down"}, {"A"}} {
		time.Sleep(settle / 3)
		if len(keys) > 0 {
			if _, err := t.tmux(append([]string{"send-keys", "-t", "picture"}, keys...)...); err != nil {
				return err
			}
		}
	}
	time.Sleep(time.Second)
	if err := t.draw("grid.svg"); err != nil {
		return err
	}
	if _, err := t.tmux("send-keys", "-t", "picture", "g"); err != nil {
		return err
	}
	time.Sleep(time.Second)
	if err := t.draw("dashboard.svg"); err != nil {
		return err
	}
	_, err = t.tmux("send-keys", "-t", "picture", "q")
	time.Sleep(time.Second)
	return err
}

// terminal is a private tmux server.
type terminal struct{ socket, home string }

func (t terminal) tmux(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-u", "-f", os.DevNull, "-S", t.socket}, args...)...)
	cmd.Env = []string{
		"HOME=" + t.home, "PATH=" + os.Getenv("PATH"), "TERM=tmux-256color", "COLORTERM=truecolor",
		"LANG=C.UTF-8", "SHELL=/bin/sh",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// draw writes what the terminal shows to a file of docs.
func (t terminal) draw(name string) error {
	shown, err := t.tmux("capture-pane", "-p", "-e", "-t", "picture")
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
	return os.WriteFile(filepath.Join("docs", name), []byte(picture.SVG(lines, width)), 0o644)
}
