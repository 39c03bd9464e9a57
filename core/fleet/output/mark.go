package output

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"regexp"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/fleet/terminal"
)

// mark is a place in a pane's output: hashes of the last non-blank lines before it. It survives scrolling and
// redrawing.
type mark struct {
	pane core.PaneID
	seen []uint32
}

// remembered is how many lines a mark keeps, certain how many must match again, and behind how many lines of
// history are searched.
const (
	remembered = 12
	certain    = 3
	behind     = 2000
)

// markAfter returns the place after all lines of a pane.
func markAfter(pane core.PaneID, lines []string) mark {
	_, hashes := hashesOf(lines)
	return mark{pane, hashes[max(0, len(hashes)-remembered):]}
}

// hashesOf returns the indexes of the non-blank lines, and their hashes.
func hashesOf(lines []string) (at []int, hashes []uint32) {
	for i, line := range lines {
		text := strings.TrimSpace(terminal.Attributes().ReplaceAllString(line, ""))
		if text == "" {
			continue
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(text))
		at, hashes = append(at, i), append(hashes, h.Sum32())
	}
	return at, hashes
}

// after returns the first line after the mark, or false if its place is not found. The last lines before it
// may have changed since, or be followed by a fixed footer; they then count as new.
func (m mark) after(lines []string) (int, bool) {
	at, hashes := hashesOf(lines)
	need := min(certain, len(m.seen))
	if need == 0 {
		return 0, true
	}
	best, next := need-1, 0
	for kept := len(m.seen); kept > best; kept-- {
		longest := best
		for i := range hashes {
			// Of equally good places the last one wins.
			if n := commonSuffix(m.seen[:kept], hashes[:i+1]); n > best && n >= longest {
				longest, next = n, at[i]+1
			}
		}
		best = longest
	}
	return next, best >= need
}

// commonSuffix counts the equal values at the end of both.
func commonSuffix(a, b []uint32) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// String writes the mark as one word.
func (m mark) String() string {
	data := make([]byte, 0, 4*len(m.seen))
	for _, hash := range m.seen {
		data = binary.BigEndian.AppendUint32(data, hash)
	}
	return strings.TrimPrefix(string(m.pane), "%") + "." + base64.RawURLEncoding.EncodeToString(data)
}

// markWord matches a mark.
var markWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(o?\d{1,9})\.([A-Za-z0-9_-]*)$`) })

// parseMarks parses marks as String writes them.
func parseMarks(words []string) (map[core.PaneID]mark, error) {
	marks := map[core.PaneID]mark{}
	for _, word := range words {
		parts := markWord().FindStringSubmatch(word)
		if parts == nil {
			return nil, badMark(word)
		}
		data, err := base64.RawURLEncoding.DecodeString(parts[2])
		if err != nil || len(data)%4 != 0 || len(data) > 4*remembered {
			return nil, badMark(word)
		}
		m := mark{pane: core.PaneID("%" + parts[1])}
		for ; len(data) > 0; data = data[4:] {
			m.seen = append(m.seen, binary.BigEndian.Uint32(data))
		}
		marks[m.pane] = m
	}
	return marks, nil
}

func badMark(word string) error {
	err := core.Errorf(core.InvalidInput, "%q is not a mark", word)
	err.Hint = "Give the mark of an earlier answer unchanged."
	return err
}
