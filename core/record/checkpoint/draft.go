package checkpoint

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"cupola/core"
)

// recordFile makes a folder a checkpoint; it is written last.
const recordFile = "checkpoint.json"

// draftPrefix begins the names of folders that are being filled.
const draftPrefix = ".draft-"

// Draft is a checkpoint that is being made. It must be committed or discarded. Its folder
// is locked until then, so that other processes can distinguish it from one whose process
// was killed.
type Draft struct {
	root, name, dir string
	lock            *flock.Flock
}

// Begin starts a checkpoint below root, which it creates, and removes the drafts of killed
// processes there. It returns AlreadyExists if the name is taken, also by a draft in
// progress.
func Begin(root, name string) (*Draft, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, failed("make the folder of checkpoints", err)
	}
	all := folderLock(root)
	if err := all.Lock(); err != nil {
		return nil, failed("begin a checkpoint", err)
	}
	defer all.Unlock() //nolint:errcheck // it ends with the descriptor
	sweep(root)
	d := &Draft{root: root, name: name, dir: filepath.Join(root, draftPrefix+name)}
	for _, path := range []string{d.dir, filepath.Join(root, name)} {
		if _, err := os.Lstat(path); err == nil {
			return nil, taken(name)
		}
	}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		return nil, failed("begin a checkpoint", err)
	}
	d.lock = folderLock(d.dir)
	if err := d.lock.Lock(); err != nil {
		d.Discard()
		return nil, failed("begin a checkpoint", err)
	}
	return d, nil
}

// folderLock locks a folder itself, without a file in it.
func folderLock(dir string) *flock.Flock { return flock.New(dir, flock.SetFlag(os.O_RDONLY)) }

// Path returns the path of a file of the draft, after creating its folder.
func (d *Draft) Path(name string) (string, error) {
	path := filepath.Join(d.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", failed("write the checkpoint", err)
	}
	return path, nil
}

// Write writes a file of the draft.
func (d *Draft) Write(name string, data []byte) error {
	path, err := d.Path(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return failed("write the checkpoint", err)
	}
	return nil
}

// WritePrompts writes the prompts, the oldest first.
func (d *Draft) WritePrompts(prompts []Prompt) error {
	var text []byte
	for i := range prompts {
		line, err := json.Marshal(&prompts[i])
		if err != nil {
			return failed("write the prompts", err)
		}
		text = append(append(text, line...), '\n')
	}
	return d.Write(promptFile, text)
}

// Commit turns the draft into the checkpoint of its name, atomically. It returns
// AlreadyExists if another process made one of this name meanwhile.
func (d *Draft) Commit(c *Checkpoint) error {
	c.Version, c.Name = Version, d.name
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return failed("write the checkpoint", err)
	}
	if err := d.Write(recordFile, append(text, '\n')); err != nil {
		return err
	}
	if err := os.Rename(d.dir, filepath.Join(d.root, d.name)); err != nil {
		if _, there := os.Lstat(filepath.Join(d.root, d.name)); there == nil {
			return taken(d.name)
		}
		return failed("finish the checkpoint", err)
	}
	_ = d.lock.Close()
	return nil
}

// Discard removes a draft that was not committed; after Commit it does nothing.
func (d *Draft) Discard() {
	os.RemoveAll(d.dir) //nolint:errcheck // the next draft sweeps what is left
	if d.lock != nil {
		_ = d.lock.Close()
	}
}

// sweep removes drafts whose makers are gone. The folder of all of them is locked, so
// that none is between its making and its lock.
func sweep(root string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), draftPrefix) || !entry.IsDir() {
			continue
		}
		lock := folderLock(filepath.Join(root, entry.Name()))
		if dead, err := lock.TryLock(); err == nil && dead {
			os.RemoveAll(lock.Path()) //nolint:errcheck // the next one tries again
		}
		_ = lock.Close()
	}
}

func taken(name string) error {
	return &core.Error{
		Code: core.AlreadyExists, Message: "a checkpoint named " + name + " exists",
		Remedies: []core.Remedy{core.RemedyOtherCheckpoint},
	}
}

// failed is the error of what the system refused.
func failed(op string, err error) error {
	code := core.CheckpointFailed
	if errors.Is(err, fs.ErrPermission) {
		code = core.PermissionDenied
	}
	return &core.Error{Code: code, Op: op, Message: op + ": " + err.Error(), Err: err}
}
