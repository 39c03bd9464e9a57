package prefault

import (
	"runtime"
	"syscall"
	"unsafe"
)

// The advice to madvise that maps pages as reading or writing them would (Linux 5.14; earlier kernels refuse
// it, and nothing is lost).
const (
	populateRead  = 22 // MADV_POPULATE_READ
	populateWrite = 23 // MADV_POPULATE_WRITE
)

const (
	// heap is how much a call that answers `version` allocates.
	heap = 2<<20 + 512<<10
	// program is how much of the program's file is behind this package: code, read-only data, tables.
	program = 16 << 20
)

func init() {
	first := new([64]*int) // of a size of its own, so that it begins a page that the allocator goes on from
	populate(uintptr(unsafe.Pointer(first)), heap, populateWrite)
	if pc, _, _, ok := runtime.Caller(0); ok {
		populate(pc, program, populateRead)
	}
}

// populate maps what is not yet mapped of some bytes from an address on. It stops where no memory can be.
func populate(from, bytes, advice uintptr) {
	page := uintptr(syscall.Getpagesize())
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, from&^(page-1), bytes, advice)
}
