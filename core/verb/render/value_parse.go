package render

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// fewMembers is up to where looking through an object's keys beats hashing them.
const fewMembers = 16

// parser reads what encoding/json wrote of a value into the document model. That is valid, compact and within the
// limits; a parser that had to doubt it would be three times as long.
type parser struct {
	data []byte
	pos  int
	keys map[string]string
	err  error
}

func parse(data []byte) (any, error) {
	p := parser{data: data, keys: map[string]string{}}
	v := p.value()
	return v, p.err
}

func (p *parser) value() any {
	switch p.data[p.pos] {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.unquote(p.quoted())
	case 't':
		p.pos += len("true")
		return true
	case 'f':
		p.pos += len("false")
		return false
	case 'n':
		p.pos += len("null")
		return nil
	}
	return p.number()
}

func (p *parser) array() []any {
	items := []any{}
	for p.pos++; p.data[p.pos] != ']'; p.comma() {
		items = append(items, p.value())
	}
	p.pos++
	return items
}

func (p *parser) object() Object {
	members := Object{}
	for p.pos++; p.data[p.pos] != '}'; p.comma() {
		key := p.key()
		members = append(members, Member{key, p.value()})
	}
	p.pos++
	return distinct(members)
}

func (p *parser) number() json.Number {
	start := p.pos
	for p.pos < len(p.data) && p.data[p.pos] != ',' && p.data[p.pos] != ']' && p.data[p.pos] != '}' {
		p.pos++
	}
	return json.Number(p.data[start:p.pos])
}

func (p *parser) comma() {
	if p.data[p.pos] == ',' {
		p.pos++
	}
}

// key reads a key and its colon. Rows repeat their keys, so equal ones share their bytes.
func (p *parser) key() string {
	raw := p.quoted()
	p.pos += len(":")
	if key, ok := p.keys[string(raw)]; ok {
		return key
	}
	key := p.unquote(raw)
	p.keys[string(raw)] = key
	return key
}

// quoted takes a string with its quotes.
func (p *parser) quoted() []byte {
	start := p.pos
	p.pos += quotedLength(p.data[start:])
	return p.data[start:p.pos]
}

func (p *parser) unquote(raw []byte) string {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		p.err = err
	}
	return s
}

// distinct lets the last value of a repeated key take the first one's place.
func distinct(o Object) Object {
	if len(o) <= fewMembers && !repeats(o) {
		return o
	}
	kept := o[:0]
	places := make(map[string]int, len(o))
	for _, m := range o {
		if i, ok := places[m.Key]; ok {
			kept[i].Value = m.Value
			continue
		}
		places[m.Key] = len(kept)
		kept = append(kept, m)
	}
	return kept
}

func repeats(o Object) bool {
	for i := range o {
		for j := range i {
			if o[i].Key == o[j].Key {
				return true
			}
		}
	}
	return false
}
