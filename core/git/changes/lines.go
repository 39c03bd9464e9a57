package changes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/git"
)

// Line is a line that a change adds or deletes. It is the same in each difference that ends with the same file.
type Line struct {
	// Deleted is true for a line that is gone.
	Deleted bool
	// At is the number of an added line in the new file, from 1; for a deleted line, the number of the next line.
	At   int
	Text string
}

// String writes a line as ParseLine reads it.
func (l Line) String() string {
	sign := "+"
	if l.Deleted {
		sign = "-"
	}
	return sign + strconv.Itoa(l.At) + ":" + l.Text
}

// ParseLine reads a line that String wrote. It returns InvalidInput.
func ParseLine(word string) (Line, error) {
	number, text, whole := strings.Cut(word, ":")
	at, err := strconv.Atoi(strings.TrimLeft(number, "+-"))
	if err != nil || !whole || number[0] != '+' && number[0] != '-' {
		return Line{}, core.Errorf(core.InvalidInput, "%q is no changed line: write it as +12:TEXT, or -12:TEXT if it "+
			"was deleted", core.Cut(word))
	}
	return Line{Deleted: number[0] == '-', At: at, Text: text}, nil
}

// Shown is a line of a patch.
type Shown struct {
	// Sign is +, -, a blank or, for what git says about the line before, a backslash.
	Sign byte
	Line
	// Old is the number of a line in the old file; 0 for an added one.
	Old int
}

// Hunk is a part of a patch.
type Hunk struct {
	Path  string
	Lines []Shown
	// old and new are the numbers of its first lines.
	old, new int
}

// Hunks reads the hunks of a patch. What is no hunk is left out, and so are damaged ones.
func Hunks(patch string) (hunks []Hunk) {
	path, within := "", false
	var now *Hunk
	var oldAt, newAt int
	for line := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "diff "):
			now, within, path = nil, true, ""
		case within && strings.HasPrefix(line, "--- a/") && path == "":
			path = strings.TrimSuffix(line[len("--- a/"):], "\t")
		case within && strings.HasPrefix(line, "+++ b/"):
			path = strings.TrimSuffix(line[len("+++ b/"):], "\t")
		case strings.HasPrefix(line, "@@ "):
			within = false
			now = nil
			if old, added, is := starts(line); is {
				hunks = append(hunks, Hunk{Path: path, old: old, new: added})
				now, oldAt, newAt = &hunks[len(hunks)-1], old, added
			}
		case now != nil && line != "":
			now.add(line, &oldAt, &newAt)
		}
	}
	return hunks
}

// starts returns the first lines of a hunk, from its header.
func starts(header string) (old, added int, is bool) {
	fields := strings.Fields(header)
	if len(fields) < 3 {
		return 0, 0, false
	}
	number := func(field, sign string) (int, bool) {
		text, is := strings.CutPrefix(field, sign)
		first, _, _ := strings.Cut(text, ",")
		n, err := strconv.Atoi(first)
		return n, is && err == nil
	}
	old, first := number(fields[1], "-")
	added, second := number(fields[2], "+")
	return old, added, first && second
}

// add adds a line of a patch to its hunk.
func (h *Hunk) add(line string, oldAt, newAt *int) {
	shown := Shown{Sign: line[0], Line: Line{At: *newAt, Text: line[1:]}, Old: *oldAt}
	switch shown.Sign {
	case '+':
		shown.Old = 0
		*newAt++
	case '-':
		shown.Deleted = true
		*oldAt++
	case ' ':
		*oldAt++
		*newAt++
	case '\\':
	default:
		return
	}
	h.Lines = append(h.Lines, shown)
}

// Changed are the lines that a hunk adds and deletes.
func (h *Hunk) Changed() (lines []Line) {
	for i := range h.Lines {
		if sign := h.Lines[i].Sign; sign == '+' || sign == '-' {
			lines = append(lines, h.Lines[i].Line)
		}
	}
	return lines
}

// chosen returns the patch of a file with the lines of hunks that are wanted alone; empty if there is none of them.
// With reverse it is one to take back.
func chosen(path string, hunks []Hunk, wanted []Line, reverse bool) string {
	var patch strings.Builder
	shift := 0
	for i := range hunks {
		h := &hunks[i]
		body, added, deleted := h.only(wanted, reverse)
		if added+deleted == 0 {
			continue
		}
		old, first := h.old, h.old+shift
		if reverse {
			old, first = h.new-shift, h.new
		}
		fmt.Fprintf(&patch, "@@ -%d +%d @@\n%s", old, first, body)
		shift += added - deleted
	}
	if patch.Len() == 0 {
		return ""
	}
	return "diff --git " + quoted("a/"+path) + " " + quoted("b/"+path) + "\n--- " + quoted("a/"+path) + "\n+++ " +
		quoted("b/"+path) + "\n" + patch.String()
}

// quoted writes a path as patches have it.
func quoted(path string) string {
	if strings.ContainsAny(path, "\n\t\r\"\\") {
		return strconv.Quote(path)
	}
	return path
}

// inIndex returns which of the lines that hunks of the index change are wanted, where wanted are numbered as in the
// tree, and unstaged are the hunks between the two.
func inIndex(hunks, unstaged []Hunk, wanted []Line) (lines []Line) {
	for i := range hunks {
		for _, line := range hunks[i].Changed() {
			moved := line
			moved.At += shiftAt(unstaged, line.At)
			if slices.Contains(wanted, moved) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// shiftAt returns how much further down a line of the old file is in the new one.
func shiftAt(hunks []Hunk, line int) (shift int) {
	for i := range hunks {
		old := hunks[i].old
		for j := range hunks[i].Lines {
			switch sign := hunks[i].Lines[j].Sign; {
			case sign == '+' && old <= line:
				shift++
			case sign == '-' && old < line:
				shift--
			}
			if sign := hunks[i].Lines[j].Sign; sign == '-' || sign == ' ' {
				old++
			}
		}
	}
	return shift
}

// only is the text of a hunk with the wanted lines alone. The others stay as they are before the patch is applied: a
// deleted line stays there, an added one is not there yet; in reverse it is the other way round.
func (h *Hunk) only(wanted []Line, reverse bool) (body string, added, deleted int) {
	var text strings.Builder
	left := false
	for i := range h.Lines {
		line := &h.Lines[i]
		sign := line.Sign
		take := slices.Contains(wanted, line.Line)
		switch {
		case sign == '\\':
			if !left {
				text.WriteString("\\" + line.Text + "\n")
			}
			continue
		case sign == '+' && !take && !reverse, sign == '-' && !take && reverse:
			left = true
			continue
		case sign != ' ' && !take:
			sign = ' '
		case sign == '+':
			added++
		case sign == '-':
			deleted++
		}
		left = false
		text.WriteString(string(sign) + line.Text + "\n")
	}
	return text.String(), added, deleted
}

// diffOf returns the hunks of one file: of the tree against the index or, staged, of the index against the last commit.
func diffOf(ctx context.Context, c *git.Command, path string, args ...string) ([]Hunk, error) {
	args = append([]string{
		"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
	}, args...)
	text, err := c.Output(ctx, append(args, "--", path)...)
	return Hunks(text), err
}

// apply applies a patch; args say to what.
func apply(ctx context.Context, c *git.Command, patch string, args ...string) error {
	own := *c
	own.Stdin = strings.NewReader(patch)
	_, err := own.Output(ctx, append(append([]string{"apply", "--recount", "--whitespace=nowarn"}, args...), "-")...)
	return err
}

// StageLines stages some changed lines of a file or, where all of them are staged, takes them back from there. It
// returns Conflict where none of them can be staged, because they are committed or the file is another by now.
func StageLines(
	ctx context.Context, root, path string, lines []Line, environ []string,
) (staged bool, u *Undo, err error) {
	u, err = recorded(ctx, root, environ, nil, func(c *git.Command) error {
		if listed, err := c.Output(ctx, "ls-files", "-z", "--", path); err != nil || listed == "" {
			if _, err := c.Output(ctx, "add", "--intent-to-add", "--", path); err != nil {
				return err
			}
		}
		unstaged, err := diffOf(ctx, c, path)
		if err != nil {
			return err
		}
		if patch := chosen(path, unstaged, lines, false); patch != "" {
			staged = true
			return apply(ctx, c, patch, "--cached")
		}
		staging, err := diffOf(ctx, c, path, "--cached")
		if err != nil {
			return err
		}
		patch := chosen(path, staging, inIndex(staging, unstaged, lines), true)
		if patch == "" {
			return core.Errorf(core.Conflict, "these lines of %s are not there any more, or are committed", path)
		}
		return apply(ctx, c, patch, "--cached", "--reverse")
	})
	return staged, u, err
}

// DiscardLines takes some changed lines of a file back, in the tree and in the index. It returns Conflict where they
// are not there any more, or are committed; nothing has changed then.
func DiscardLines(ctx context.Context, root, path string, lines []Line, environ []string) (*Undo, error) {
	if _, err := os.Lstat(filepath.Join(root, path)); err != nil {
		return nil, core.Errorf(core.Conflict, "%s is not there; D on the file brings it back", path)
	}
	return recorded(ctx, root, environ, []string{path}, func(c *git.Command) error {
		all, err := diffOf(ctx, c, path, "HEAD")
		if err != nil {
			return err
		}
		patch := chosen(path, all, lines, true)
		if patch == "" {
			return core.Errorf(core.Conflict, "these lines of %s are not there any more, or are committed", path)
		}
		unstaged, err := diffOf(ctx, c, path)
		if err != nil {
			return err
		}
		staging, err := diffOf(ctx, c, path, "--cached")
		if err != nil {
			return err
		}
		if err := apply(ctx, c, patch, "--reverse"); err != nil {
			return err
		}
		if patch := chosen(path, staging, inIndex(staging, unstaged, lines), true); patch != "" {
			return apply(ctx, c, patch, "--cached", "--reverse")
		}
		return nil
	})
}
