package relay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
)

// Context is the material for a backend besides the prompt.
type Context struct {
	// Files are paths of files, absolute or from the current directory. Text is text instead of
	// files, not both.
	Files []string
	Text  string
	// Diff adds the changes of the working tree, or of its last commit where there are none, and
	// Untracked the new files that git does not know.
	Diff      bool
	Untracked bool
}

// text returns the files or the text, checked for size.
func (c *Context) text() (string, error) {
	if len(c.Files) == 0 {
		return strings.TrimSpace(c.Text), fits("Context text", c.Text, MaxContext)
	}
	parts := make([]string, 0, len(c.Files))
	for _, path := range c.Files {
		text, err := readContext(path)
		if err != nil {
			return "", err
		}
		if len(c.Files) > 1 {
			text = "File: " + path + "\n" + text
		}
		parts = append(parts, text)
	}
	whole := strings.TrimSpace(strings.Join(parts, "\n\n"))
	if err := fits("Context file", whole, MaxContext); err != nil {
		return "", err
	}
	if strings.TrimSpace(c.Text) != "" {
		return "", core.Errorf(core.InvalidInput, "Use either context_file or context_text, not both")
	}
	return whole, nil
}

// readContext reads one file for the prompt.
func readContext(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", core.Errorf(core.NotFound, "Context file does not exist: %s", path)
	case err != nil:
		return "", core.FileError("read the context file", err)
	case !info.Mode().IsRegular():
		return "", core.Errorf(core.InvalidInput, "Context path is not a file: %s", path)
	}
	// A file that is only a little too large may fit without the blanks around it.
	if info.Size() > plainfile.Text {
		return "", tooLarge("Context file", info.Size(), MaxContext)
	}
	text, err := plainfile.Read(path, plainfile.Text)
	if err != nil {
		return "", core.FileError("read the context file", err)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD")), nil
}

// diff returns the changes that the context asks for, checked for size. What git cannot say
// counts as no changes.
func (c *Context) diff(ctx context.Context, dir string, environ []string) (string, error) {
	command := &git.Command{Dir: dir, Environ: environ, Within: gitWithin}
	changes := ""
	if c.Diff {
		changes, _ = command.Output(ctx, "diff", "HEAD", "--")
		if strings.TrimSpace(changes) == "" && !c.Untracked {
			changes, _ = command.Output(ctx, "diff", "HEAD~1", "HEAD", "--")
		}
	}
	if c.Untracked {
		files, _ := command.Output(ctx, "ls-files", "--others", "--exclude-standard", "-z")
		for name := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
			if name == "" {
				continue
			}
			changes += asNew(dir, name)
			if len(changes) > MaxDiff {
				break
			}
		}
	}
	changes = strings.ToValidUTF8(strings.TrimSpace(changes), "\uFFFD")
	return changes, fits("Git diff", changes, MaxDiff)
}

// asNew returns a file that git does not know as a patch that adds it.
func asNew(dir, name string) string {
	mode, path := 100644, filepath.Join(dir, name)
	text, err := []byte(nil), error(nil)
	if target, linkErr := os.Readlink(path); linkErr == nil {
		// What a link leads to may be outside of the repository.
		mode, text = 120000, []byte(target)
	} else {
		text, err = plainfile.Read(path, plainfile.Text)
	}
	head := fmt.Sprintf("diff --git a/%s b/%[1]s\nnew file mode %d\n", name, mode)
	switch {
	case err != nil, strings.ContainsRune(string(text), 0):
		return head + fmt.Sprintf("Binary files /dev/null and b/%s differ\n", name)
	case len(text) == 0:
		return head
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	return head + fmt.Sprintf("--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n+%s\n", name, len(lines),
		strings.Join(lines, "+"))
}
