package bus

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strconv"

	"cupola/core"
)

// pictureMost is the largest picture in bytes, once it is unpacked.
const pictureMost = 32 << 20

// packed is a snapshot as the bucket has it: its revision, a line, and the rest compressed.
func packed(s *core.Snapshot) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString(strconv.FormatUint(uint64(s.Revision), 10) + "\n")
	zip, err := gzip.NewWriterLevel(&text, gzip.BestSpeed)
	if err != nil {
		return nil, core.Errorf(core.InternalError, "pack a snapshot: %w", err)
	}
	if err := json.NewEncoder(zip).Encode(s); err != nil {
		return nil, core.Errorf(core.InternalError, "pack a snapshot: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, core.Errorf(core.InternalError, "pack a snapshot: %w", err)
	}
	return text.Bytes(), nil
}

// revisionOf is the revision of a packed snapshot, without unpacking it.
func revisionOf(text []byte) (core.Revision, bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	revision, err := strconv.ParseUint(string(line), 10, 64)
	return core.Revision(revision), err == nil
}

// unpacked is a snapshot of the bucket.
func unpacked(text []byte) (*core.Snapshot, error) {
	_, zipped, _ := bytes.Cut(text, []byte("\n"))
	zip, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, core.Errorf(core.DecodeFailed, "unpack a snapshot: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(zip, pictureMost+1))
	if err != nil {
		return nil, core.Errorf(core.DecodeFailed, "unpack a snapshot: %w", err)
	}
	if len(plain) > pictureMost {
		return nil, core.Errorf(core.DecodeFailed, "a snapshot is too large")
	}
	s := &core.Snapshot{}
	if err := decode(plain, s); err != nil {
		return nil, err
	}
	return s, nil
}

// decode reads JSON of the bus.
func decode(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return core.Errorf(core.DecodeFailed, "what the bus has cannot be read: %w", err)
	}
	return nil
}
