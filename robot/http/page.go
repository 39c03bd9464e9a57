package http

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"cupola/core"
)

//go:embed page
var pageFiles embed.FS

// asset is a file of the page, as it is sent.
type asset struct {
	kind   string
	plain  []byte
	packed []byte
	tag    string
}

// assets are the files of the page by their paths, made at the first use.
var assets = sync.OnceValue(func() map[string]*asset {
	all := map[string]*asset{}
	// What is embedded can be read.
	_ = fs.WalkDir(pageFiles, "page", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := pageFiles.ReadFile(name)
		if err == nil {
			all[strings.TrimPrefix(name, "page")] = newAsset(name, text)
		}
		return err
	})
	return all
})

func newAsset(name string, text []byte) *asset {
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".webmanifest" {
		kind = "application/manifest+json"
	}
	var packed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	_, _ = writer.Write(text)                                       // a buffer takes everything
	_ = writer.Close()
	sum := sha256.Sum256(text)
	return &asset{kind: kind, plain: text, packed: packed.Bytes(), tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
}

// stylePath is the style sheet with the colours of the page.
const stylePath = "/theme.css"

// addPage adds the page. What is no file of it is not found: no path falls through to it.
func (s *Server) addPage(mux *http.ServeMux) {
	style := newAsset(stylePath, []byte(s.opts.Style))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			fail(w, http.StatusMethodNotAllowed, core.Errorf(core.InvalidInput, "nothing can be sent here"))
			return
		}
		file := assets()[r.URL.Path]
		switch r.URL.Path {
		case "/":
			file = assets()["/index.html"]
		case stylePath:
			file = style
		}
		if file == nil {
			fail(w, http.StatusNotFound, core.Errorf(core.NotFound, "not found: %s", clipped(r.URL.Path)))
			return
		}
		file.serve(w, r)
	})
}

// serve sends a file, packed if the browser takes that, and not at all if it has it.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", a.kind)
	header.Set("ETag", a.tag)
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	text := a.plain
	if takesPacked(r) {
		header.Set("Content-Encoding", "gzip")
		text = a.packed
	}
	_, _ = w.Write(text) // a client that has gone reads no answer
}

// takesPacked reports whether a client takes answers that are packed with gzip.
func takesPacked(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}
