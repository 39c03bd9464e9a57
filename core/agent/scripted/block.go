package scripted

import (
	"fmt"
	"slices"
)

// keptBlocks is how much of the transcript can be drawn again.
const keptBlocks = 500

// block is a paragraph of the transcript: a mark, and text that hangs from it.
// The zero value is nothing at all.
type block struct {
	mark, text, sgr string
	// apart puts an empty line before the block.
	apart bool
}

// rows draws the block.
func (b block) rows(width int) []string {
	if b == (block{}) {
		return nil
	}
	var rows []string
	if b.apart {
		rows = append(rows, "")
	}
	return append(rows, hang(b.mark, b.text, b.sgr, width)...)
}

// banner is the first block.
func banner(t traits) block {
	return block{
		mark: MarkBanner,
		text: fmt.Sprintf("%s %s\nmodel %s\nfolder %s", t.name, Version, t.model, t.folder),
		sgr:  sgrAccent,
	}
}

// transcript is the printed part of the screen, which never changes. Blocks are numbered from the first one; old ones
// are forgotten.
type transcript struct {
	blocks    []block
	forgotten int
}

// print adds a block; the zero block adds nothing.
func (t *transcript) print(b block) {
	if b == (block{}) {
		return
	}
	t.blocks = append(t.blocks, b)
	if len(t.blocks) >= 2*keptBlocks {
		t.forgotten += len(t.blocks) - keptBlocks
		t.blocks = slices.Clone(t.blocks[len(t.blocks)-keptBlocks:])
	}
}

// count is how many blocks were ever printed.
func (t *transcript) count() int { return t.forgotten + len(t.blocks) }

// since draws the blocks from the given number on.
func (t *transcript) since(number, width int) []string {
	var rows []string
	for _, b := range t.blocks[max(0, number-t.forgotten):] {
		rows = append(rows, b.rows(width)...)
	}
	return rows
}

// tail draws the last rows, at most height of them.
func (t *transcript) tail(width, height int) []string {
	var parts [][]string
	n := 0
	for _, b := range slices.Backward(t.blocks) {
		if n >= height {
			break
		}
		rows := b.rows(width)
		n += len(rows)
		parts = append(parts, rows)
	}
	slices.Reverse(parts)
	rows := slices.Concat(parts...)
	return rows[max(0, len(rows)-height):]
}
