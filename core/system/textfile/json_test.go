package textfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestJSONReplacesWhatWasThereOrLeavesIt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	for _, c := range []struct {
		value any
		fails bool
		want  string
	}{
		{map[string]int{"a": 1}, false, "{\"a\":1}\n"}, {[]string{}, false, "[]\n"}, {func() {}, true, "[]\n"},
	} {
		if err := WriteJSON(path, c.value); (err != nil) != c.fails {
			t.Errorf("%v: %v", c.want, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.want {
			t.Errorf("got %q, %v; want %q", text, err, c.want)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if err := WriteJSON(filepath.Join(dir, "none", "x"), 1); err == nil {
		t.Error("a file was written into no folder")
	}
}
