package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"

	"cupola/core/agent"
)

// kinds is the order of the kinds that come with Cupola; each has a file.
var kinds = []string{
	"claude", "codex", "gemini", "opencode", "copilot", "qwen", "pi", "kilo", "cline", "auggie", "amp", "omp",
	"scripted", "command", "generic",
}

// writeKinds writes the files of the kinds as Go.
func writeKinds() error {
	dir := filepath.Join("core", "agent")
	files, err := filepath.Glob(filepath.Join(dir, "kinds", "*.toml"))
	if err != nil {
		return err
	}
	if len(files) != len(kinds) {
		return fmt.Errorf(
			"%s has %d kinds, and cmd/generate/kinds.go names %d", filepath.Join(dir, "kinds"), len(files), len(kinds),
		)
	}
	code, err := agent.Golang(os.DirFS(filepath.Join(dir, "kinds")), kinds...)
	if err != nil {
		return fmt.Errorf("agent kinds: %w", err)
	}
	if code, err = format.Source(code); err != nil {
		return fmt.Errorf("agent kinds: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "builtin.go"), code, 0o644)
}
