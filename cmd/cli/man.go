package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

// manual writes the manual pages.
type manual struct{ program *program }

// manWords makes usage errors of man like those of a verb.
var manWords = registry.Define(registry.Spec[*verb.Env, struct{}, struct{}]{Name: "man"})

// manCommand makes the subcommand that writes manual pages.
func manCommand(p *program) *cobra.Command {
	m := manual{p}
	cmd := &cobra.Command{
		Use: "man [DIR]", Short: "Write the manual pages into a folder, or the main one to standard output",
		Example: "  cupola man | man -l -\n  cupola man ~/.local/share/man/man1", Args: cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, args []string) error { return m.write(cmd.Context(), args) },
	}
	cmd.SetFlagErrorFunc(tree{p}.flagError(manWords, nil))
	return cmd
}

func (m manual) write(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return &core.Error{
			Code: core.TooManyValues, Message: fmt.Sprintf("man takes no argument %q", args[1]),
			Hint: "Usage: cupola man [DIR]",
		}
	}
	doc, err := guide.Write(m.program.catalog, guide.Reference...)
	if err != nil {
		return err
	}
	pages := guide.ManPages(doc)
	if len(args) == 0 {
		if m.program.explicit() {
			return m.program.reply(ctx, "man", struct {
				Page string `json:"page"`
			}{pages["cupola.1"]})
		}
		return m.program.print(pages["cupola.1"])
	}
	return m.file(ctx, args[0], pages)
}

// file writes pages into a folder, which is made if it is missing.
func (m manual) file(ctx context.Context, dir string, pages map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return core.Errorf(core.IOError, "%w", err)
	}
	names := slices.Sorted(maps.Keys(pages))
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(pages[name]), 0o644); err != nil {
			return core.Errorf(core.IOError, "%w", err)
		}
	}
	if m.program.explicit() {
		return m.program.reply(ctx, "man", struct {
			Dir   string   `json:"dir"`
			Files []string `json:"files"`
		}{dir, names})
	}
	return m.program.print(fmt.Sprintf("%d pages in %s\n", len(names), dir))
}
