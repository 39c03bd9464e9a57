package textfile

import (
	"encoding/json"
	"os"
)

// WriteJSON writes a value as one line to a file of Cupola's own that nobody else
// writes. Who reads the file finds the old text or the new one, even if the writer
// is killed; a power cut may lose both. The folder must exist.
func WriteJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	fresh := path + ".new"
	if err := os.WriteFile(fresh, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
