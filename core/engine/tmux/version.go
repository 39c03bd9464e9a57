package tmux

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"cupola/core/engine"
)

// The oldest tmux that does what is needed here.
const oldestMajor, oldestMinor = 3, 2

// release returns the version of the tmux program, which it runs once. It is an
// ErrUnavailable or ErrTooOld if it cannot be used.
func (p *processes) release(ctx context.Context) (string, error) {
	if version := p.version.Load(); version != nil {
		return *version, checkVersion(*version)
	}
	r, err := p.start(ctx, p.environ, []string{"-V"}, nil)
	if err != nil {
		return "", err
	}
	version := strings.TrimPrefix(firstLine(r.stdout), "tmux ")
	if r.exit != 0 || version == "" {
		return "", fmt.Errorf("%w: %s -V ended with status %d", engine.ErrUnavailable, p.binary, r.exit)
	}
	p.version.Store(&version)
	return version, checkVersion(version)
}

// checkVersion returns an ErrTooOld for releases before 3.2.
func checkVersion(version string) error {
	if before(version, oldestMajor, oldestMinor) {
		return fmt.Errorf("%w: tmux %s, and %d.%d is needed", engine.ErrTooOld, version, oldestMajor, oldestMinor)
	}
	return nil
}

// drawsApart reports whether a release has no rules for emoji that join.
func drawsApart(version string) bool { return before(version, 3, 4) }

// before reports whether a version is older than a release. Builds without a
// number ("master", "next-3.8", "openbsd-7.7") are taken to be newer.
func before(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if digits >= 0 {
		rest = rest[:digits]
	}
	x, numbered := digitsOf(first)
	y, alsoNumbered := digitsOf(rest)
	return numbered && alsoNumbered && (x < major || x == major && y < minor)
}

func firstLine(out []byte) string {
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return string(bytes.TrimSpace(line))
}

func digitsOf(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil
}
