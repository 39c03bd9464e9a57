package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"

	"cupola/core"
	"cupola/core/agent"
)

// writeKinds writes the files of the kinds as Go.
func writeKinds() error {
	dir := filepath.Join("core", "agent")
	kinds := core.Map(agent.Natives, func(n agent.Native) string { return string(n.Kind) })
	code, err := agent.Golang(os.DirFS(filepath.Join(dir, "kinds")), kinds...)
	if err != nil {
		return fmt.Errorf("agent kinds: %w", err)
	}
	if code, err = format.Source(code); err != nil {
		return fmt.Errorf("agent kinds: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "builtin.go"), code, 0o644)
}
