package own_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/own"
)

// private returns the client of a server of its own that does not run yet.
func private(t testing.TB) *own.Server {
	t.Helper()
	dir := enginetest.ShortDir(t)
	s := enginetest.OwnClient(t, filepath.Join(dir, "s"), []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8", "SHELL=/bin/sh", "PS1=$ ",
	})
	t.Cleanup(func() { enginetest.StopOwn(t, s.SocketPath()) })
	return s
}

func TestContract(t *testing.T) {
	t.Parallel()
	enginetest.Contract(t, func(t *testing.T) engine.Engine { return private(t) })
}
