package measure

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/system/disk"
)

// disksWithin limits the query of file systems. One that does not answer in time is left out.
const disksWithin = 200 * time.Millisecond

// FoldersOf returns the folders in which sessions work, each once, sorted.
func FoldersOf(snapshot *core.Snapshot) []string {
	var dirs []string
	for i := range snapshot.Sessions {
		dirs = append(dirs, snapshot.Sessions[i].Dir)
		for j := range snapshot.Sessions[i].Panes {
			dirs = append(dirs, snapshot.Sessions[i].Panes[j].Process.Dir)
		}
	}
	slices.Sort(dirs)
	return slices.DeleteFunc(slices.Compact(dirs), func(dir string) bool { return !filepath.IsAbs(dir) })
}

// DisksOf returns how full the file systems of folders are, in the order of their paths.
func DisksOf(dirs []string) []alert.Disk {
	if len(dirs) == 0 {
		return nil
	}
	found := make(chan alert.Disk)
	enough := make(chan struct{})
	go func() {
		defer close(found)
		asked := map[uint64]bool{}
		for _, dir := range dirs {
			device, ok := deviceOf(dir)
			if !ok || asked[device] {
				continue
			}
			asked[device] = true
			one, ok := diskAt(dir, device)
			if !ok {
				continue
			}
			select {
			case found <- one:
			case <-enough:
				return
			}
		}
	}()
	late := time.NewTimer(disksWithin)
	defer late.Stop()
	defer close(enough)
	var disks []alert.Disk
	for {
		select {
		case one, more := <-found:
			if more {
				disks = append(disks, one)
				continue
			}
		case <-late.C:
		}
		slices.SortFunc(disks, func(a, b alert.Disk) int { return strings.Compare(a.Path, b.Path) })
		return disks
	}
}

// deviceOf names the file system that a path is on.
func deviceOf(path string) (device uint64, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Dev), true //nolint:gosec,unconvert,nolintlint // its type differs from system to system
}

// diskAt is the file system of a folder, under the path where it begins, so that
// its name does not change with the sessions on it.
func diskAt(dir string, device uint64) (alert.Disk, bool) {
	space, err := disk.Of(dir)
	if err != nil {
		return alert.Disk{}, false
	}
	found := alert.Disk{Path: dir, Space: space}
	for up := filepath.Dir(found.Path); ; up = filepath.Dir(up) {
		if above, ok := deviceOf(up); !ok || above != device {
			break
		}
		if found.Path = up; up == filepath.Dir(up) {
			break
		}
	}
	return found, true
}
