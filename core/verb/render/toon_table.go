package render

// toonTable is TOON's form of objects that all have the same keys: the keys once, then a row of scalars for each.
type toonTable struct {
	fields []toonField
	// columns hold the cells, one slice for each field without a group, in the order of the header.
	columns [][]any
	height  int
}

// toonField is a column of a table, or a group of columns if its values are objects.
type toonField struct {
	name  string
	group []toonField
}

// rowTable returns the table of an array's items, and false where TOON has none for them.
func rowTable(items []any) (toonTable, bool) {
	rows, ok := objects(len(items), func(i int) any { return items[i] })
	if !ok {
		return toonTable{}, false
	}
	return tabulate(rows)
}

// entryTable is [rowTable] for the values of an object, whose keys become the first cell.
func entryTable(o Object) (toonTable, bool) {
	if len(o) < 2 {
		return toonTable{}, false
	}
	rows, ok := objects(len(o), func(i int) any { return o[i].Value })
	if !ok {
		return toonTable{}, false
	}
	return tabulate(rows)
}

func tabulate(rows []Object) (toonTable, bool) {
	t := toonTable{height: len(rows)}
	var ok bool
	t.fields, ok = t.add(rows)
	return t, ok
}

// add appends the columns of rows to the table and returns their fields.
func (t *toonTable) add(rows []Object) ([]toonField, bool) {
	if !align(rows) {
		return nil, false
	}
	fields := make([]toonField, len(rows[0]))
	for i := range fields {
		fields[i].name = rows[0][i].Key
		at := func(row int) any { return rows[row][i].Value }
		if column, ok := scalars(len(rows), at); ok {
			t.columns = append(t.columns, column)
			continue
		}
		inner, ok := objects(len(rows), at)
		if !ok {
			return nil, false
		}
		if fields[i].group, ok = t.add(inner); !ok {
			return nil, false
		}
	}
	return fields, true
}

// align brings the members of every row into the order of the first. It is false if the keys differ or there are none.
func align(rows []Object) bool {
	first := rows[0]
	if len(first) == 0 {
		return false
	}
	var places map[string]int
	for r, row := range rows {
		if len(row) != len(first) {
			return false
		}
		if sameOrder(row, first) {
			continue
		}
		if places == nil {
			places = make(map[string]int, len(first))
			for i, m := range first {
				places[m.Key] = i
			}
		}
		aligned := make(Object, len(first))
		for _, m := range row {
			i, ok := places[m.Key]
			if !ok {
				return false
			}
			aligned[i] = m
		}
		rows[r] = aligned
	}
	return true
}

func sameOrder(a, b Object) bool {
	for i := range a {
		if a[i].Key != b[i].Key {
			return false
		}
	}
	return true
}

// objects gathers n values if all of them are objects.
func objects(n int, at func(int) any) ([]Object, bool) {
	var rows []Object
	for i := range n {
		row, ok := at(i).(Object)
		if !ok {
			return nil, false
		}
		if rows == nil {
			rows = make([]Object, 0, n)
		}
		rows = append(rows, row)
	}
	return rows, n > 0
}

// scalars gathers n values if all of them are scalars.
func scalars(n int, at func(int) any) ([]any, bool) {
	if !isScalar(at(0)) {
		return nil, false
	}
	column := make([]any, n)
	for i := range n {
		if column[i] = at(i); !isScalar(column[i]) {
			return nil, false
		}
	}
	return column, true
}

// rows writes the table of an array: header, then a line for each row.
func (e *toonEncoder) rows(t toonTable, depth int) {
	e.length(t.height, "")
	e.header(t.fields)
	e.text(":")
	for r := range t.height {
		e.line(depth + 1)
		if e.full {
			return
		}
		e.row(t, r)
	}
}

// entries writes the table of an object: header, then a line for each member.
func (e *toonEncoder) entries(o Object, t toonTable, depth int) {
	e.length(t.height, ":")
	e.header(t.fields)
	e.text(":")
	for r, m := range o {
		e.line(depth + 1)
		if e.full {
			return
		}
		e.key(m.Key)
		e.text(": ")
		e.row(t, r)
	}
}

func (e *toonEncoder) row(t toonTable, r int) {
	for i, column := range t.columns {
		e.cell(column[r], i)
	}
}

func (e *toonEncoder) header(fields []toonField) {
	for i, f := range fields {
		if i == 0 {
			e.text("{")
		} else {
			e.out = append(e.out, ',')
		}
		e.key(f.name)
		if f.group != nil {
			e.header(f.group)
		}
	}
	e.text("}")
}
