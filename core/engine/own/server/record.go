package server

import (
	"bytes"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"cupola/core/term"
	"cupola/core/term/cast"
)

// mostRecorded bounds a recording, in bytes. Then another file begins, and the one before it is kept as a former one.
const mostRecorded = 32 << 20

// recorder writes what a pane shows to a file.
type recorder struct {
	path  string
	title string
	began time.Time
	file  *os.File
	size  int
	// partial is the beginning of a character whose other bytes are missing.
	partial []byte
}

// resumeRecording continues a recording that a former program of this server started; nil if it cannot be opened.
func resumeRecording(path string, began time.Time) *recorder {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil
	}
	r := &recorder{path: path, began: began, file: file}
	if info, err := file.Stat(); err == nil {
		r.size = int(info.Size())
	}
	return r
}

// record begins a recording of a terminal of a size.
func record(path, title string, width, height int) (*recorder, error) {
	r := &recorder{path: path, title: title}
	if err := r.begin(width, height, nil); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// begin begins a file, with what the terminal shows already.
func (r *recorder) begin(width, height int, shown []byte) error {
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	r.file, r.began, r.size = file, time.Now(), 0
	if err := cast.WriteHeader(r, width, height, r.began, r.title); err != nil {
		return err
	}
	if len(shown) > 0 {
		return cast.WriteEvent(r, cast.Event{Kind: cast.Output, Data: string(shown)})
	}
	return nil
}

// Write writes to the file.
func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.file.Write(p)
	r.size += n
	return n, err
}

// write records a piece of output. It returns the error with which the recording has ended.
func (r *recorder) write(piece []byte, t *term.Terminal) error {
	data := slices.Concat(r.partial, piece)
	r.partial = nil
	if cut := incomplete(data); cut > 0 {
		r.partial = bytes.Clone(data[len(data)-cut:])
		data = data[:len(data)-cut]
	}
	text := string(bytes.ToValidUTF8(data, []byte("�")))
	err := cast.WriteEvent(r, cast.Event{At: time.Since(r.began), Kind: cast.Output, Data: text})
	if err == nil && r.size > mostRecorded {
		_ = r.file.Close()
		if err = os.Rename(r.path, r.path+cast.Former); err == nil {
			width, height := t.Size()
			err = r.begin(width, height, t.Redraw())
		}
	}
	return err
}

// incomplete is how many bytes at the end are the beginning of a character.
func incomplete(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if b := data[len(data)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(data[len(data)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// resize records another size.
func (r *recorder) resize(width, height int) error {
	return cast.WriteEvent(r, cast.Event{At: time.Since(r.began), Kind: cast.Resize, Data: cast.SizeOf(width, height)})
}

// close ends a recording.
func (r *recorder) close() {
	if r != nil && r.file != nil {
		_ = r.file.Close()
	}
}

// abandon ends a recording of nothing, and removes it.
func (r *recorder) abandon() {
	if r != nil {
		r.close()
		_ = os.Remove(r.path) // it has no more than a head
	}
}

// recorded calls do with the recording of a pane. If it fails, as on a full disk, the recording ends and the pane lives
// on; mu is held.
func (p *pane) recorded(do func(*recorder) error) {
	if p.recorder == nil {
		return
	}
	if err := do(p.recorder); err != nil {
		p.server.opts.Log.Error("the recording of a pane has ended", "pane", p.id, "file", p.recorder.path,
			"error", err)
		p.recorder.close()
		p.recorder = nil
	}
}
