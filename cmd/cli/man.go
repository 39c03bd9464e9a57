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

// manWords makes usage errors of man like those of a verb.
var manWords = registry.Define(registry.Spec[*verb.Env, struct{}, struct{}]{Name: "man"})

// manCommand makes the subcommand that writes manual pages.
func manCommand(catalog *registry.Catalog, out *faces) *cobra.Command {
	return &cobra.Command{
		Use: "man [DIR]", Short: "Write the manual pages into a folder, or the main one to standard output",
		Example: "  cupola man | man -l -\n  cupola man ~/.local/share/man/man1", Args: cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeManual(cmd.Context(), catalog, out, args)
		},
	}
}

// writeManual writes the pages into the folder that is named, or the main one as the answer.
func writeManual(ctx context.Context, catalog *registry.Catalog, out *faces, args []string) error {
	if len(args) > 1 {
		return &core.Error{
			Code: core.TooManyValues, Message: fmt.Sprintf("man takes no argument %q", args[1]),
			Hint: "Usage: cupola man [DIR]",
		}
	}
	doc, err := guide.Write(catalog, guide.Reference...)
	if err != nil {
		return err
	}
	pages := guide.ManPages(doc)
	if len(args) == 0 {
		if out.line.explicit() {
			return out.reply(ctx, "man", struct {
				Page string `json:"page"`
			}{pages["cupola.1"]})
		}
		return out.print(pages["cupola.1"])
	}
	return fileManual(ctx, out, args[0], pages)
}

// fileManual writes pages into a folder, which is made if it is missing.
func fileManual(ctx context.Context, out *faces, dir string, pages map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return core.Errorf(core.IOError, "%w", err)
	}
	names := slices.Sorted(maps.Keys(pages))
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(pages[name]), 0o644); err != nil {
			return core.Errorf(core.IOError, "%w", err)
		}
	}
	if out.line.explicit() {
		return out.reply(ctx, "man", struct {
			Dir   string   `json:"dir"`
			Files []string `json:"files"`
		}{dir, names})
	}
	return out.print(fmt.Sprintf("%d pages in %s\n", len(names), dir))
}
