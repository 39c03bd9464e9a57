package render

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// decodeOptions are the options of a decoder in the TOON specification.
type decodeOptions struct {
	lenient bool
	indent  int
}

// errTOON is behind every complaint of the decoder about its input.
var errTOON = errors.New("invalid toon")

// decodeTOON reads TOON into the document model. It exists to check the encoder, and knows every rule of the
// specification for that reason.
func decodeTOON(text string, o decodeOptions) (any, error) {
	if o.indent == 0 {
		o.indent = 2
	}
	if !o.lenient && !utf8.ValidString(text) {
		return nil, fmt.Errorf("%w: not UTF-8", errTOON)
	}
	lines, err := scanTOON(text, o)
	if err != nil {
		return nil, err
	}
	d := &decoder{lines: lines, strict: !o.lenient}
	v, err := d.root()
	if err == nil && d.strict && d.pos < len(d.lines) {
		err = d.fail("content after the root")
	}
	return v, err
}

// toonLine is a line that is neither blank nor a comment.
type toonLine struct {
	text   string
	depth  int
	number int
	// gap is set where a blank line comes before.
	gap bool
}

func scanTOON(text string, o decodeOptions) ([]toonLine, error) {
	var lines []toonLine
	gap := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		content := strings.TrimLeft(line, " ")
		if strings.HasPrefix(content, "#") {
			continue
		}
		if content == "" {
			gap = true
			continue
		}
		spaces := len(line) - len(content)
		if !o.lenient && (spaces%o.indent != 0 || content[0] == '\t') {
			return nil, fmt.Errorf("%w: line %d: indentation", errTOON, i+1)
		}
		content = strings.TrimLeft(content, "\t")
		lines = append(lines, toonLine{content, spaces / o.indent, i + 1, gap})
		gap = false
	}
	for _, line := range lines {
		if line.depth >= MaxDepth {
			return nil, fmt.Errorf("line %d: %w", line.number, ErrDepth)
		}
	}
	return lines, nil
}

type decoder struct {
	lines  []toonLine
	pos    int
	strict bool
	// spans counts the arrays and tables around the current line whose first item has been read.
	spans int
}

func (d *decoder) fail(format string, args ...any) error {
	number := 0
	if len(d.lines) > 0 {
		number = d.lines[min(d.pos, len(d.lines)-1)].number
	}
	return fmt.Errorf("%w: line %d: %s", errTOON, number, fmt.Sprintf(format, args...))
}

// at says that the next line is at depth. Deeper ones belong to nothing: an error, or skipped if lenient.
func (d *decoder) at(depth int) (bool, error) {
	for d.pos < len(d.lines) && d.lines[d.pos].depth > depth {
		if d.strict {
			return false, d.fail("too deep")
		}
		d.pos++
	}
	return d.pos < len(d.lines) && d.lines[d.pos].depth == depth, nil
}

// take consumes the next line.
func (d *decoder) take() (string, error) {
	line := d.lines[d.pos]
	if d.strict && line.gap && d.spans > 0 {
		return "", d.fail("blank line inside an array")
	}
	d.pos++
	return line.text, nil
}

func (d *decoder) root() (any, error) {
	if len(d.lines) == 0 {
		return Object{}, nil
	}
	if ok, err := d.at(0); err != nil || !ok {
		return Object{}, err
	}
	text := d.lines[d.pos].text
	h, rest, ok, err := d.header(text)
	if err != nil {
		return nil, err
	}
	if ok && h.key == nil {
		d.pos++
		return d.body(h, rest, 0)
	}
	trimmed := strings.Trim(text, " ")
	if len(d.lines) == 1 && trimmed == "[]" {
		d.pos++
		return []any{}, nil
	}
	if trimmed == "[]" && d.strict {
		return nil, d.fail("empty array among others")
	}
	if len(d.lines) == 1 && !ok && outsideQuotes(text, ':') < 0 {
		d.pos++
		return d.scalar(trimmed)
	}
	return d.object(0)
}

// outsideQuotes returns the index of the first c that no quotes enclose, or -1.
func outsideQuotes(s string, c byte) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && s[i] == c:
			return i
		}
	}
	return -1
}
