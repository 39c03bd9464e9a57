package form

import (
	"slices"
	"strings"
	"unicode"

	"cupola/core"

	"github.com/sahilm/fuzzy"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Entry is a row of the palette.
type Entry struct {
	// Group says what it is: a pane, an act, a screen, a prompt, a command, a setting.
	Group string
	// Name is searched and read first, Does describes its effect, Keys are its keys.
	Name, Does, Keys string
	// Words are other words that users have for it, with blanks between them.
	Words string
	// Means is the intent of choosing it.
	Means intent.Intent
}

// palette is a list that what is typed searches.
type palette struct {
	entries []Entry
	// found are the numbers of the entries that match query.
	found   []int
	query   string
	at, top int
	height  int
}

// String returns the name of an entry, for package fuzzy.
func (p *palette) String(i int) string { return p.entries[i].Name }

// Len returns how many entries there are.
func (p *palette) Len() int { return len(p.entries) }

// search finds the entries that a text matches, the best first. An empty text finds all.
func (p *palette) search(query string) {
	if query == p.query && p.found != nil {
		return
	}
	p.query, p.at, p.top, p.found = query, 0, 0, []int{}
	wanted := wordsOf(query)
	rank := map[int]int{}
	for i := range p.entries {
		if r := p.entries[i].rank(query, wanted); r > 0 {
			rank[i] = r
			p.found = append(p.found, i)
		}
	}
	for _, match := range fuzzy.FindFrom(query, p) {
		if rank[match.Index] == 0 {
			rank[match.Index] = byLetters
			p.found = append(p.found, match.Index)
		}
	}
	if query != "" {
		slices.SortStableFunc(p.found, func(a, b int) int { return rank[a] - rank[b] })
	}
}

// Ranks of matches, the best first: the whole name, its beginning, words in the name, words in the name, the effect and
// the words of users, and at last letters of the name in their order.
const (
	byName = iota + 1
	byBeginning
	byWordsOfName
	byWords
	byLetters
)

// rank returns how well an entry matches a query, whose words are wanted; 0 if by letters at most.
func (e *Entry) rank(query string, wanted []string) int {
	name, query := strings.ToLower(e.Name), strings.ToLower(strings.TrimSpace(query))
	switch {
	case name == query:
		return byName
	case strings.HasPrefix(name, query):
		return byBeginning
	case len(wanted) == 0:
		return 0
	case begins(wordsOf(name), wanted):
		return byWordsOfName
	case begins(append(wordsOf(name), wordsOf(e.Does+" "+e.Words+" "+e.Group)...), wanted):
		return byWords
	}
	return 0
}

// idle are words of questions that say nothing of what is looked for.
var idle = []string{"how", "do", "does", "i", "can", "to", "the", "a", "an", "my", "is", "it", "what", "where", "me"}

// wordsOf are the words of a text that say something, in lower case.
func wordsOf(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}), func(word string) bool { return slices.Contains(idle, word) })
}

// begins reports whether each wanted word begins one of the words.
func begins(words, wanted []string) bool {
	for _, one := range wanted {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, one) }) {
			return false
		}
	}
	return true
}

// Palette asks what to do or where to go, among entries.
func Palette(entries []Entry) *Form {
	f := &Form{
		title: "Go to, or do", verb: "take it", fields: []field{line("", "type a part of its name", "")},
		palette: &palette{entries: entries},
	}
	f.make = func([]string) (intent.Intent, string) {
		p := f.palette
		if p.at >= len(p.found) {
			return nil, "Nothing matches."
		}
		return intent.Chosen{Means: p.entries[p.found[p.at]].Means}, ""
	}
	f.palette.search("")
	return f
}

// move selects another entry.
// moved selects the entry to which an intent leads; false if it leads to none.
func (p *palette) moved(wanted intent.Intent) (is bool) {
	p.at, is = intent.Rows{At: p.at, Of: len(p.found), Page: p.height - 1}.Moved(wanted)
	return is
}

const (
	// paletteLines is how many entries have room on a low display, leastPalette how many if there are fewer, groupWidth
	// is the width of their groups.
	paletteLines, leastPalette, groupWidth = 14, 3, 9
)

// draw draws the entries that match.
func (p *palette) draw(w *screen.World, r layout.Rect) []string {
	p.height = r.H
	rows := widget.Rows{Selected: p.at, Empty: "nothing matches"}
	p.top = widget.FirstVisible(p.top, p.at, len(p.found), r.H)
	for _, i := range p.found {
		e := &p.entries[i]
		rows.Left = append(rows.Left, widget.Line{
			{Token: theme.Dim, Text: widget.Fit(w.Theme, e.Group, groupWidth)},
			{Token: theme.Strong, Text: cells.Clean(e.Name)},
			{Token: theme.Dim, Text: "  " + cells.Clean(screen.OneLine(e.Does, 200))},
		})
		rows.Right = append(rows.Right, widget.Styled(theme.FooterKey, e.Keys))
	}
	rows.Top = p.top
	return widget.List(w.Theme, r, rows)
}

// Themes asks for one of some themes, and shows the selected one at once.
func Themes(names []string, chosen string) *Form {
	entries := core.Map(names, func(name string) Entry {
		return Entry{Group: "theme", Name: name, Means: intent.UseTheme{Name: name, Save: true}}
	})
	f := Palette(entries)
	f.title = "Theme"
	f.palette.at = max(0, slices.Index(names, chosen))
	f.live = func([]string) intent.Intent {
		if p := f.palette; p.at < len(p.found) {
			return intent.UseTheme{Name: p.entries[p.found[p.at]].Name}
		}
		return nil
	}
	f.left = func() intent.Intent { return intent.UseTheme{} }
	return f
}
