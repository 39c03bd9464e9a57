package usage_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tree of these benchmarks: as much as MEGABYTES says (256 without), in
// transcripts of half a megabyte. A tenth of the lines are answers of a model, each
// written twice, as real ones are; the others hold texts and outputs of tools.
const treeFile = 512 << 10

func plantTree(b *testing.B, f *fixture) (paths []string, size int64) {
	b.Helper()
	megabytes, err := strconv.Atoi(os.Getenv("MEGABYTES"))
	if err != nil {
		megabytes = 256
	}
	other := `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"` +
		strings.Repeat("output of a tool, ", 200) + `"}]}}` + "\n"
	for n := range megabytes << 20 / treeFile {
		var text bytes.Buffer
		for i := 0; text.Len() < treeFile; i++ {
			if i%10 != 0 {
				text.WriteString(other)
				continue
			}
			answer := claudeSays(fmt.Sprintf("r%d-%d", n, i), "claude-opus-5-5", 100, i)
			answer = strings.Replace(answer, `"message":{`,
				`"message":{"content":[{"type":"text","text":"`+strings.Repeat("an answer ", 100)+`"}],`, 1)
			text.WriteString(answer + "\n" + answer + "\n")
		}
		path := f.write(b, fmt.Sprintf(".claude/projects/-src-%d/s%d.jsonl", n%20, n),
			noon.Add(time.Duration(n)*time.Second), text.String())
		paths, size = append(paths, path), size+int64(text.Len())
	}
	return paths, size
}

func BenchmarkRefresh(b *testing.B) {
	f := newFixture(b)
	paths, size := plantTree(b, f)
	began := time.Now()
	read := f.refresh(b)
	cold := time.Since(began)
	if read.Changed != len(paths) || read.Bytes != size {
		b.Fatalf("read %+v of %d bytes", read, size)
	}
	report := func(b *testing.B, bytes int64) {
		b.ReportMetric(float64(size>>20), "MB-tree")
		b.ReportMetric(float64(cold.Milliseconds()), "ms-cold")
		b.ReportMetric(float64(bytes), "B-read/op")
		b.ReportMetric(float64(cold)/(float64(b.Elapsed())/float64(b.N)), "x-cold")
	}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			if read := f.refresh(b); read.Changed != 0 {
				b.Fatalf("%+v", read)
			}
		}
		report(b, 0)
	})
	b.Run("appended", func(b *testing.B) {
		total := int64(0)
		for i := 0; b.Loop(); i++ {
			file, err := os.OpenFile(paths[i%len(paths)], os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			fmt.Fprintln(file, claudeSays(fmt.Sprintf("a%d", i), "claude-opus-5-5", 1, 1))
			file.Close()
			read := f.refresh(b)
			if read.Changed != 1 || read.Bytes > 1000 {
				b.Fatalf("%+v", read)
			}
			total += read.Bytes
		}
		report(b, total/int64(b.N))
	})
}
