package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
)

// OpenDialog is a dialog with its text and options.
type OpenDialog struct {
	Block
	// Text is the text above the options, without frames and blank rows.
	Text []string
	// About is the subject of the dialog, in one line: the command, the file or the question. A long one ends with an
	// ellipsis.
	About string
	// Options are the choices, top to bottom or left to right; empty where none
	// are recognised.
	Options []Option

	rules answerSpec
}

// Option is one choice of a dialog.
type Option struct {
	// N is the number that the dialog gives it or, where it numbers none, its
	// place, counted from 1.
	N     int    `json:"n"`
	Label string `json:"label"`
	// Detail is the text beside or under the label.
	Detail string `json:"detail,omitempty"`
	// Selected is true for the option that Enter would choose. If only colours show that,
	// the screen must be captured with escapes.
	Selected bool `json:"selected"`
	// Means is the meaning of the option; empty if only its label is known.
	Means Means `json:"means,omitempty"`
	// Keys choose it, from where the selection is; none if that is not known.
	Keys []string `json:"keys,omitempty"`

	numbered bool
	row      int
	// press are the keys that choose it at once, typed is the word that must be typed for it, and confirmed.
	press []string
	typed string
}

const (
	// dialogLines bounds how far up the options of a dialog may begin, in rows.
	dialogLines = 60
	// textLines bounds what a dialog says above its options.
	textLines = 14
	// aboutMax bounds what is said of what it asks about, in characters.
	aboutMax = 200
)

// Dialog returns the open dialog, if one is.
func (r *Reading) Dialog() (OpenDialog, bool) {
	block, open := r.Blocked()
	if !open {
		return OpenDialog{}, false
	}
	d := OpenDialog{Block: block}
	rules := r.kind.screen.answerFor(block)
	if rules != nil && block.Rule.ID != GeneralRule {
		d.rules = *rules
		d.Options = d.rules.read(r.page)
	}
	if len(d.Options) == 0 {
		// A rule says that a dialog is open, whatever else looks like a composer.
		if c, found := r.choices(); found && (len(c.options) > 0 || rules == nil && !r.found) {
			return d.general(c), true
		}
	}
	if rules == nil {
		d.About = oneLine([]string{block.Line})
		return d, true
	}
	first, sketch := block.Row-r.page.offset, newSketch(r.page)
	if len(d.Options) == 0 {
		if d.Text = sketch.around(first); len(d.Text) > 0 {
			d.About = aboutOf(d.Text, nil, block.Reason)
			return d, true
		}
	} else {
		first = d.Options[0].row
	}
	d.explainOptions()
	d.Text = sketch.texts(sketch.above(first, d.rules.Top))
	d.About = oneLine(d.rules.subject(r.page, first))
	if d.About == "" {
		d.About = oneLine(append(d.Text, block.Line)[:max(1, len(d.Text))])
	}
	return d, true
}

// general returns the dialog as it was read without the rules of a kind.
func (d OpenDialog) general(c *choices) OpenDialog {
	d.rules, d.Options, d.Text, d.About = *c.keys, c.options, c.text, c.about
	d.explainOptions()
	return d
}

// explainOptions fills in what the options mean, and which keys choose them.
func (d *OpenDialog) explainOptions() {
	for i := range d.Options {
		o := &d.Options[i]
		o.Means, o.Keys = d.means(*o), d.keys(*o)
	}
}

// Drawn reports whether the dialog shows what it asks and what may be answered. Without, it may be one that is being
// drawn, or rows of a screen that is being drawn anew.
func (d *OpenDialog) Drawn() bool {
	return len(d.Options) > 0 || d.Reason != core.ReasonDialog
}

// Same reports whether both are the same dialog, regardless of the selection.
func (d *OpenDialog) Same(other *OpenDialog) bool {
	return d.Rule.ID == other.Rule.ID && slices.Equal(d.Text, other.Text) &&
		slices.EqualFunc(d.Options, other.Options, Option.same)
}

// Digest is the same for dialogs that are the same, and differs for others.
func (d *OpenDialog) Digest() string {
	labels := make([]string, 0, len(d.Options))
	for _, o := range d.Options {
		labels = append(labels, strconv.Itoa(o.N), unmarked(o.Label))
	}
	text, _ := json.Marshal([][]string{{d.Rule.ID}, d.Text, labels}) // strings can be encoded
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// same ignores the mark that some agents put behind what was chosen, until the
// dialog goes.
func (o Option) same(other Option) bool {
	return o.N == other.N && unmarked(o.Label) == unmarked(other.Label)
}

func unmarked(label string) string { return strings.TrimRight(label, " ✓✔") }

func (d *OpenDialog) index(o Option) int { return slices.IndexFunc(d.Options, o.same) }

// Numbered returns the option with a number.
func (d *OpenDialog) Numbered(n int) (Option, bool) {
	return d.option(slices.IndexFunc(d.Options, func(o Option) bool { return o.N == n }))
}

// means returns what an option means.
func (d *OpenDialog) means(o Option) Means {
	if d.lasts(o) {
		return ApprovesAlways
	}
	for _, means := range []Means{Approves, Denies, Takes} {
		if i := d.choice(means); i >= 0 && d.Options[i].same(o) {
			return means
		}
	}
	return ""
}

// read finds the options on a page.
func (a *answerSpec) read(p *page) []Option {
	for _, read := range []func(*page) []Option{a.numbered, a.sideBySide, a.list} {
		if options := read(p); len(options) > 1 {
			return options
		}
	}
	return nil
}

// numbered reads options with numbers, from the last one up to number 1. A row
// out of turn belongs to something else.
func (a *answerSpec) numbered(p *page) []Option {
	if !a.Option.given() {
		return nil
	}
	var options []Option
	for i := len(p.rows) - 1; i >= max(0, len(p.rows)-dialogLines); i-- {
		at := a.Option.submatch(p.rows[i])
		if at == nil {
			continue
		}
		n, err := strconv.Atoi(at[a.Option.regexp().SubexpIndex("n")])
		if err != nil || n < 1 || len(options) > 0 && n != options[0].N-1 {
			continue
		}
		label, detail := parted(at[a.Option.regexp().SubexpIndex("label")])
		o := Option{
			N: n, Label: label, Detail: detail, Selected: at[a.Option.regexp().SubexpIndex("at")] != "", numbered: true,
			row: i,
		}
		if options = slices.Insert(options, 0, o); n == 1 {
			break
		}
	}
	for i := range options {
		end := len(p.rows)
		if i+1 < len(options) {
			end = options[i+1].row
		}
		options[i].Detail = strings.TrimSpace(options[i].Detail + " " + p.under(options[i], end))
	}
	if !slices.ContainsFunc(options, func(o Option) bool { return o.Selected }) {
		p.lit(options)
	}
	return options
}

// under is the text indented below an option's number, up to the next blank
// row or option.
func (p *page) under(o Option, end int) string {
	indent := labelColumn(p.rows[o.row], o.Label) - 1
	var words []string
	for i := o.row + 1; i < end && p.rows[i] != ""; i++ {
		text := unframed(p.rows[i])
		if text == "" || labelColumn(p.rows[i], text) < indent {
			break
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

// sideBySide reads options that are in one row; the last row with two of them
// counts.
func (a *answerSpec) sideBySide(p *page) []Option {
	if !a.Across.given() {
		return nil
	}
	for i := len(p.rows) - 1; i >= max(0, len(p.rows)-dialogLines); i-- {
		found := a.Across.regexp().FindAllStringIndex(p.rows[i], -1)
		if len(found) < 2 {
			continue
		}
		options := make([]Option, len(found))
		for n, at := range found {
			options[n] = Option{N: n + 1, Label: p.rows[i][at[0]:at[1]], row: i}
		}
		p.lit(options)
		return options
	}
	return nil
}

// list reads options without numbers: the one that is pointed at, and the rows
// right above and below it whose text begins in the same column.
func (a *answerSpec) list(p *page) []Option {
	if !a.Pointed.given() {
		return nil
	}
	for i := len(p.rows) - 1; i >= max(0, len(p.rows)-dialogLines); i-- {
		at := a.Pointed.submatch(p.rows[i])
		if at == nil {
			continue
		}
		column := labelColumn(p.rows[i], at[a.Pointed.regexp().SubexpIndex("label")])
		level := func(row int) bool {
			text := unframed(p.rows[row])
			return text != "" && labelColumn(p.rows[row], text) == column
		}
		first, last := i, i
		for first > 0 && level(first-1) {
			first--
		}
		for last+1 < len(p.rows) && level(last+1) {
			last++
		}
		var options []Option
		for row := first; row <= last; row++ {
			label := unframed(p.rows[row])
			if row == i {
				label = strings.TrimSpace(at[a.Pointed.regexp().SubexpIndex("label")])
			}
			options = append(options, Option{N: row - first + 1, Label: label, Selected: row == i, row: row})
		}
		return options
	}
	return nil
}

// besideColumn is how much further right than the options a text begins that is beside the dialog.
const besideColumn = 40

// beside reports whether the text of a row is beside a dialog whose options begin in the row first.
func (p *page) beside(row, first int) bool {
	at := func(i int) int { return labelColumn(p.rows[i], unframed(p.rows[i])) }
	return first < len(p.rows) && at(row) >= at(first)+besideColumn
}

// subject returns the rows above the row first that name the subject of a dialog; none where no pattern finds it.
func (a *answerSpec) subject(p *page, first int) []string {
	top := first
	for top > max(0, first-dialogLines) && (!a.Top.given() || !a.Top.MatchString(p.rows[top-1])) {
		top--
	}
	for _, re := range a.About {
		for i := top; i < first; i++ {
			at := re.submatch(p.rows[i])
			if at == nil {
				continue
			}
			var rows []string
			if what := re.regexp().SubexpIndex("what"); what >= 0 {
				rows = append(rows, unframed(at[what]))
			}
			for i++; i < first && !a.ends(p.rows[i]); i++ {
				if !p.beside(i, first) {
					rows = append(rows, unframed(p.rows[i]))
				}
			}
			return rows
		}
	}
	return nil
}

// ends reports whether what a dialog asks about ends above a row.
func (a *answerSpec) ends(row string) bool {
	return matchesAny(a.Until, row)
}

// oneLine joins rows, and cuts off what is too long.
func oneLine(rows []string) string {
	line := []rune(strings.Join(strings.Fields(unframed(strings.Join(rows, " "))), " "))
	if len(line) > aboutMax {
		return string(line[:aboutMax-1]) + "…"
	}
	return string(line)
}

// parted cuts off the detail that is apart behind a label.
func parted(text string) (label, detail string) {
	text = strings.TrimSpace(text)
	if at := apart().FindStringIndex(text); at != nil {
		return text[:at[0]], text[at[1]:]
	}
	return text, ""
}

// frames are the characters that agents draw boxes, rules and scrollbars with.
const frames = "│┃║╭╮╰╯┌┐└┘─━╌▔▁█▀▄ "

// unframed is a row without what frames it.
func unframed(row string) string { return strings.Trim(row, frames) }

// labelColumn is how many characters are before a text in its row.
func labelColumn(row, text string) int {
	before, _, _ := strings.Cut(row, text)
	return len([]rune(before))
}
