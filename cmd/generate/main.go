// Command generate derives what is embedded or published: from the verb declarations the
// JSON Schemas of all answers, docs/robot.md and docs/mcp.md, from the settings docs/configuration.md,
// from the keys of agent kinds docs/kinds.md, and Go from the files of the agent kinds and of tools.
// It runs in the repository, through go generate.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"cupola/core/verb/catalog"
	"cupola/core/verb/guide"
	"cupola/robot/mcp"
	"cupola/tui"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	// Comments are read by paths relative to the module's root.
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := writeKinds(); err != nil {
		return err
	}
	if err := writeBridges(); err != nil {
		return err
	}
	catalog := catalog.All()
	schemas, err := schemasOf(catalog)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(schemas); err != nil {
		return fmt.Errorf("encode schemas: %w", err)
	}
	if err := os.WriteFile(filepath.Join("core", "verb", "guide", "schemas.json"), b.Bytes(), 0o644); err != nil {
		return err
	}
	doc, err := guide.Write(catalog, guide.Reference...)
	if err != nil {
		return err
	}
	return writePages(map[string]string{
		"robot.md": guide.Page(doc), "mcp.md": mcp.Page(catalog), "keys.md": tui.Keys().Page(),
		"configuration.md": configuration(), "kinds.md": kindsPage(),
	})
}

// writePages writes generated pages into docs.
func writePages(pages map[string]string) error {
	for name, page := range pages {
		page = "<!-- Generated from the declarations by go generate. -->\n\n" + page
		if err := os.WriteFile(filepath.Join("docs", name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}
