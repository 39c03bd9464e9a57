package usage

import (
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
)

// source is a file of a machine that may be a transcript.
type source struct {
	kind core.Kind
	path string
	size int64
	// modified is Unix nanoseconds.
	modified int64
}

func sourceOf(f *transcript.File) source {
	return source{f.Kind, f.Path, f.Size, f.Modified.UnixNano()}
}

// sources are the transcripts of a machine whose usage is read, as an environment names their folders.
// What cannot be read is not there.
func sources(env func(string) string) []source {
	var found []source
	files := transcript.Files(env)
	for i := range files {
		if _, ok := formats[agent.NativeOf(files[i].Kind).Records]; ok {
			found = append(found, sourceOf(&files[i]))
		}
	}
	return found
}

// fileSource is a file by its path; ok is false where it is not there.
func fileSource(kind core.Kind, path string) (s source, ok bool) {
	file, ok := transcript.FileOf(kind, path)
	return sourceOf(&file), ok
}
