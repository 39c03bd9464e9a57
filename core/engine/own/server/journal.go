package server

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"cupola/core/engine"
	"cupola/core/term"
)

// A crash of the server must not take what panes show. Each pane has a journal in memory that the holder keeps too: the
// pane as it was saved last, and what happened to it since. A program's output is read into that memory, so that no
// moment exists in which a byte has left the terminal and is in the server alone.
//
// A journal has two generations, one of them in use. Each is a saved pane with entries behind it. Once these are many,
// the pane is saved into the other generation. The last piece of output that was read and is not yet an entry is in one
// of two pages. A single word holds the generation in use, the length of its entries and the page; it is written at
// once, so that a journal is whole at any moment.

const (
	// journalSpan is the part of the file that is a journal's. The file is sparse: only what is used takes memory.
	journalSpan = 1 << 34
	// entriesSize bounds the entries of a generation, in bytes; leastEntries is how many there are at least before a
	// pane is saved anew. In between they may be as long as the saved pane, so that saving costs at most a copy of
	// what was read.
	entriesSize  = 1 << 20
	leastEntries = 256 << 10
	// The parts of a journal: a head, two pages for pieces, the entries of both generations; behind what is mapped, the
	// saved panes.
	headSize   = 4096
	piecesAt   = headSize
	entriesAt  = piecesAt + 2*readSize
	mappedSize = entriesAt + 2*entriesSize
	savedAt    = 1 << 32
	savedSpan  = 1 << 32
	savedMost  = 1 << 30
	// keepsAtMost is how long old entries may be whose memory is used again. That of longer ones is given back.
	keepsAtMost = 64 << 10
)

// journalVersion begins the head of a journal. A server that reads another one begins anew.
const journalVersion = 0x4355504f4c410001

// The parts of a head, as offsets: its version, the word, and of each generation the length and the checksum of the
// saved pane.
const (
	headVersion = 0
	headWord    = 8
	headSaved   = 16
	headStride  = 16
)

// The kinds of entries.
const (
	outputEntry = iota + 1
	resizeEntry
	typedEntry // text that was queued for the program
	wroteEntry // how much of it the program was given
)

// entryHead is the length of what precedes an entry: its length, kind, checksum, and time.
const entryHead = 24

var errJournal = errors.New("no journal that this program can read")

// checksums is the table of CRC-32 with Castagnoli's polynomial, which processors compute.
var checksums = crc32.MakeTable(crc32.Castagnoli)

// archive is the memory of all journals: one file, which the holder keeps too.
type archive struct{ file *os.File }

// journal is the journal of one pane. The pane's mu guards it; only the goroutine that reads touches the page that
// piece returns.
type journal struct {
	archive *archive
	at      int64
	mapped  []byte
	word    *atomic.Uint64
	// generation is the generation in use, tail the length of its entries and limit the length that they may reach, in
	// bytes; page is the page for the next piece.
	generation, page int
	tail, limit      int
	// readers counts goroutines that read into it; closed is true once it is of no use. The last one gives it back.
	readers int
	closed  bool
	// broken is true if it could not be written. It still serves as a buffer.
	broken bool
}

// open maps the journal of a slot.
func (a *archive) open(slot int) (*journal, error) {
	j := &journal{archive: a, at: int64(slot) * journalSpan}
	info, err := a.file.Stat()
	if err == nil && info.Size() < j.at+journalSpan {
		err = a.file.Truncate(j.at + journalSpan)
	}
	if err != nil {
		return nil, err
	}
	if j.mapped, err = unix.Mmap(
		int(a.file.Fd()), j.at, mappedSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED,
	); err != nil {
		return nil, fmt.Errorf("map a journal: %w", err)
	}
	j.word = (*atomic.Uint64)(unsafe.Pointer(&j.mapped[headWord]))
	return j, nil
}

// begin begins an empty journal with a saved pane.
func (j *journal) begin(saved []byte) error {
	binary.NativeEndian.PutUint64(j.mapped[headVersion:], 0)
	clear(j.mapped[piecesAt:entriesAt])
	j.generation, j.page = 1, 0
	if err := j.save(saved); err != nil {
		return err
	}
	binary.NativeEndian.PutUint64(j.mapped[headVersion:], journalVersion)
	return nil
}

// use counts a goroutine that reads into a journal.
func (j *journal) use() {
	if j != nil {
		j.readers++
	}
}

// leave is the end of such a goroutine.
func (j *journal) leave() {
	if j != nil {
		j.readers--
		j.release()
	}
}

// close gives the memory of a journal back once no goroutine reads into it.
func (j *journal) close() {
	if j != nil {
		j.closed = true
		j.release()
	}
}

func (j *journal) release() {
	if !j.closed || j.readers > 0 || j.mapped == nil {
		return
	}
	_ = unix.Munmap(j.mapped)
	j.mapped, j.word = nil, nil
	_ = giveBack(j.archive.file, j.at, journalSpan)
}

// piece is where the next piece of output is to be read. It holds zeros.
func (j *journal) piece() []byte {
	from := piecesAt + j.page*readSize
	return j.mapped[from : from+readSize]
}

func (j *journal) entries() []byte {
	from := entriesAt + j.generation*entriesSize
	return j.mapped[from : from+entriesSize]
}

// commit makes valid what was written.
func (j *journal) commit() {
	j.word.Store(uint64(j.tail)<<2 | uint64(j.generation)<<1 | uint64(j.page)) //nolint:gosec // none is negative
}

// append adds an entry; ends is true if it is the piece that was read, whose page is then free. It reports false if it
// has no room: the pane must be saved.
func (j *journal) append(kind uint32, at time.Time, body []byte, ends bool) bool {
	size := entryHead + (len(body)+7)&^7
	if j.broken || j.tail+size > j.limit {
		return false
	}
	to := j.entries()[j.tail:]
	binary.NativeEndian.PutUint32(to, uint32(len(body))) //nolint:gosec // as checked
	binary.NativeEndian.PutUint32(to[4:], kind)
	binary.NativeEndian.PutUint32(to[8:], crc32.Checksum(body, checksums))
	binary.NativeEndian.PutUint64(to[16:], uint64(at.UnixNano())) //nolint:gosec // as it is read
	copy(to[entryHead:], body)
	j.tail += size
	j.flip(ends, len(body))
	return true
}

// flip makes the written bytes valid. After a piece the other page is used for the next one.
func (j *journal) flip(ends bool, used int) {
	page := j.piece()
	if ends {
		j.page = 1 - j.page
	}
	j.commit()
	if ends {
		clear(page[:used])
	}
}

// save begins the other generation, with a saved pane and without entries.
func (j *journal) save(saved []byte) error {
	next := 1 - j.generation
	if len(saved) > savedMost {
		return errJournal
	}
	if _, err := j.archive.file.WriteAt(saved, j.savedAt(next)); err != nil {
		return err
	}
	head := j.mapped[headSaved+next*headStride:]
	binary.NativeEndian.PutUint64(head, uint64(len(saved)))
	binary.NativeEndian.PutUint32(head[8:], crc32.Checksum(saved, checksums))
	old, used := j.generation, j.tail
	j.generation, j.tail, j.limit = next, 0, min(entriesSize, max(leastEntries, len(saved)))
	j.commit()
	if used > keepsAtMost {
		_ = giveBack(j.archive.file, j.at+int64(entriesAt+old*entriesSize), entriesSize)
	}
	_ = giveBack(j.archive.file, j.savedAt(old), savedSpan)
	return nil
}

func (j *journal) savedAt(generation int) int64 { return j.at + savedAt + int64(generation)*savedSpan }

// entry is one event in the life of a pane; kind is one of the kinds of entries.
type entry struct {
	kind uint32
	at   time.Time
	body []byte
}

// load reads a journal that a former server has left: the saved pane, the entries, and the piece that was read last if
// it is not among them. The journal can be written on then.
func (j *journal) load() (saved []byte, entries []entry, piece []byte, err error) {
	if binary.NativeEndian.Uint64(j.mapped[headVersion:]) != journalVersion {
		return nil, nil, nil, errJournal
	}
	word := j.word.Load()
	j.page, j.generation, j.tail = int(word&1), int(word>>1&1), int(word>>2) //nolint:gosec // as checked below
	head := j.mapped[headSaved+j.generation*headStride:]
	length := binary.NativeEndian.Uint64(head)
	if j.tail < 0 || j.tail > entriesSize || length > savedMost {
		return nil, nil, nil, errJournal
	}
	saved = make([]byte, length)
	if _, err := j.archive.file.ReadAt(saved, j.savedAt(j.generation)); err != nil {
		return nil, nil, nil, err
	}
	if crc32.Checksum(saved, checksums) != binary.NativeEndian.Uint32(head[8:]) {
		return nil, nil, nil, errJournal
	}
	j.limit = min(entriesSize, max(leastEntries, len(saved)))
	for rest := j.entries()[:j.tail]; len(rest) > 0; {
		one, size, err := readEntry(rest)
		if err != nil {
			return nil, nil, nil, err
		}
		entries, rest = append(entries, one), rest[size:]
	}
	piece = j.piece()
	for len(piece) > 0 && piece[len(piece)-1] == 0 {
		piece = piece[:len(piece)-1]
	}
	return saved, entries, slices.Clone(piece), nil
}

func readEntry(from []byte) (one entry, size int, err error) {
	if len(from) < entryHead {
		return entry{}, 0, errJournal
	}
	length := int(binary.NativeEndian.Uint32(from))
	if size = entryHead + (length+7)&^7; size > len(from) {
		return entry{}, 0, errJournal
	}
	one = entry{
		kind: binary.NativeEndian.Uint32(from[4:]),
		at:   time.Unix(0, int64(binary.NativeEndian.Uint64(from[16:]))), //nolint:gosec // as it was written
		body: from[entryHead : entryHead+length],
	}
	if crc32.Checksum(one.body, checksums) != binary.NativeEndian.Uint32(from[8:]) {
		return entry{}, 0, errJournal
	}
	return one, size, nil
}

// savedPane is the saved state of a pane beside its terminal, which follows the unread texts.
type savedPane struct {
	Heard    engine.Heard `json:"heard"`
	Activity time.Time    `json:"activity"`
	Partial  bool         `json:"partial,omitempty"`
	// Unread are the lengths of texts that were typed and not read.
	Unread []int `json:"unread,omitempty"`
}

// saved is a pane as a journal has it; mu is held.
func (p *pane) saved(to []byte) []byte {
	head := savedPane{Heard: p.heard, Activity: p.activity, Partial: p.partial}
	for _, text := range p.typist.texts {
		head.Unread = append(head.Unread, len(text))
	}
	body, err := json.Marshal(head)
	if err != nil {
		body = []byte("{}") // it holds no value that cannot be written
	}
	to = binary.AppendUvarint(to, uint64(len(body)))
	to = append(to, body...)
	for _, text := range p.typist.texts {
		to = append(to, text...)
	}
	return p.term.AppendSave(to)
}

// keepJournal gives a pane whose terminal is new a journal of its own; mu is held. Without one, as where memory has run
// out, the pane loses its screen if the server crashes.
func (p *pane) keepJournal(slot int) {
	p.journal.close()
	p.journal, p.slot = nil, 0
	if p.server.archive == nil {
		return
	}
	j, err := p.server.archive.open(slot)
	if err == nil {
		if err = j.begin(p.saved(nil)); err != nil {
			j.close()
		}
	}
	if err != nil {
		p.server.opts.Log.Error("begin the journal of a pane", "pane", p.id, "error", err)
		return
	}
	p.journal, p.slot = j, slot
}

// journaled adds an entry of what has happened to the pane, or saves the pane if there is no room for it; mu is held.
func (p *pane) journaled(kind uint32, at time.Time, body []byte) {
	j := p.journal
	if j == nil || j.broken {
		return
	}
	if !j.append(kind, at, body, kind == outputEntry) {
		p.saveJournal(kind == outputEntry, len(body))
	}
}

// saveJournal saves a pane whose journal is full; mu is held. ends is true if a piece of some length was read, which
// the saved pane has.
func (p *pane) saveJournal(ends bool, used int) {
	j := p.journal
	buffer := p.server.saving.Get().(*[]byte) //nolint:errcheck,forcetypeassert // it holds nothing else
	*buffer = p.saved((*buffer)[:0])
	page := j.piece()
	if ends {
		j.page = 1 - j.page
	}
	if err := j.save(*buffer); err != nil {
		p.server.opts.Log.Error("the journal of a pane has ended", "pane", p.id, "error", err)
		j.broken = true
		binary.NativeEndian.PutUint64(j.mapped[headVersion:], 0)
	}
	if ends {
		clear(page[:used])
	}
	p.server.saving.Put(buffer)
}

// remember gives a pane back what its journal says: the terminal, what was heard, what was typed and not read. Nothing
// is changed if that fails.
func (p *pane) remember(slot int) (err error) {
	j, err := p.server.archive.open(slot)
	if err != nil {
		return err
	}
	defer func() {
		// Output that the terminal core cannot take must not end each server that comes.
		if failure := recover(); failure != nil {
			err = fmt.Errorf("%w: %v", errJournal, failure)
		}
		if err != nil {
			j.close()
		}
	}()
	saved, entries, piece, err := j.load()
	if err != nil {
		return err
	}
	from, err := readSaved(saved)
	if err != nil {
		return err
	}
	again := &pane{id: p.id, server: p.server, heard: from.head.Heard}
	again.activity, again.partial, again.typist.texts = from.head.Activity, from.head.Partial, from.unread
	again.setTerm(from.term)
	for _, one := range entries {
		again.replay(one)
	}
	again.answers = nil // they were typed, or were among what is unread
	now := time.Now()
	if len(piece) > 0 {
		again.replay(entry{outputEntry, now, piece})
	}
	p.heard, p.activity, p.partial = again.heard, again.activity, again.partial
	p.typist = typist{texts: again.typist.texts}
	for _, text := range p.typist.texts {
		p.typist.size += len(text)
	}
	p.setTerm(again.term)
	p.journal, p.slot = j, slot
	if len(piece) > 0 {
		p.journaled(outputEntry, now, piece)
	}
	if len(again.answers) > 0 {
		_ = p.queue(again.answers) // a program that does not read answers for itself
	}
	return nil
}

// restored is a pane as a journal has it.
type restored struct {
	head   savedPane
	unread [][]byte
	term   *term.Terminal
}

func readSaved(saved []byte) (r restored, err error) {
	length, size := binary.Uvarint(saved)
	if size <= 0 || length > uint64(len(saved)-size) {
		return restored{}, errJournal
	}
	saved = saved[size:]
	if err := json.Unmarshal(saved[:length], &r.head); err != nil {
		return restored{}, errors.Join(errJournal, err)
	}
	saved = saved[length:]
	for _, n := range r.head.Unread {
		if n < 0 || n > len(saved) {
			return restored{}, errJournal
		}
		r.unread, saved = append(r.unread, slices.Clone(saved[:n])), saved[n:]
	}
	r.term, err = term.Load(saved)
	return r, err
}

// replay does again what an entry says.
func (p *pane) replay(one entry) {
	switch one.kind {
	case outputEntry:
		_, _ = p.term.Write(one.body)
		p.activity = one.at
		p.hear(p.said, one.at)
		p.said = nil
		p.partial = p.partial && !p.term.Erased()
	case resizeEntry:
		if width, height, ok := sizeOf(one.body); ok {
			p.term.Resize(width, height)
		}
	case typedEntry:
		p.typist.texts = append(p.typist.texts, slices.Clone(one.body))
	case wroteEntry:
		n, _ := binary.Uvarint(one.body)
		p.typist.forget(int(min(n, mostUnread))) //nolint:gosec // as bounded
	}
}

// sizeBody and sizeOf write and read the body of a resizeEntry.
func sizeBody(width, height int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(width)), uint64(height)) //nolint:gosec // as checked
}

func sizeOf(body []byte) (width, height int, ok bool) {
	w, n := binary.Uvarint(body)
	if n <= 0 {
		return 0, 0, false
	}
	h, m := binary.Uvarint(body[n:])
	width, height = int(min(w, largest)), int(min(h, largest)) //nolint:gosec // as bounded
	return width, height, m > 0 && checkSize(width, height) == nil
}
