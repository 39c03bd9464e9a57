package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// Drawer is a row that makes some of its cells itself, those for which ok is true. It
// always makes those of columns without a field.
type Drawer interface {
	Cell(title string) (cell Cell, ok bool)
}

// TableOf makes a table of a slice of structs, as the tags of their fields say. Now is
// the time from which ages are counted, and without one the times themselves are shown.
// A table without rows shows empty. It panics on a type that CheckRow refuses.
//
// A field is a column by its tag, a title with options behind it:
//
//	table:"TITLE,dim,flex"
//
//	strong dim good warn bad code   its tone
//	state                           the tone of the state that it names
//	word                            a word of a closed list is shown with its tone (ToneOf), blanks in place of _
//	flex                            it gives way first where the terminal is narrow
//	drop=1                          it is left out where the terminal is still too narrow, the greatest number first
//	ifany                           it is left out where no row has a value
//	ago                             a time is shown as its age
//	until                           a time is shown as the end of a wait (Until)
//	oneline                         a text is shown without line breaks and indentation
//	grouped                         a whole number is written with blanks between thousands
//	format=P%d                      the value is written as package fmt does
//	join=;                          the items of a list are separated by this and a blank; a comma does otherwise
//	or=Field                        this field takes the place of an empty value
//	and=Field                       this field follows behind a blank, unless it is empty
//	with=Field                      this field follows in brackets, unless it is empty
//	empty=-                         an empty text or list, 0, false or an unknown number shows this, dim or as a word
//
// A value with a method String shows what that returns, true shows "yes", and numbers
// are aligned to the right unless their format begins with a letter. A column
// belongs where its field is, unless the blank field of the struct lists all columns by
// their titles, including those of embedded structs and those without a field, whose
// cells a Drawer makes:
//
//	_ struct{} `table:"PANE,AGENT,OUTCOME"`
func TableOf(rows any, now time.Time, empty string) *Table {
	list := reflect.ValueOf(rows)
	columns, err := columnsOf(list.Type().Elem())
	if err != nil {
		panic(err)
	}
	table := &Table{Empty: empty, Rows: make([][]Cell, list.Len())}
	for i := range table.Rows {
		row := list.Index(i)
		drawer, _ := row.Addr().Interface().(Drawer)
		for at := range columns {
			table.Rows[i] = append(table.Rows[i], columns[at].cell(row, drawer, now))
		}
	}
	for i := range columns {
		table.Columns = append(table.Columns, columns[i].Column)
	}
	for i := len(columns) - 1; i >= 0; i-- {
		if columns[i].ifAny {
			table.leaveOutEmpty(i)
		}
	}
	return table
}

// Report makes a report of the table alone.
func (t *Table) Report() *Report { return (&Report{}).Add(Block{Table: t}) }

// leaveOutEmpty removes a column in which no row has a text.
func (t *Table) leaveOutEmpty(at int) {
	if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[at].Text != "" }) {
		return
	}
	t.Columns = slices.Delete(t.Columns, at, at+1)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], at, at+1)
	}
}

// HasColumns reports whether a type of rows has any, so that TableOf makes a table of them.
func HasColumns(row reflect.Type) bool {
	columns, err := columnsOf(row)
	return err != nil || len(columns) > 0
}

// CheckRow returns what is wrong with the tags of a type of rows.
func CheckRow(row reflect.Type) error {
	columns, err := columnsOf(row)
	if err != nil {
		return err
	}
	drawer, _ := reflect.New(row).Interface().(Drawer)
	for i := range columns {
		if columns[i].index != nil {
			continue
		}
		if drawer != nil {
			if _, ok := drawer.Cell(columns[i].Title); ok {
				continue
			}
		}
		return fmt.Errorf("%s: nothing makes the column %q", row, columns[i].Title)
	}
	return nil
}

// column is how the cells of one column are made.
type column struct {
	Column
	// index is the field; nil where a Drawer makes the cells.
	index  []int
	or     [][]int
	and    []int
	with   []int
	tone   Tone
	format string
	join   string
	empty  string

	state, word, ago, until, ifAny, oneLine, grouped bool
}

func (c *column) cell(row reflect.Value, drawer Drawer, now time.Time) Cell {
	if drawer != nil {
		if cell, ok := drawer.Cell(c.Title); ok {
			return cell
		}
	}
	text := c.text(row.FieldByIndex(c.index), now)
	for _, other := range c.or {
		if text == "" {
			text = c.text(row.FieldByIndex(other), now)
		}
	}
	if c.word {
		text = strings.ReplaceAll(text, "_", " ")
	}
	cell := Toned(c.tone, text)
	switch {
	case text == "" && c.empty != "":
		cell = Toned(Dim, c.empty)
		if c.word {
			cell.Tone = ToneOf(c.empty)
		}
	case c.word:
		cell.Tone = ToneOf(text)
	case c.state:
		cell.Tone = StateTone(core.State(text))
	}
	if c.and != nil {
		cell.Text = strings.TrimSpace(cell.Text + " " + c.text(row.FieldByIndex(c.and), now))
	}
	if c.with != nil {
		if more := c.text(row.FieldByIndex(c.with), now); more != "" {
			cell.Text += " (" + more + ")"
		}
	}
	return cell
}

// text is a value in words; empty where there is nothing to say.
func (c *column) text(value reflect.Value, now time.Time) string {
	of := value.Interface()
	switch known := of.(type) {
	case interface{ IsZero() bool }:
		if known.IsZero() {
			return ""
		}
	default:
		if value.IsZero() && (c.empty != "" || !number(value.Kind())) {
			return ""
		}
	}
	at, timed := of.(time.Time)
	switch {
	case c.ago && !now.IsZero():
		return Age(at, now)
	case timed && c.until:
		return Until(at, now)
	case timed:
		return core.Stamp(at)
	case value.Kind() == reflect.Slice:
		items := make([]string, value.Len())
		for i := range items {
			items[i] = fmt.Sprint(value.Index(i))
		}
		return strings.Join(items, c.join+" ")
	case c.grouped:
		return Grouped(value.Int())
	case c.format != "":
		return fmt.Sprintf(c.format, of)
	case c.oneLine:
		return strings.Join(strings.Fields(value.String()), " ")
	case value.Kind() == reflect.Bool:
		return "yes"
	}
	return fmt.Sprint(of)
}

func (c *column) sameTitle(other column) bool { return c.Title == other.Title }

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func number(kind reflect.Kind) bool { return kind >= reflect.Int && kind <= reflect.Float64 }

// made are the columns of each type that was asked for, or the error of one with bad tags.
var made sync.Map

func columnsOf(row reflect.Type) ([]column, error) {
	if known, ok := made.Load(row); ok {
		columns, _ := known.([]column)
		err, _ := known.(error)
		return columns, err
	}
	columns, err := readColumns(row)
	if err != nil {
		err = fmt.Errorf("%s: %w", row, err)
		made.Store(row, err)
		return nil, err
	}
	made.Store(row, columns)
	return columns, nil
}

// readColumns reads the columns off the tags of a struct.
func readColumns(row reflect.Type) ([]column, error) {
	if row.Kind() != reflect.Struct {
		return nil, nil
	}
	var columns []column
	for _, field := range reflect.VisibleFields(row) {
		tag, tagged := field.Tag.Lookup("table")
		if !tagged || field.Name == "_" {
			continue
		}
		c, err := newColumn(row, field, tag)
		if err == nil && slices.ContainsFunc(columns, c.sameTitle) {
			err = fmt.Errorf("the column %q is there twice", c.Title)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name, err)
		}
		columns = append(columns, c)
	}
	for i := range row.NumField() {
		if header, chosen := row.Field(i).Tag.Lookup("table"); chosen && row.Field(i).Name == "_" {
			return listed(columns, header)
		}
	}
	return columns, nil
}

// listed returns the columns of a header, which lists titles.
func listed(columns []column, header string) ([]column, error) {
	var ordered []column
	for _, title := range strings.Split(header, ",") {
		c := column{Column: Column{Title: title}}
		if slices.ContainsFunc(ordered, c.sameTitle) {
			return nil, fmt.Errorf("the column %q is listed twice", title)
		}
		if at := slices.IndexFunc(columns, c.sameTitle); at >= 0 {
			c = columns[at]
		}
		ordered = append(ordered, c)
	}
	return ordered, nil
}

// newColumn reads the tag of one field.
func newColumn(row reflect.Type, field reflect.StructField, tag string) (column, error) {
	if !field.IsExported() {
		return column{}, fmt.Errorf("only an exported field is a column")
	}
	options := strings.Split(tag, ",")
	c := column{Column: Column{Title: options[0]}, index: field.Index, join: ","}
	for _, option := range options[1:] {
		name, value, _ := strings.Cut(option, "=")
		var err error
		switch name {
		case "strong", "dim", "good", "warn", "bad", "code":
			c.tone = Tone(name)
			c.Below = name == "code"
		case "below":
			c.Below = true
		case "state":
			c.state = true
		case "word":
			c.word = true
		case "flex":
			c.Flex = true
		case "drop":
			_, err = fmt.Sscanf(value, "%d", &c.Drop)
		case "ifany":
			c.ifAny = true
		case "ago":
			c.ago = true
		case "until":
			c.until = true
		case "oneline":
			c.oneLine = true
		case "grouped":
			c.grouped = true
		case "format":
			c.format = value
		case "join":
			c.join = value
		case "empty":
			c.empty = value
		case "or":
			var other []int
			other, err = fieldOf(row, value)
			c.or = append(c.or, other)
		case "and":
			c.and, err = fieldOf(row, value)
		case "with":
			c.with, err = fieldOf(row, value)
		default:
			err = fmt.Errorf("there is no option %q", option)
		}
		if err != nil {
			return c, err
		}
	}
	kind := field.Type.Kind()
	if (c.oneLine || c.state) && kind != reflect.String || c.ago && field.Type != reflect.TypeFor[time.Time]() ||
		c.grouped && (kind < reflect.Int || kind > reflect.Int64) {
		return c, fmt.Errorf("no %s is %s", field.Type, strings.Join(options[1:], ","))
	}
	c.Right = number(kind) && !strings.ContainsAny(c.format[:min(1, len(c.format))], letters)
	return c, nil
}

func fieldOf(row reflect.Type, name string) ([]int, error) {
	field, ok := row.FieldByName(name)
	if !ok || !field.IsExported() {
		return nil, fmt.Errorf("there is no field %q", name)
	}
	return field.Index, nil
}
