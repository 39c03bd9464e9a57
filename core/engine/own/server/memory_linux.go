package server

import (
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile is a file without a name, in memory.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("cupola-terminals", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "state"), nil
}

// newArchive makes the memory of journals. Where files are limited in size there is none: the file is sparse, but long.
func newArchive() (*archive, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err == nil && limit.Cur != unix.RLIM_INFINITY {
		return nil, nil
	}
	file, err := memoryFile()
	if err != nil {
		return nil, err
	}
	return &archive{file}, nil
}

// giveBack gives back the memory of a part of a file, which then holds zeros.
func giveBack(file *os.File, at, length int64) error {
	return withDescriptor(file, func(fd int) error {
		return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, length)
	})
}

// programs are the paths by which this program, or another build of it at a path, can be run: the path may be gone.
func programs(path string) []string { return []string{path, "/proc/self/exe"} }
