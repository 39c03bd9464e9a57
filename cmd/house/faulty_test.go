package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGatesFindFaults runs every gate over a small tree, testdata/GATE.txt, with faulty and
// correct files.
func TestGatesFindFaults(t *testing.T) {
	for _, g := range gates {
		t.Run(g.name, func(t *testing.T) {
			m, want := readTree(t, filepath.Join("testdata", g.name+".txt"))
			if len(want) == 0 {
				t.Fatal("the tree shows no fault")
			}
			_, faults := g.check(m)
			var got []string
			for _, f := range faults {
				got = append(got, f.String())
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryTreeInTestdataHasItsGate(t *testing.T) {
	found, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(gates) {
		t.Errorf("testdata holds %d trees for %d gates", len(found), len(gates))
	}
}

var marker = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// readTree reads a tree from one file: the text before the first marker is the list of faults expected of it, and
// "deps" is the output of go list.
func readTree(t *testing.T, archive string) (m *module, want []string) {
	t.Helper()
	body, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	m = &module{deps: map[string][]string{}}
	marks := marker.FindAllSubmatchIndex(body, -1)
	if len(marks) == 0 {
		t.Fatal("no file in ", archive)
	}
	for i, mark := range marks {
		name, end := string(body[mark[2]:mark[3]]), len(body)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		content := expandRepeats(string(body[mark[1]:end]))
		if name == "deps" {
			for line := range strings.Lines(content) {
				folder, deps, _ := strings.Cut(strings.TrimSpace(line), ": ")
				m.deps[folder] = strings.Fields(deps)
			}
			continue
		}
		if err := m.add(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	want = strings.FieldsFunc(string(body[:marks[0][0]]), func(r rune) bool { return r == '\n' })
	slices.Sort(want)
	return m, want
}

var repeat = regexp.MustCompile(`(?m)^\s*// repeat (\d+): (.*)\n`)

// expandRepeats replaces "// repeat N: LINE" by N lines in which # is the line's number, for long
// sizes.
func expandRepeats(content string) string {
	return repeat.ReplaceAllStringFunc(content, func(hit string) string {
		parts := repeat.FindStringSubmatch(hit)
		n, _ := strconv.Atoi(parts[1])
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(parts[2], "#", strconv.Itoa(i)) + "\n")
		}
		return b.String()
	})
}
