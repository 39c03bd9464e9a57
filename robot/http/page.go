package http

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
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

// iconSizes are the widths of the pictures of the page for home screens, in pixels, by their paths.
var iconSizes = map[string]int{"/icon-180.png": 180, "/icon-192.png": 192, "/icon-512.png": 512}

// drawn are the files that are made by the program, by their paths: the colours and the pictures.
func (o *Options) drawn() map[string]*asset {
	all := map[string]*asset{stylePath: newAsset(stylePath, []byte(o.Style))}
	for name, size := range iconSizes {
		if o.Icon != nil {
			all[name] = newAsset(name, o.Icon(size))
		}
	}
	return all
}

// kinds are the types of files by the ends of their names, where the system may not know them.
var kinds = map[string]string{
	".webmanifest": "application/manifest+json", ".js": "text/javascript", ".mjs": "text/javascript", "": "text/plain",
	".md": "text/markdown",
}

func newAsset(name string, text []byte) *asset {
	kind := kinds[path.Ext(name)]
	if kind == "" {
		kind = mime.TypeByExtension(path.Ext(name))
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
	drawn := s.opts.drawn()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			fail(w, http.StatusMethodNotAllowed, core.Errorf(core.InvalidInput, "nothing can be sent here"))
			return
		}
		file := cmp.Or(assets()[r.URL.Path], drawn[r.URL.Path])
		if r.URL.Path == "/" {
			file = assets()["/index.html"]
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
