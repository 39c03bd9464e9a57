package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"cupola/core/term"
)

// stream returns random output of a program: text, styles, moves, modes, titles, and the halves of all of these.
func stream(random *rand.Rand, length int) []byte {
	pieces := []string{
		"words ", "日本語", "e\u0301", "👩‍👩‍👧", "\r\n", "\n\n\n", "\t", "\x1b[%dm", "\x1b[38;5;%dm", "\x1b[%d;%dH",
		"\x1b[%dJ", "\x1b[%dK",
		"\x1b[?%dh", "\x1b[?%dl", "\x1b[?1049h", "\x1b[?1049l", "\x1b[?2004h", "\x1b]2;title %d\x07",
		"\x1b]7501;working %d\x1b\\", "\x07",
		"\x1b[%d;%dr", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b7", "\x1b8", "\x1b=",
		"\x1b[>%du", "\x1b[%dq", "\x1b[%d q", "\x1b[%dL", "\x1bc", "\x00",
		"\xff", "\x1b", "\x1b[", "\x1b]2;",
	}
	private := []int{1, 6, 7, 25, 1000, 1002, 1003, 1004, 1006, 2004, 2026, 2027, 9, 1015}
	var out []byte
	for len(out) < length {
		piece := pieces[random.IntN(len(pieces))]
		switch n := bytes.Count([]byte(piece), []byte("%d")); {
		case n == 1 && bytes.Contains([]byte(piece), []byte("?")):
			piece = fmt.Sprintf(piece, private[random.IntN(len(private))])
		case n == 1:
			piece = fmt.Sprintf(piece, random.IntN(50))
		case n == 2:
			piece = fmt.Sprintf(piece, random.IntN(30), random.IntN(90))
		}
		out = append(out, piece...)
	}
	return out[:length]
}

// journaledPane is a pane without a program, with a journal.
func journaledPane(t *testing.T, s *server) *pane {
	t.Helper()
	p := &pane{id: "%o1", server: s}
	p.setTerm(term.New(80, 24))
	p.keepJournal(s.tree.nextSlot())
	if p.journal == nil {
		t.Skip("this system has no memory for journals")
	}
	return p
}

func journalServer(t *testing.T) *server {
	t.Helper()
	s := newServer(t.Context(), Options{})
	s.openArchive()
	return s
}

// TestAJournalIsThePane kills a server at any moment of a random life. The pane that is loaded from the journal equals
// the one that was lost, with the output that was read and not shown yet.
func TestAJournalIsThePane(t *testing.T) {
	t.Parallel()
	s := journalServer(t)
	never, err := os.Open(os.DevNull) // it is never read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = never.Close() })
	for seed := range uint64(15) {
		random := rand.New(rand.NewPCG(seed, 5))
		p := journaledPane(t, s)
		p.master = never
		p.paused = true
		for range 20 + random.IntN(250) {
			switch random.IntN(12) {
			case 0:
				width, height := 1+random.IntN(200), 1+random.IntN(60)
				p.term.Resize(width, height)
				p.journaled(resizeEntry, time.Now(), sizeBody(width, height))
			case 1:
				_ = p.queue(bytes.Repeat([]byte("typed"), 1+random.IntN(400)))
			case 2:
				n := min(p.typist.size, random.IntN(3000))
				p.typist.forget(n)
				p.journaled(wroteEntry, time.Now(), uvarint(n))
			default:
				piece := p.journal.piece()
				n := copy(piece, stream(random, 1+random.IntN(readSize)))
				p.receive(p.master, piece[:n])
			}
		}
		// The last piece was read and nothing more.
		last := stream(random, random.IntN(readSize))
		last = bytes.TrimRight(last, "\x00")
		copy(p.journal.piece(), last)
		again := &pane{id: p.id, server: s, master: p.master, paused: true}
		again.setTerm(term.New(1, 1))
		if err := again.remember(p.slot); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		_, _ = p.term.Write(last)
		p.hear(p.said, time.Now())
		if len(p.answers) > 0 {
			_ = p.queue(p.answers)
		}
		if !bytes.Equal(p.term.Save(), again.term.Save()) {
			t.Fatalf("seed %d:\n%q\n%q", seed, p.term.Lines(), again.term.Lines())
		}
		if p.heard.Status != again.heard.Status {
			t.Errorf("seed %d: heard %q, was %q", seed, again.heard.Status, p.heard.Status)
		}
		if a, b := bytes.Join(p.typist.texts, nil), bytes.Join(again.typist.texts, nil); !bytes.Equal(a, b) ||
			p.typist.size != again.typist.size {
			t.Fatalf("seed %d: %d unread bytes, were %d", seed, len(b), len(a))
		}
		p.master, again.master = nil, nil
		again.journal.closed = true
		p.journal.close()
	}
}

// TestADamagedJournalIsNoPane changes any byte of a journal: it gives the pane that was or none, and never fails.
func TestADamagedJournalIsNoPane(t *testing.T) {
	t.Parallel()
	s := journalServer(t)
	random := rand.New(rand.NewPCG(1, 2))
	p := journaledPane(t, s)
	none := 0
	for i := range 300 {
		piece := p.journal.piece()
		p.receive(nil, piece[:copy(piece, stream(random, 200))])
		at := random.IntN(entriesAt + p.journal.tail + 64)
		if i%3 == 0 {
			at = random.IntN(64)
		}
		was := p.journal.mapped[at]
		p.journal.mapped[at] ^= byte(1 + random.IntN(255))
		again := &pane{id: p.id, server: s, paused: true}
		again.setTerm(term.New(1, 1))
		if err := again.remember(p.slot); err != nil {
			none++
		} else {
			again.journal.closed = true
		}
		p.journal.mapped[at] = was
		p.journal.commit()
	}
	if none == 0 {
		t.Error("no damage was noticed")
	}
	p.journal.close()
}

// A journal with a saved pane that does not end well is not tried for ever.
func TestAJournalOfAnotherVersionIsNotRead(t *testing.T) {
	t.Parallel()
	s := journalServer(t)
	p := journaledPane(t, s)
	p.journal.mapped[headVersion]++
	again := &pane{id: p.id, server: s}
	again.setTerm(term.New(3, 3))
	if err := again.remember(p.slot); err == nil {
		t.Error("it is read")
	}
	if width, _ := again.term.Size(); width != 3 || again.journal != nil {
		t.Error("it changed the pane")
	}
	p.journal.close()
}

// TestAFloodDoesNotFillTheMemory writes far more than a journal holds.
func TestAFloodDoesNotFillTheMemory(t *testing.T) {
	t.Parallel()
	s := journalServer(t)
	p := journaledPane(t, s)
	random := rand.New(rand.NewPCG(3, 3))
	text := stream(random, readSize)
	for range 1500 {
		piece := p.journal.piece()
		p.receive(nil, piece[:copy(piece, text)])
	}
	if used := blocks(t, s.archive.file); used > 8<<20 {
		t.Errorf("the journal takes %d bytes", used)
	}
	p.journal.close()
	if used := blocks(t, s.archive.file); used > 64<<10 {
		t.Errorf("a journal that is closed takes %d bytes", used)
	}
}

func BenchmarkOutput(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal=%v", kept), func(b *testing.B) {
			s := newServer(b.Context(), Options{})
			if kept {
				s.openArchive()
			}
			p := &pane{id: "%o1", server: s}
			p.setTerm(term.New(200, 50))
			p.keepJournal(1)
			line := "\x1b[32m2026-11-28\x1b[0m a line of a log as programs print it, number 12345\r\n"
			text := bytes.Repeat([]byte(line), 100)[:readSize]
			b.SetBytes(readSize)
			buffer := make([]byte, readSize)
			for b.Loop() {
				if p.journal != nil {
					buffer = p.journal.piece()
				}
				p.receive(nil, buffer[:copy(buffer, text)])
			}
		})
	}
}
