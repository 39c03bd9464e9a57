package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/record/store"
)

// Options configures a Ledger; all fields but Relays and Log are required.
type Options struct {
	// Env is the environment whose folders hold the transcripts.
	Env func(name string) string
	// Relays is the file with what relays used; empty for none.
	Relays string
	// Write returns the store to write to; it is called only if there is something to write.
	Write func(context.Context) (*store.Store, error)
	// Read returns the store to read from, which stays open. It creates no file.
	Read func(context.Context) (*store.Store, error)
	// Prices are for requests without a recorded cost.
	Prices Prices
	// Log receives errors of transcripts that cannot be read; nil discards them.
	Log *slog.Logger
}

// Ledger counts what the agents of a machine have used. Its methods may be called
// concurrently.
type Ledger struct {
	opts Options
	// mu is held while transcripts are read.
	mu sync.Mutex
}

// New returns a ledger. It reads nothing yet.
func New(opts Options) *Ledger {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Ledger{opts: opts}
}

// Progress is the progress of a Refresh.
type Progress struct {
	// Done and Total are bytes, Files and Of transcripts.
	Done, Total int64
	Files, Of   int
}

// Read is the result of a Refresh.
type Read struct {
	// Files is how many transcripts there are, Changed how many of them were read,
	// and Bytes how much of those.
	Files, Changed int
	Bytes          int64
	// Failed counts the ones that could not be read.
	Failed int
}

// progressEvery is how often progress is reported.
const progressEvery = time.Second / 2

// batch bounds how much is recorded at once, so that others get their turn.
const batch = 2000

// Refresh reads what was appended to transcripts since the last call, and records their owners. progress, if not nil,
// is called as it advances.
func (l *Ledger) Refresh(ctx context.Context, writers []transcript.Writer, report func(Progress)) (Read, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, err := l.known(ctx)
	if err != nil {
		return Read{}, err
	}
	found := l.found(writers, known)
	read := Read{Files: len(found)}
	if len(found) == 0 {
		return read, nil
	}
	changed := slices.DeleteFunc(found, func(s transcript.File) bool {
		f := known[s.Path]
		return f != nil && f.Size == s.Size && f.Modified == s.Modified.UnixNano()
	})
	progress := Progress{Of: len(changed)}
	for _, s := range changed {
		progress.Total += left(&s, known[s.Path])
	}
	var parts []store.UsagePart
	requests, last := 0, time.Now()
	for i, s := range changed {
		if report != nil && time.Since(last) >= progressEvery {
			report(progress)
			last = time.Now()
		}
		more, err := readSource(ctx, s, known[s.Path])
		switch {
		case ctx.Err() != nil:
			return read, &core.Error{
				Code: core.Cancelled, Message: "reading transcripts was interrupted",
				Err: ctx.Err(),
			}
		case err != nil:
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errHalf) {
				read.Failed++
				l.opts.Log.Warn("a transcript could not be read", "path", s.Path, "error", err)
			}
			continue
		}
		for j := range more {
			requests += len(more[j].Requests)
		}
		parts = append(parts, more...)
		read.Changed++
		read.Bytes += left(&s, known[s.Path])
		progress.Files, progress.Done = i+1, read.Bytes
		if requests+len(parts) >= batch {
			if err := l.save(ctx, parts, known); err != nil {
				return read, err
			}
			parts, requests = nil, 0
		}
	}
	if err := l.save(ctx, parts, known); err != nil {
		return read, err
	}
	return read, l.own(ctx, known, writers)
}

// readSource reads a transcript, of whatever form.
func readSource(ctx context.Context, s transcript.File, before *store.UsageFile) ([]store.UsagePart, error) {
	newMeter, _ := meterOf(s.Kind)
	if newMeter == nil {
		return readDatabase(ctx, s, before)
	}
	part, err := readFile(ctx, s, newMeter, before)
	return []store.UsagePart{part}, err
}

// found are the transcripts of the machine, those that agents are known to write,
// and those that were read before: the ones that changed longest ago first, for
// copies are made of older ones.
func (l *Ledger) found(writers []transcript.Writer, known map[string]*store.UsageFile) []transcript.File {
	found := sources(l.opts.Env)
	there := make(map[string]bool, len(found))
	for i := range found {
		there[found[i].Path] = true
	}
	add := func(kind core.Kind, path string) {
		if path == "" || there[path] || !counted(kind) {
			return
		}
		there[path] = true
		if s, is := transcript.FileOf(kind, path); is {
			found = append(found, s)
		}
	}
	for i := range writers {
		add(writers[i].Kind, writers[i].Record)
	}
	for path, f := range known {
		add(f.Kind, path)
	}
	add(Relays, l.opts.Relays)
	for i := range found {
		if isDatabase(found[i].Kind) {
			found[i] = opencodeSource(found[i])
		}
	}
	slices.SortFunc(found, func(a, b transcript.File) int {
		return cmp.Or(a.Modified.Compare(b.Modified), cmp.Compare(a.Path, b.Path))
	})
	return found
}

// Folder is where transcripts of a kind are looked for, and how many there are.
type Folder struct {
	Kind  core.Kind
	Path  string
	Files int
}

// Folders are where transcripts are looked for, by kind.
func (l *Ledger) Folders() []Folder {
	counts := map[core.Kind]int{}
	for _, s := range sources(l.opts.Env) {
		counts[s.Kind]++
	}
	var folders []Folder
	for _, n := range agent.Natives {
		if path := agent.HomeOf(n.Kind, l.opts.Env); path != "" && counted(n.Kind) {
			folders = append(folders, Folder{Kind: n.Kind, Path: path, Files: counts[n.Kind]})
		}
	}
	slices.SortFunc(folders, func(a, b Folder) int { return cmp.Compare(a.Kind, b.Kind) })
	return folders
}

// sources are the transcripts of a machine whose usage is read, as an environment names their folders.
// What cannot be read is not there.
func sources(env func(string) string) []transcript.File {
	return slices.DeleteFunc(transcript.Files(env), func(f transcript.File) bool { return !counted(f.Kind) })
}

// left is how much of a file was not read yet.
func left(s *transcript.File, f *store.UsageFile) int64 {
	if f == nil || f.Position > s.Size {
		return s.Size
	}
	return s.Size - f.Position
}

// known is how far each transcript was read.
func (l *Ledger) known(ctx context.Context) (map[string]*store.UsageFile, error) {
	s, err := l.opts.Read(ctx)
	if err != nil {
		return nil, err
	}
	files, err := store.UsageIn(s).Files(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]*store.UsageFile, len(files))
	for i := range files {
		known[files[i].Path] = &files[i]
	}
	return known, nil
}

// save records parts and takes them into what is known.
func (l *Ledger) save(ctx context.Context, parts []store.UsagePart, known map[string]*store.UsageFile) error {
	if len(parts) == 0 {
		return nil
	}
	s, err := l.opts.Write(ctx)
	if err != nil {
		return err
	}
	if err := store.UsageIn(s).Save(ctx, parts); err != nil {
		return err
	}
	for i := range parts {
		f := parts[i].File
		if before := known[f.Path]; before != nil {
			f.Owner, f.Agent = before.Owner, before.Agent
		}
		known[f.Path] = &f
	}
	return nil
}

// Says returns the progress in percent and as a sentence.
func (p Progress) Says() (percent int, message string) {
	if p.Total > 0 {
		percent = int(100 * p.Done / p.Total)
	}
	return min(percent, 100), fmt.Sprintf("%d of %d transcripts, %d of %d MB", p.Files, p.Of, p.Done>>20, p.Total>>20)
}
