package verb

import (
	"path/filepath"

	"cupola/core"
	"cupola/core/system/textfile"
)

// Absolute is a path as it is seen from a directory; that directory for an empty one.
func Absolute[Path ~string](dir string, path Path) string {
	if filepath.IsAbs(string(path)) {
		return filepath.Clean(string(path))
	}
	return filepath.Join(dir, string(path))
}

// WriteFile writes a text that a user asked for. It returns AlreadyExists for a file with another
// text, unless force is given.
func WriteFile(path, text string, force bool) error {
	before, err := textfile.Read(path)
	if err != nil {
		return err
	}
	if before != nil && !force && string(before) != text {
		return &core.Error{
			Code: core.AlreadyExists, Message: path + " exists",
			Hint: "Give another --output, or --force to replace it.",
		}
	}
	return (&textfile.Change{File: path, Before: before, After: []byte(text)}).Apply()
}
