package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"cupola/core/system/plainfile"
)

// Lines returns what the lines of JSON of a file hold from an offset in bytes on, and the offset behind them. A line
// that is half written waits for the next call; one that is no such value is left out, and a file that is not there has
// none.
func Lines[T any](path string, offset int64) (values []T, next int64, err error) {
	file, err := plainfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, offset, nil
	}
	if err != nil {
		return nil, offset, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() <= offset {
		return nil, offset, err
	}
	text := make([]byte, info.Size()-offset)
	n, err := file.ReadAt(text, offset)
	if err != nil && (n == 0 || !errors.Is(err, io.EOF)) {
		return nil, offset, err
	}
	for line := range bytes.Lines(text[:n]) {
		if line[len(line)-1] != '\n' {
			break
		}
		offset += int64(len(line))
		var value T
		if json.Unmarshal(line, &value) == nil {
			values = append(values, value)
		}
	}
	return values, offset, nil
}
