package http

import (
	"compress/gzip"
	"io"
	"net/http"
	"sync"
)

// packFrom is the least number of bytes of an answer that is packed.
const packFrom = 1 << 10

// packers are writers that can be used again: a new one takes as much memory as many answers.
var packers = sync.Pool{New: func() any {
	packer, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is valid
	return packer
}}

// writePacked writes an answer whose header is set, packed if that is worth it and the client takes it.
func writePacked(w http.ResponseWriter, r *http.Request, status int, text []byte) {
	w.Header().Set("Vary", "Accept-Encoding")
	if len(text) < packFrom || !takesPacked(r) {
		w.WriteHeader(status)
		_, _ = w.Write(text) // a client that has gone reads no answer
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	packer, _ := packers.Get().(*gzip.Writer)
	defer packers.Put(packer)
	packer.Reset(w)
	_, _ = packer.Write(text)
	_ = packer.Close()
}
