package search_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"cupola/core/agent/search"
)

// BenchmarkSearch searches a gigabyte of conversations in 200 files: for a word that a hundredth of the lines has, for
// words that a single line has, or none, and for one that all have. It reports when the first hit came, and the time of
// the processor, which another load leaves as it is.
func BenchmarkSearch(b *testing.B) {
	h := home{b.TempDir()}
	const files, size = 200, 5 << 20
	var total int64
	for i := range files {
		path := fmt.Sprintf(".claude/projects/-src-p%d/c%d.jsonl", i%20, i)
		total += writeConversation(b, filepath.Join(h.dir, path), i, size)
	}
	for _, text := range []string{"deadlock", "the only needle", "nobody said this", "the"} {
		b.Run(text, func(b *testing.B) {
			b.SetBytes(total)
			for b.Loop() {
				pattern, err := search.Compile(text)
				if err != nil {
					b.Fatal(err)
				}
				worked := processorTime(b)
				began, first, n := time.Now(), time.Duration(0), 0
				sources, _ := search.Conversations(b.Context(), h.env, nil)
				query := search.Query{Pattern: pattern}
				if text == "the" { // every line has it
					query.Limit = 50
				}
				_, err = search.Run(b.Context(), sources, query, func(search.Hit) error {
					n++
					if n == 1 {
						first = time.Since(began)
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(first.Milliseconds()), "first-ms")
				b.ReportMetric((processorTime(b) - worked).Seconds(), "cpu-s")
				b.ReportMetric(float64(n), "hits")
			}
		})
	}
}

// processorTime is how long this process has worked.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// writeConversation writes a conversation of about so many bytes, and returns how many they are.
func writeConversation(b *testing.B, path string, n int, size int64) int64 {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(file)
	random := rand.New(rand.NewPCG(uint64(n), 1))
	words := []string{"the", "parser", "returns", "Error", "when", "func", "Read(ctx", "file", "lines", "of", "if"}
	minute, written := n*100, int64(0)
	for written < size {
		minute++
		text := make([]byte, 0, 2048)
		for len(text) < 1500 {
			text = append(append(text, words[random.IntN(len(words))]...), ' ')
		}
		if random.IntN(100) == 0 {
			text = append(text, "Deadlock"...)
		}
		if n == 100 && written == 0 {
			text = append(text, "The Only Needle"...)
		}
		written += int64(len(line("assistant", string(text), minute)))
		if _, err := out.WriteString(line("assistant", string(text), minute)); err != nil {
			b.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	at := day.Add(time.Duration(minute) * time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		b.Fatal(err)
	}
	return written
}
