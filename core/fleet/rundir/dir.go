package rundir

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/system/textfile"
)

// Dir is the runtime directory of one engine.
type Dir struct {
	engine engine.Engine
	path   string
	// lasting is the folder of files that outlive the machine; empty is path.
	lasting string
	barred  error
	now     func() time.Time
	log     *slog.Logger
}

// New returns the runtime directory at a path, with the folder for what must outlive the machine; an empty one is the
// runtime directory. An empty path means none. A path that another user owns is not used, and Files.Barred says why.
// New creates no file.
func New(eng engine.Engine, path, lasting string, now func() time.Time, log *slog.Logger) *Dir {
	d := &Dir{engine: eng, path: path, lasting: lasting, now: now, log: log}
	if path != "" {
		if d.barred = CheckRuntime(path); d.barred != nil {
			d.path = ""
		}
	}
	return d
}

// Server returns at least the socket of the engine's server. It queries only engines that do not know their
// socket beforehand.
func (d *Dir) Server(ctx context.Context) (engine.Info, error) {
	if known, ok := d.engine.(interface{ SocketPath() string }); ok {
		return engine.Info{Socket: known.SocketPath()}, nil
	}
	return d.engine.Info(ctx)
}

// Files returns the files of the engine's server; the zero value without a runtime directory.
func (d *Dir) Files(ctx context.Context) (Files, error) {
	if d.path == "" {
		return Files{Barred: d.barred}, nil
	}
	info, err := d.Server(ctx)
	if err != nil {
		return Files{}, err
	}
	return d.FilesOf(info), nil
}

// FilesOf is Files for a known server.
func (d *Dir) FilesOf(info engine.Info) Files {
	files := FilesOf(d.path, info)
	files.Barred = d.barred
	if d.lasting != "" && !files.None() {
		files.Running = filepath.Join(d.lasting, filepath.Base(files.Running))
	}
	return files
}

// Found is Files for optional use: it returns the zero value if the server is unknown.
func (d *Dir) Found(ctx context.Context) Files {
	files, err := d.Files(ctx)
	if err != nil {
		return Files{}
	}
	return files
}

// Kept returns the path of the server's socket, which identifies the server in the journal, and whether a
// keeper runs.
func (d *Dir) Kept(ctx context.Context) (server string, kept bool, err error) {
	info, err := d.Server(ctx)
	if err != nil || d.path == "" {
		return info.Socket, false, fault.Wrap("keeper", err)
	}
	kept, err = d.FilesOf(info).Kept()
	if err != nil {
		d.log.Warn("the last snapshot is not known", "error", err)
	}
	return info.Socket, kept, nil
}

// NoteLast records for keepers that the server ends because its last session is killed on purpose. It records
// nothing if no keeper ever ran.
func (d *Dir) NoteLast(ctx context.Context) {
	files := d.Found(ctx)
	if _, err := os.Stat(files.Record); files.None() || err != nil {
		return
	}
	if err := textfile.Put(files.ended, nil); err != nil {
		d.log.Warn("the end of the last session could not be noted", "error", err)
	}
}

// KeeperState is the state of the keeper's process.
type KeeperState string

// KeeperStale means that a keeper ended without removing its socket.
const (
	KeeperNone  KeeperState = "none"
	KeeperAlive KeeperState = "alive"
	KeeperStale KeeperState = "stale"
)

// Keeper returns whether a keeper runs, and its socket. It creates no file.
func (d *Dir) Keeper(ctx context.Context) (state KeeperState, socket string, err error) {
	files, err := d.Files(ctx)
	if err != nil || files.None() {
		return KeeperNone, "", fault.Wrap("find the keeper", err)
	}
	if _, err := os.Stat(files.lock); err != nil {
		return KeeperNone, files.Socket, nil // no keeper ever ran
	}
	lock := flock.New(files.lock, flock.SetFlag(os.O_RDONLY|syscall.O_NONBLOCK))
	free, err := lock.TryRLock()
	if err != nil {
		return KeeperNone, files.Socket, UnusableError(err)
	}
	if !free {
		return KeeperAlive, files.Socket, nil
	}
	defer lock.Unlock() //nolint:errcheck // it ends with the process
	if files.Open() {
		return KeeperStale, files.Socket, nil
	}
	return KeeperNone, files.Socket, nil
}

// ClearStale removes the socket of a keeper that has ended. It does nothing while one runs.
func (d *Dir) ClearStale(ctx context.Context) error {
	files, err := d.Files(ctx)
	if err != nil || files.None() {
		return fault.Wrap("find the keeper", err)
	}
	lock, err := files.Take()
	if err != nil || lock == nil {
		return err
	}
	defer lock.Unlock() //nolint:errcheck // it ends with the process
	return UnusableError(os.Remove(files.Socket))
}

// Revision returns the last revision that a keeper recorded; 0 if there is none.
func (d *Dir) Revision(ctx context.Context) core.Revision { return LastRevision(d.Found(ctx)) }
