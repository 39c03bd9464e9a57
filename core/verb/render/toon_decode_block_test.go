package render

import "strings"

func (d *decoder) object(depth int) (any, error) {
	o := Object{}
	err := d.fields(&o, depth)
	return o, err
}

// fields reads the members of an object at depth.
func (d *decoder) fields(o *Object, depth int) error {
	for {
		ok, err := d.at(depth)
		if err != nil || !ok {
			return err
		}
		text, err := d.take()
		if err != nil {
			return err
		}
		if err := d.field(o, text, depth); err != nil {
			return err
		}
	}
}

// field reads the member that begins with text at depth.
func (d *decoder) field(o *Object, text string, depth int) error {
	h, rest, ok, err := d.header(text)
	if err != nil {
		return err
	}
	if ok && h.key == nil {
		if d.strict {
			return d.fail("array without a key")
		}
		ok = false
	}
	if ok {
		v, err := d.body(h, rest, depth)
		if err != nil {
			return err
		}
		return d.set(o, *h.key, v)
	}
	colon := outsideQuotes(text, ':')
	if colon < 0 {
		return d.fail("no colon in %q", text)
	}
	key, err := d.key(strings.Trim(text[:colon], " "))
	if err != nil {
		return err
	}
	v, err := d.fieldValue(strings.Trim(text[colon+1:], " "), depth)
	if err != nil {
		return err
	}
	return d.set(o, key, v)
}

func (d *decoder) fieldValue(text string, depth int) (any, error) {
	switch {
	case text == "[]":
		return []any{}, nil
	case text != "":
		return d.scalar(text)
	}
	inner := depth + 1
	if !d.strict && d.pos < len(d.lines) {
		inner = max(inner, d.lines[d.pos].depth)
	}
	if d.pos < len(d.lines) && d.lines[d.pos].depth > depth {
		return d.object(inner)
	}
	return Object{}, nil
}

func (d *decoder) set(o *Object, key string, v any) error {
	if _, ok := o.Get(key); ok && d.strict {
		return d.fail("key %q twice", key)
	}
	o.Set(key, v)
	return nil
}

// body reads what belongs to a header at depth.
func (d *decoder) body(h toonHeader, rest string, depth int) (any, error) {
	rest = strings.Trim(rest, " ")
	switch {
	case h.keyed:
		return d.entries(h, depth+1)
	case h.fields != nil:
		return d.rows(h, depth+1)
	case rest == "":
		return d.items(h, depth+1)
	}
	cells := splitCells(rest, h.delimiter)
	items := make([]any, len(cells))
	for i, cell := range cells {
		var err error
		if items[i], err = d.scalar(cell); err != nil {
			return nil, err
		}
	}
	return items, d.count(h, len(items))
}

func (d *decoder) count(h toonHeader, got int) error {
	if d.strict && got != h.length {
		return d.fail("%d items where %d are announced", got, h.length)
	}
	return nil
}

// scope runs read for every line at depth until it says that the scope has ended, and returns how many there were.
func (d *decoder) scope(depth int, read func() (bool, error)) (int, error) {
	n := 0
	defer func() { d.spans -= min(n, 1) }()
	for {
		ok, err := d.at(depth)
		if err != nil || !ok {
			return n, err
		}
		if ok, err = read(); err != nil || !ok {
			return n, err
		}
		n++
	}
}

// begin takes the line of an item; the first of a scope opens its span.
func (d *decoder) begin(first bool) (string, error) {
	text, err := d.take()
	if err == nil && first {
		d.spans++
	}
	return text, err
}

func (d *decoder) items(h toonHeader, depth int) (any, error) {
	items := []any{}
	n, err := d.scope(depth, func() (bool, error) {
		text := d.lines[d.pos].text
		if text != "-" && !strings.HasPrefix(text, "- ") {
			return false, nil
		}
		text, err := d.begin(len(items) == 0)
		if err != nil {
			return false, err
		}
		items = append(items, nil)
		items[len(items)-1], err = d.item(strings.Trim(text[1:], " "), depth)
		return true, err
	})
	if err != nil {
		return nil, err
	}
	return items, d.count(h, n)
}

// item reads what follows the hyphen of a list item at depth.
func (d *decoder) item(text string, depth int) (any, error) {
	switch text {
	case "":
		return Object{}, nil
	case "[]":
		return []any{}, nil
	}
	h, rest, ok, err := d.header(text)
	if err != nil {
		return nil, err
	}
	if ok && h.key == nil && h.fields == nil {
		return d.body(h, rest, depth)
	}
	if ok && h.key == nil && d.strict {
		return nil, d.fail("table without a key")
	}
	if !ok && outsideQuotes(text, ':') < 0 {
		return d.scalar(text)
	}
	o := Object{}
	if err := d.field(&o, text, depth+1); err != nil {
		return nil, err
	}
	err = d.fields(&o, depth+1)
	return o, err
}

func (d *decoder) rows(h toonHeader, depth int) (any, error) {
	rows := []any{}
	n, err := d.scope(depth, func() (bool, error) {
		text := d.lines[d.pos].text
		colon, delimiter := outsideQuotes(text, ':'), outsideQuotes(text, h.delimiter)
		if colon >= 0 && (delimiter < 0 || colon < delimiter) {
			return false, nil
		}
		text, err := d.begin(len(rows) == 0)
		if err != nil {
			return false, err
		}
		row, err := d.row(h, splitCells(text, h.delimiter))
		rows = append(rows, row)
		return true, err
	})
	if err != nil {
		return nil, err
	}
	return rows, d.count(h, n)
}

func (d *decoder) entries(h toonHeader, depth int) (any, error) {
	o := Object{}
	first := true
	n, err := d.scope(depth, func() (bool, error) {
		text, err := d.begin(first)
		if err != nil {
			return false, err
		}
		first = false
		colon := outsideQuotes(text, ':')
		if colon < 0 {
			return true, d.fail("no colon in %q", text)
		}
		key, err := d.key(strings.Trim(text[:colon], " "))
		if err != nil {
			return true, err
		}
		var cells []string
		if rest := strings.Trim(text[colon+1:], " "); rest != "" {
			cells = splitCells(rest, h.delimiter)
		}
		row, err := d.row(h, cells)
		if err != nil {
			return true, err
		}
		return true, d.set(&o, key, row)
	})
	if err != nil {
		return nil, err
	}
	return o, d.count(h, n)
}

// row builds the object of a row from its cells.
func (d *decoder) row(h toonHeader, cells []string) (Object, error) {
	if d.strict && len(cells) != leaves(h.fields) {
		return nil, d.fail("%d cells for %d columns", len(cells), leaves(h.fields))
	}
	o, _, err := d.group(h.fields, cells)
	return o, err
}

func (d *decoder) group(fields []toonField, cells []string) (Object, []string, error) {
	o := Object{}
	for _, f := range fields {
		if f.group != nil {
			var inner Object
			var err error
			if inner, cells, err = d.group(f.group, cells); err != nil {
				return nil, nil, err
			}
			o.Set(f.name, inner)
			continue
		}
		if len(cells) == 0 {
			continue
		}
		v, err := d.scalar(cells[0])
		if err != nil {
			return nil, nil, err
		}
		cells = cells[1:]
		o.Set(f.name, v)
	}
	return o, cells, nil
}

func leaves(fields []toonField) int {
	n := 0
	for _, f := range fields {
		n += max(1, leaves(f.group))
	}
	return n
}
