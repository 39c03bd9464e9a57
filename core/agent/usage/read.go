package usage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"strings"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/record/store"
	"cupola/core/system/plainfile"
)

const (
	// longest is how long a line may be, in bytes; a longer one is left out. A document may be longer.
	longest, longestDocument = 16 << 20, 64 << 20
	// A file's mark covers headMark bytes of its beginning, and tailMark bytes before the position up to which it was
	// read.
	headMark, tailMark = 512, 128
)

// readFile reads the text that was appended to a transcript since the read that before describes, or all of it if it is
// another file now.
func readFile(
	ctx context.Context, s transcript.File, newMeter func() meter, before *store.UsageFile,
) (part store.UsagePart, err error) {
	file, err := plainfile.Open(s.Path)
	if err != nil {
		return part, err
	}
	defer file.Close()
	part.File = store.UsageFile{Kind: s.Kind, Path: s.Path, Size: s.Size, Modified: s.Modified.UnixNano()}
	m := newMeter()
	if before != nil && before.Position <= s.Size && before.Mark == markOf(file, before.Position) &&
		into([]byte(before.State), m) {
		part.File.Position, part.File.Session, part.File.Folder = before.Position, before.Session, before.Folder
	} else {
		part.Afresh, m = before != nil, newMeter()
	}
	out := &reading{kind: s.Kind, session: part.File.Session, folder: part.File.Folder}
	if strings.HasSuffix(s.Path, ".json") {
		err = readDocument(file, &part, m, out)
	} else {
		err = readLines(ctx, file, &part.File.Position, func(line []byte) { m.line(line, out) })
	}
	if err != nil {
		return part, err
	}
	if out.folder == "" {
		out.folder = transcript.ProjectOf(s.Kind, s.Path)
	}
	state, err := json.Marshal(m)
	if err != nil {
		return part, err
	}
	part.File.Mark, part.File.State = markOf(file, part.File.Position), string(state)
	part.File.Session, part.File.Folder = out.session, out.folder
	part.Requests, part.Costs, part.Limits = out.requests, out.costs, out.limits
	return part, nil
}

// errHalf means that a document is being written. What is on record of it stays.
var errHalf = errors.New("it is not whole")

// readDocument reads a file that is one JSON document and written again each time.
func readDocument(file *os.File, part *store.UsagePart, m meter, out *reading) error {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, longestDocument))
	switch {
	case err != nil:
		return err
	case json.Valid(text):
		m.line(text, out)
		part.File.Position = int64(len(text))
	case part.Afresh:
		return errHalf
	}
	return nil
}

// readLines hands over the whole lines of a file from a position on, which it
// moves behind the last of them.
func readLines(ctx context.Context, file *os.File, position *int64, each func([]byte)) error {
	const part = 1 << 20
	in := bufio.NewReaderSize(io.NewSectionReader(file, *position, 1<<62), part)
	var long []byte
	for read := int64(0); ; {
		text, err := in.ReadSlice('\n')
		read += int64(len(text))
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(long) <= longest {
				long = append(long, text...)
			}
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if len(long) > 0 {
			text = append(long, text...)
		}
		if len(text) <= longest {
			each(bytes.TrimSpace(text))
		}
		*position, read, long = *position+read, 0, nil
	}
}

// markOf returns a hash of a file's beginning and of the text before the position up
// to which it was read. It differs if the file was replaced.
func markOf(file *os.File, position int64) int64 {
	hash := fnv.New64a()
	for _, at := range [][2]int64{{0, min(headMark, position)}, {max(0, position-tailMark), position}} {
		if _, err := io.Copy(hash, io.NewSectionReader(file, at[0], at[1]-at[0])); err != nil {
			return 0
		}
	}
	return int64(hash.Sum64()) //nolint:gosec // a hash has no sign
}

// recentPart is the length of the end of a transcript that Recent reads, in bytes.
const recentPart = 1 << 20

// Recent returns the requests in the last part of a transcript, in the order in which they
// were written, each once. Kinds whose transcripts are not lines have none.
func Recent(ctx context.Context, kind core.Kind, path string) ([]store.UsageRequest, error) {
	newMeter, _ := meterOf(kind)
	if newMeter == nil || strings.HasSuffix(path, ".json") {
		return nil, nil
	}
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	m, out, position := newMeter(), &reading{kind: kind}, max(0, info.Size()-recentPart)
	cut := position > 0
	err = readLines(ctx, file, &position, func(line []byte) {
		if !cut {
			m.line(line, out)
		}
		cut = false
	})
	return latest(out.requests), err
}

// latest returns requests without those that were written again later.
func latest(requests []store.UsageRequest) []store.UsageRequest {
	at := make(map[int64]int, len(requests))
	kept := requests[:0]
	for i := range requests {
		if was, again := at[requests[i].Key]; again {
			kept[was] = requests[i]
			continue
		}
		at[requests[i].Key] = len(kept)
		kept = append(kept, requests[i])
	}
	return kept
}
