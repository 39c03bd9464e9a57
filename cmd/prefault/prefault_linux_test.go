package prefault

import (
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestMemoryIsMappedBeforeItIsTouched(t *testing.T) {
	const pages = 64
	size := pages * unix.Getpagesize()
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	resident := func() []byte {
		states := make([]byte, pages)
		if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&memory[0])), uintptr(size),
			uintptr(unsafe.Pointer(&states[0]))); errno != 0 {
			t.Fatal(errno)
		}
		return states
	}
	if slices.Contains(resident(), 1) {
		t.Fatal("memory that was not touched is mapped")
	}
	populate(uintptr(unsafe.Pointer(&memory[0])), uintptr(size), populateWrite)
	mapped := resident()
	if unix.Madvise(memory, populateWrite) == unix.EINVAL {
		t.Skip("the kernel maps no memory ahead")
	}
	if slices.Contains(mapped, 0) {
		t.Error("some pages are not mapped")
	}
}

func TestWhereNoMemoryIsNothingHappens(t *testing.T) {
	populate(1<<46, heap, populateWrite)
}
