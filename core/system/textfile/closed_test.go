package textfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/system/textfile"
)

// A file that cannot be written names the folder that its owner may open.
func TestAClosedFolderIsNamed(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	folder := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	change := &textfile.Change{File: filepath.Join(folder, "below", "file"), After: []byte("x")}
	e := core.AsError(change.Apply())
	if e == nil || !slices.Contains(e.Remedies, core.RemedyOpenFolder) || e.Subject.Dir != folder {
		t.Errorf("%+v", e)
	}
}
