package usage

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestALineWithoutMeasureIsNotHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	piece := bytes.Repeat([]byte("x"), 1<<20)
	_, _ = file.WriteString("first\n")
	for range 80 {
		if _, err := file.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = file.WriteString("\nlast\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var lines []string
	position := int64(0)
	err = readLines(t.Context(), file, &position, func(line []byte) { lines = append(lines, string(line)) })
	runtime.ReadMemStats(&after)
	if err != nil || !slices.Equal(lines, []string{"first", "last"}) || position != 80<<20+12 {
		t.Errorf("%d lines, at %d, %v", len(lines), position, err)
	}
	// The line grows as it is read, each time by a quarter.
	if used := after.TotalAlloc - before.TotalAlloc; used > 120<<20 {
		t.Errorf("%d MiB for a line of 80", used>>20)
	}
}
