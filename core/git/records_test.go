package git

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// commitMany makes a commit of many files without writing them.
func (r *repository) commitMany(n int) {
	r.t.Helper()
	var stream strings.Builder
	stream.WriteString("blob\nmark :1\ndata 1\nx\n")
	fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter a <a@example.com> %d +0000\ndata 3\nall\n",
		time.Now().Unix())
	for i := range n {
		fmt.Fprintf(&stream, "M 100644 :1 folder%d/a_file_with_a_name_%d.txt\n", i/1000, i)
	}
	cmd := exec.Command("git", "-C", r.dir, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(stream.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
}

func TestOfManyChangesSomeAreKeptAndAllAreCounted(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commitMany(300)
	last := func(c *Change) bool { return strings.HasSuffix(c.Path, "299.txt") || c.Path == "new/99" }
	log, err := r.open("").Log(t.Context(), LogRequest{Files: Bound{Most: 200, Always: last}})
	if err != nil || len(log) != 1 || len(log[0].Files) != 21 || log[0].Left != 279 || !last(&log[0].Files[20]) {
		t.Errorf("a commit: %d files, %d left, %v", len(log[0].Files), log[0].Left, err)
	}
	for i := range 100 {
		r.write(fmt.Sprintf("new/%02d", i), "")
	}
	even := func(c *Change) bool { return c.Kind == Untracked && !strings.HasSuffix(c.Path, "8") }
	status, err := r.open("").StatusWithin(t.Context(), Bound{Most: 10, Wants: even, Always: last})
	if err != nil || len(status.Changes) != 11 || status.Left != 79 || !last(&status.Changes[10]) {
		t.Errorf("a tree: %d changes, %d left, %v", len(status.Changes), status.Left, err)
	}
	if whole, err := r.open("").Status(t.Context()); err != nil || whole.Left != 0 || len(whole.Changes) != 400 {
		t.Errorf("without a bound: %d changes, %d left, %v", len(whole.Changes), whole.Left, err)
	}
}

func TestRecordsAreTakenHoweverTheyAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("l", longestRecord+10)
	text := "one\x00\x00" + long + "\x00two\x00"
	want := []string{"one", "", long[:longestRecord], "two"}
	for _, piece := range []int{1, 3, 1000, len(text)} {
		var got []string
		out := &records{record: func(record string) { got = append(got, record) }}
		for part := range slices.Chunk([]byte(text), piece) {
			if n, err := out.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %d records", piece, len(got))
		}
	}
}

// BenchmarkLogOfManyFiles reads a commit of 200,000 files.
func BenchmarkLogOfManyFiles(b *testing.B) {
	r := newRepository(b)
	r.commitMany(200_000)
	tree := r.open("")
	for name, bound := range map[string]Bound{"bounded": {Most: 10_000}, "whole": {}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if log, err := tree.Log(b.Context(), LogRequest{Files: bound}); err != nil || len(log) != 1 {
					b.Fatal(log, err)
				}
			}
		})
	}
}
