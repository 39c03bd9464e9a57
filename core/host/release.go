package host

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/plainfile"
)

// releasedMost is the size of the largest program that is taken out of an archive, in bytes.
const releasedMost = 512 << 20

// sums is the file beside released programs that has their SHA-256 sums, one a line, each before the name of a file.
const sums = "checksums.txt"

// Released reads the program for a machine, by Go's names of its system and processor, out of a folder of released
// programs: the program itself as cupola_SYSTEM_PROCESSOR, or the archive with .tar.gz behind that name that holds it.
// It returns NotFound, with the files that are there, if there is none, and Conflict if its sum in checksums.txt is
// another one.
func Released(dir, system, processor string) ([]byte, error) {
	name := "cupola_" + system + "_" + processor
	for _, file := range []string{name, name + ".tar.gz"} {
		text, err := plainfile.Read(filepath.Join(dir, file), releasedMost)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, core.FileError("read "+file, err)
		}
		if err := checkSum(dir, file, text); err != nil {
			return nil, err
		}
		if file == name {
			return text, nil
		}
		return unpacked(file, text)
	}
	missing := core.Errorf(core.NotFound, "%s has no program for %s/%s: neither %s nor %s.tar.gz", dir, system,
		processor, name, name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, core.FileError("read the folder of released programs", err)
	}
	var there []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "cupola_") {
			there = append(there, entry.Name())
		}
	}
	if missing.Hint = "There is no released program in it."; len(there) > 0 {
		missing.Hint = "There are: " + strings.Join(there[:min(len(there), 10)], ", ") + "."
	}
	return nil, missing
}

// checkSum compares a file with its sum, if the folder has a list of sums that names it.
func checkSum(dir, file string, text []byte) error {
	list, err := plainfile.Read(filepath.Join(dir, sums), plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return core.FileError("read "+sums, err)
	}
	own := sha256.Sum256(text)
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) == 2 && strings.TrimPrefix(words[1], "*") == file && words[0] != hex.EncodeToString(own[:]) {
			return core.Errorf(core.Conflict, "the sum of %s is not the one in %s: it was cut off, or changed",
				filepath.Join(dir, file), sums)
		}
	}
	return nil
}

// unpacked returns the program in an archive.
func unpacked(file string, text []byte) ([]byte, error) {
	packed, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, core.Errorf(core.DecodeFailed, "%s is no archive: %w", file, err)
	}
	for archive := tar.NewReader(packed); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, core.Errorf(core.NotFound, "%s holds no cupola", file)
		}
		if err != nil {
			return nil, core.Errorf(core.DecodeFailed, "%s is no archive: %w", file, err)
		}
		if entry.Typeflag != tar.TypeReg || path.Base(entry.Name) != "cupola" {
			continue
		}
		program, err := io.ReadAll(io.LimitReader(archive, releasedMost+1))
		if err != nil || len(program) > releasedMost {
			return nil, errors.Join(core.Errorf(core.DecodeFailed, "the program in %s cannot be read", file), err)
		}
		return slices.Clip(program), nil
	}
}
