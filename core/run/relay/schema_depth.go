package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// mostNested is how deep a schema may be nested, its references included, without going deeper
// into the value that it judges.
const mostNested = 100

// errRefers is why a schema is refused whose references cannot be followed here.
var errRefers = errors.New("its references must lead to places in the file, as #/$defs/name does")

// inPlace are the keywords whose schemas judge the same value.
var inPlace = map[string]bool{
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"dependentSchemas": true, "dependencies": true,
}

// checkDepthOf returns an error for a schema that would be judged without end, because a reference
// leads back to it for the same value, or that is nested too deep.
func checkDepthOf(text json.RawMessage) error {
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		return err
	}
	c := &schemaCheck{root: root, open: map[string]bool{}, done: map[string]bool{}}
	return c.every(root, "#", 0)
}

// schemaCheck follows the references of a schema.
type schemaCheck struct {
	root any
	// open are the places on the way to the one that is looked at, and done those known to be good.
	open, done map[string]bool
}

// Keys are escaped in JSON pointers.
var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// every checks all schemas at and below a place.
func (c *schemaCheck) every(node any, place string, depth int) error {
	if depth > 2*mostNested {
		return fmt.Errorf("it is nested more than %d deep", mostNested)
	}
	switch node := node.(type) {
	case map[string]any:
		if err := c.judge(node, place, 0); err != nil {
			return err
		}
		for key, below := range node {
			if err := c.every(below, place+"/"+escape.Replace(key), depth+1); err != nil {
				return err
			}
		}
	case []any:
		for i, below := range node {
			if err := c.every(below, fmt.Sprintf("%s/%d", place, i), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge follows what judges the same value as the schema at a place.
func (c *schemaCheck) judge(node any, place string, depth int) error {
	schema, is := node.(map[string]any)
	switch {
	case !is || c.done[place]:
		return nil
	case c.open[place]:
		return fmt.Errorf("%s refers to itself for the same value", place)
	case depth > mostNested:
		return fmt.Errorf("it is nested more than %d deep", mostNested)
	}
	c.open[place] = true
	defer delete(c.open, place)
	for key, below := range schema {
		var err error
		switch {
		case key == "$ref":
			if reference, is := below.(string); is {
				err = c.refer(reference, depth)
			}
		case key == "$dynamicRef" || key == "$recursiveRef":
			err = errRefers
		case inPlace[key]:
			err = c.inner(below, place+"/"+key, depth+1)
		}
		if err != nil {
			return err
		}
	}
	c.done[place] = true
	return nil
}

// inner judges a schema, or each of a list or a map of them.
func (c *schemaCheck) inner(node any, place string, depth int) error {
	if list, is := node.([]any); is {
		for i, each := range list {
			if err := c.judge(each, fmt.Sprintf("%s/%d", place, i), depth); err != nil {
				return err
			}
		}
		return nil
	}
	if each, is := node.(map[string]any); is && strings.Contains(place[strings.LastIndex(place, "/"):], "depend") {
		for key, below := range each {
			if err := c.judge(below, place+"/"+escape.Replace(key), depth); err != nil {
				return err
			}
		}
		return nil
	}
	return c.judge(node, place, depth)
}

// refer judges the schema at a reference, which must be a JSON pointer.
func (c *schemaCheck) refer(reference string, depth int) error {
	pointer, local := strings.CutPrefix(reference, "#")
	if !local || pointer != "" && pointer[0] != '/' {
		return errRefers
	}
	node := c.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		part = unescape.Replace(part)
		switch at := node.(type) {
		case map[string]any:
			node = at[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(at) {
				return nil // resolving says what is wrong
			}
			node = at[i]
		default:
			return nil
		}
	}
	return c.judge(node, "#"+pointer, depth+1)
}
