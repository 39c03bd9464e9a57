package cast

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// timeFormat is how the names of recordings have the time at which they began.
const timeFormat = "20060102T150405.000"

// File is a recording on file.
type File struct {
	// Pane is SESSION.N of the pane, as NameOf writes it.
	Pane  string
	Began time.Time
	// Written is when it was last written to.
	Written time.Time
	Bytes   int64
	Path    string
}

// NameOf is the name of the file that records a pane which was started at a time.
func NameOf(pane string, started time.Time) string {
	return PaneOf(pane) + "-" + started.UTC().Format(timeFormat) + ".cast"
}

// PaneOf is how the names of recordings name a pane or session: without what parts the names of folders.
func PaneOf(address string) string { return strings.ReplaceAll(address, "/", "_") }

// Files returns the recordings in a folder, the newest first. A folder that is not there has none.
func Files(folder string) ([]File, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []File
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), Former)
		at := strings.LastIndexByte(name, '-')
		if at < 0 {
			continue
		}
		info, err := entry.Info()
		began, timeErr := time.Parse(timeFormat, strings.TrimSuffix(name[at+1:], ".cast"))
		if err != nil || timeErr != nil || !info.Mode().IsRegular() {
			continue
		}
		files = append(files, File{
			Pane: name[:at], Began: began, Written: info.ModTime(), Bytes: info.Size(),
			Path: filepath.Join(folder, entry.Name()),
		})
	}
	slices.SortStableFunc(files, func(a, b File) int { return b.Began.Compare(a.Began) })
	return files, nil
}

// Former is the suffix of a recording that reached its size limit and was continued in a new file.
const Former = ".1"
