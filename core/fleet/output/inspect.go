package output

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// CodeBlock is a fenced code block on a screen.
type CodeBlock struct {
	// Language is named by the opening fence; it may be empty.
	Language string `json:"language,omitempty"`
	Text     string `json:"text"`
	// Closed is false if the screen ends before the block does.
	Closed bool `json:"-"`
}

// Inspected is one pane in full.
type Inspected struct {
	Pane core.Pane
	Tail Tail
	Code []CodeBlock
}

// Inspect returns everything about the pane at an address: its status, its last lines as Tail returns them,
// and the code in them.
func (r *Reader) Inspect(ctx context.Context, address string, lines int) (_ *Inspected, err error) {
	defer func() { err = fault.Wrap("inspect-pane", err) }()
	if lines < 0 {
		return nil, core.Errorf(core.InvalidInput, "%d lines were asked for; it must be 0 or more", lines)
	}
	seen, err := r.opts.Observer.Select(ctx, observe.View{Dirs: true}, func(s *core.Snapshot) ([]*core.Pane, error) {
		_, pane, err := resolve.OnePane(s, address)
		return []*core.Pane{pane}, err
	})
	if err != nil {
		return nil, err
	}
	tails, err := r.read(ctx, seen.Panes, &Request{Lines: lines})
	if err != nil {
		return nil, err
	}
	return &Inspected{Pane: *seen.Panes[0], Tail: tails[0], Code: codeBlocks(tails[0].Lines)}, nil
}

const fence = "```"

// codeBlocks returns fenced code, without the indentation of the opening fence.
func codeBlocks(lines []string) []CodeBlock {
	blocks := []CodeBlock{}
	var body []string
	indent := ""
	open := false
	for _, line := range lines {
		text := strings.TrimSpace(line)
		fenced := strings.HasPrefix(text, fence)
		switch {
		case fenced && !open && !strings.Contains(text[len(fence):], "`"):
			open, body = true, nil
			indent = line[:len(line)-len(strings.TrimLeft(line, " "))]
			language, _, _ := strings.Cut(strings.TrimLeft(text, "`"), " ")
			blocks = append(blocks, CodeBlock{Language: language})
		case open && strings.Trim(text, "`") == "" && fenced:
			last := &blocks[len(blocks)-1]
			last.Text, last.Closed, open = strings.Join(body, "\n"), true, false
		case open:
			body = append(body, strings.TrimPrefix(line, indent))
		}
	}
	if open {
		blocks[len(blocks)-1].Text = strings.Join(body, "\n")
	}
	return blocks
}
