package server

import (
	"encoding/binary"
	"os"
	"syscall"
	"testing"
)

// blocks is how many bytes a sparse file takes.
func blocks(t *testing.T, file *os.File) int64 {
	t.Helper()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	const block = 512
	return info.Sys().(*syscall.Stat_t).Blocks * block //nolint:forcetypeassert // it is one
}

func uvarint(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
