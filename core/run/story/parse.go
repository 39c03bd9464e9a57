package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
)

// Parse reads a list of tasks. What is a task, and whether it is done, is as in OpenSpec: tasks in code count.
//
// A story is a heading of the second level that tasks follow, or that has a number; what follows it up to the next one
// belongs to it, whatever its number. Tasks before the first one are a story with the id "tasks". Where no heading has
// a task, each task that is below no other is a story with all below it.
//
// A story depends on those that its title names, as in "(after 1)", or a line below it, as in "Depends on: 1, 2".
func Parse(text []byte) (stories []Story, dropped []Dropped) {
	p := &parser{sections: []*section{{}}, dropped: []Dropped{}}
	p.read(text)
	p.group()
	p.name()
	p.order()
	slices.SortStableFunc(p.dropped, func(a, b Dropped) int { return cmp.Compare(a.Line, b.Line) })
	for _, s := range p.sections {
		stories = append(stories, s.story())
	}
	return stories, p.dropped
}

// section is a story, or a heading that may become one.
type section struct {
	Story
	// numbered is true for a number in the heading; the first section, before all headings, has none.
	numbered, headed bool
	// wanted is the id that it should have.
	wanted string
	items  []*item
	needs  []need
}

// item is a task.
type item struct {
	Task
	// wanted is the id at the start of its text; top is true if it is below no other task.
	wanted string
	top    bool
	raw    string
}

// need is a text that names stories. Loose is one that may be something else.
type need struct {
	line  int
	text  string
	loose bool
	raw   string
	// nested is true for a line below an item.
	nested bool
}

func (s *section) story() Story {
	if s.After == nil {
		s.After = []string{}
	}
	s.Tasks = []Task{}
	for _, item := range s.items {
		s.Tasks = append(s.Tasks, item.Task)
	}
	return s.Story
}

type parser struct {
	sections []*section
	dropped  []Dropped
	// above are the items of lists that the next line may be below.
	above []level
}

// level is an item of a list, and how far it is indented.
type level struct {
	indent int
	task   bool
}

func (p *parser) drop(line int, text, why string) {
	p.dropped = append(p.dropped, Dropped{Line: line, Text: trim(text), Why: why})
}

// read finds headings, tasks and dependencies.
func (p *parser) read(text []byte) {
	raw := splitLines(text)
	lines := core.Map(raw, valid)
	lines[0] = strings.TrimPrefix(lines[0], "\uFEFF")
	code := fenced(lines)
	for i, line := range lines {
		b, ok := readBox(raw[i])
		switch {
		case ok:
			p.task(i+1, raw[i], &b)
		case code[i]:
		case p.heading(i+1, line):
		default:
			p.text(i+1, raw[i], line)
		}
	}
}

func (p *parser) last() *section { return p.sections[len(p.sections)-1] }

func (p *parser) task(n int, line []byte, b *box) {
	task := &item{raw: valid(line)}
	columns := indent(line)
	p.rise(columns)
	task.Depth, task.top = len(p.above), !slices.ContainsFunc(p.above, func(l level) bool { return l.task })
	p.above = append(p.above, level{columns, true})
	task.Line, task.Done, task.Mark = n, b.done(line), valid(line[b.from:b.to])
	task.wanted, task.Text = taskID(b.description)
	if b.description == "" {
		p.drop(n, task.raw, "the task has no description")
	}
	p.last().items = append(p.last().items, task)
}

// rise forgets the items that a line with some indent is not below.
func (p *parser) rise(columns int) {
	for len(p.above) > 0 && columns < p.above[len(p.above)-1].indent+2 {
		p.above = p.above[:len(p.above)-1]
	}
}

// heading reads a line if it is a heading.
func (p *parser) heading(n int, line string) bool {
	level, title := heading(line)
	if level == 0 || len(p.above) > 0 && strings.HasPrefix(line, "  ") {
		return false
	}
	p.above = nil
	if level != 2 {
		return true
	}
	s := &section{headed: true}
	id, title, missing := number(title)
	s.Line, s.numbered = n, id != ""
	s.Title = s.takeNeeds(n, line, title)
	s.wanted = cmp.Or(id, slug(s.Title))
	if missing {
		p.drop(n, line, "the number of the story is missing")
	}
	p.sections = append(p.sections, s)
	return true
}

// takeNeeds notes what a title says of dependencies, and returns it without that.
func (s *section) takeNeeds(n int, line, title string) string {
	return trim(afterTitle().ReplaceAllStringFunc(title, func(found string) string {
		said := afterTitle().FindStringSubmatch(found)[1]
		// "(after the launch)" is part of a title.
		loose := !strings.Contains(strings.ToLower(found), "depends") && !strings.ContainsAny(said, "0123456789")
		s.needs = append(s.needs, need{line: n, text: said, raw: line, loose: loose})
		if loose {
			return found
		}
		return ""
	}))
}

// text reads a line that is neither a task nor a heading.
func (p *parser) text(n int, raw []byte, line string) {
	if trim(line) == "" {
		return
	}
	if parts := afterLine().FindStringSubmatch(strings.TrimRight(line, " \t\r")); parts != nil {
		s := p.last()
		nested := indent(raw) >= 2 && len(s.items) > 0
		s.needs = append(s.needs, need{line: n, text: parts[1], raw: line, nested: nested})
	} else if why := lookalike(line); why != "" {
		p.drop(n, line, why)
	}
	columns := indent(raw)
	if isItem(raw) {
		p.rise(columns)
		p.above = append(p.above, level{columns, false})
	} else if columns == 0 {
		p.above = nil
	}
}

// group makes stories of the sections.
func (p *parser) group() {
	first, rest := p.sections[0], p.sections[1:]
	var stories []*section
	if slices.ContainsFunc(rest, func(s *section) bool { return len(s.items) > 0 }) {
		if len(first.items) > 0 {
			first.Title, first.wanted, first.Line = "Tasks", "tasks", first.items[0].Line
			first.needs = nil
			stories = append(stories, first)
		}
	} else {
		stories = first.split()
	}
	for _, s := range rest {
		if len(s.items) > 0 || s.numbered {
			s.needs = slices.DeleteFunc(s.needs, func(n need) bool { return n.nested })
			stories = append(stories, s)
		}
	}
	p.sections = stories
}

// split makes a story of each task that is below no other.
func (s *section) split() (stories []*section) {
	needs := s.needs
	for _, task := range s.items {
		if task.top || len(stories) == 0 {
			one := &section{wanted: task.wanted}
			one.Line, one.Title = task.Line, one.takeNeeds(task.Line, task.raw, task.Text)
			stories = append(stories, one)
		}
		last := stories[len(stories)-1]
		last.items = append(last.items, task)
	}
	for _, n := range needs {
		if i := slices.IndexFunc(stories, func(s *section) bool { return s.Line > n.line }); i > 0 {
			stories[i-1].needs = append(stories[i-1].needs, n)
		} else if i < 0 && len(stories) > 0 {
			last := stories[len(stories)-1]
			last.needs = append(last.needs, n)
		}
	}
	return stories
}

// name gives each story and each task an id of its own.
func (p *parser) name() {
	stories, tasks := newIDs(), newIDs()
	for _, s := range p.sections {
		if s.headed || s.wanted == "tasks" {
			s.ID = stories.first(s.wanted)
		}
		for _, task := range s.items {
			task.ID = tasks.first(task.wanted)
		}
	}
	for n, s := range p.sections {
		if s.wanted != "" && (s.headed || s.wanted == "tasks") && s.ID == "" {
			s.ID = stories.other(s.wanted)
			if s.numbered {
				p.drop(s.Line, s.Title, fmt.Sprintf("another story has the id %s; this one is %s", s.wanted, s.ID))
			}
		}
		prefix := s.ID
		for i, task := range s.items {
			switch {
			case task.ID != "":
			case task.wanted != "":
				task.ID = tasks.other(task.wanted)
				why := fmt.Sprintf("another task has the id %s; this one is %s", task.wanted, task.ID)
				p.drop(task.Line, task.raw, why)
			case prefix == "":
				task.ID = tasks.at("", n+1)
			case s.ID == "":
				task.ID = tasks.at(prefix+".", i)
			default:
				task.ID = tasks.at(prefix+".", i+1)
			}
			prefix = cmp.Or(prefix, task.ID)
		}
		if s.ID == "" {
			s.ID = cmp.Or(stories.first(prefix), stories.other(prefix))
		}
		if s.Title == "" {
			s.Title = s.ID
		}
	}
}

// ids are the taken ids, and for each prefix the next number to try.
type ids struct {
	taken map[string]bool
	next  map[string]int
}

func newIDs() *ids { return &ids{map[string]bool{}, map[string]int{}} }

// first takes an id; it returns nothing if that is empty or taken.
func (d *ids) first(id string) string {
	if id == "" || d.taken[id] {
		return ""
	}
	d.taken[id] = true
	return id
}

// other takes an id that is like one that is taken.
func (d *ids) other(id string) string { return d.at(id+"-", 2) }

// at takes the first free id that is a prefix with a number from n on.
func (d *ids) at(beginning string, n int) string {
	for n = max(n, d.next[beginning]); ; n++ {
		if id := d.first(beginning + strconv.Itoa(n)); id != "" {
			d.next[beginning] = n + 1
			return id
		}
	}
}
