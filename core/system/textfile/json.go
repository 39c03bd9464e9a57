package textfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// WriteJSON is Put of a value as one line of JSON.
func WriteJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return Put(path, append(text, '\n'))
}

// Put atomically replaces a file of Cupola's own, readable by the user only. Readers
// find the old text or the new one, even with several writers or if one is killed; a
// power failure may lose both. The folder must exist.
func Put(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".cupola-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
