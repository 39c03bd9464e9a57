package server

import "os"

// memoryFile is a file without a name. The system has none in memory, so that it is one whose name is removed at once.
func memoryFile() (*os.File, error) {
	file, err := os.CreateTemp("", "cupola-terminals")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
