package bead

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Fault is a line that could not be parsed.
type Fault struct {
	File string
	// Line counts from 1.
	Line int
	Why  string
}

// longestLine is how large one item may be.
const longestLine = 16 << 20

// The lines that version control leaves where two sides changed the same place.
var conflictMarks = [][]byte{[]byte("<<<<<<<"), []byte("|||||||"), []byte("======="), []byte(">>>>>>>")}

// decodeLine reads one line. It returns no item for blank lines and for records
// of other things, and why where the line is broken.
func decodeLine(line []byte) (item *Item, why string) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil, ""
	case len(line) > longestLine:
		return nil, "the line is longer than " + strconv.Itoa(longestLine>>20) + " MiB"
	}
	for _, mark := range conflictMarks {
		if bytes.HasPrefix(line, mark) {
			return nil, "a merge conflict was left here"
		}
	}
	var raw record
	err := json.Unmarshal(line, &raw)
	// A field of another type than usual spoils itself, not the item.
	if mistyped := new(json.UnmarshalTypeError); err != nil && (!errors.As(err, &mistyped) || mistyped.Field == "") {
		return nil, err.Error()
	}
	switch {
	case raw.Sort != "" && raw.Sort != "issue":
		return nil, ""
	case raw.ID == "":
		return nil, "the item has no id"
	}
	return raw.item(), ""
}

// record is an item as files hold it.
type record struct {
	Sort        string     `json:"_type"`
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Design      string     `json:"design"`
	Acceptance  string     `json:"acceptance_criteria"`
	Notes       string     `json:"notes"`
	Status      Status     `json:"status"`
	Priority    *priority  `json:"priority"`
	Type        string     `json:"issue_type"`
	Assignee    string     `json:"assignee"`
	Labels      []string   `json:"labels"`
	Links       []linkText `json:"dependencies"`
	Created     moment     `json:"created_at"`
	Updated     moment     `json:"updated_at"`
	Started     moment     `json:"started_at"`
	Closed      moment     `json:"closed_at"`
	CloseReason string     `json:"close_reason"`
	Until       moment     `json:"defer_until"`
}

func (r *record) item() *Item {
	item := &Item{
		Brief:   Brief{r.ID, r.Title, r.Status, usualPriority, r.Type, r.Assignee},
		Details: Details{r.Description, r.Design, r.Acceptance, r.Notes, r.CloseReason}, Labels: r.Labels,
		Created: time.Time(r.Created), Updated: time.Time(r.Updated), Started: time.Time(r.Started),
		Closed: time.Time(r.Closed), Until: time.Time(r.Until),
	}
	if r.Priority != nil {
		item.Priority = int(*r.Priority)
	}
	item.Status = cmp.Or(item.Status, Open)
	if item.Type == "" {
		item.Type = "task"
	}
	for _, link := range r.Links {
		if to := link.to(); to != "" {
			item.Links = append(item.Links, Link{To: to, Kind: link.kind()})
		}
	}
	return item
}

// priority is a number, or a text such as 1 or P1.
type priority int

// UnmarshalJSON never fails: what it cannot read is the usual priority.
func (p *priority) UnmarshalJSON(data []byte) error {
	text := strings.TrimLeft(strings.Trim(string(data), `"`), "Pp")
	n, err := strconv.Atoi(text)
	if err != nil {
		n = usualPriority
	}
	*p = priority(min(max(n, 0), LeastUrgent))
	return nil
}

// moment is a time.
type moment time.Time

// UnmarshalJSON never fails: what it cannot read is the zero time.
func (m *moment) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			*m = moment(at.UTC())
			break
		}
	}
	return nil
}

// linkText is a link as files and tools write it: an object, or a bare id.
type linkText struct {
	DependsOn string `json:"depends_on_id"`
	ID        string `json:"id"`
	Type      Kind   `json:"type"`
	DepType   Kind   `json:"dep_type"`
	LongType  Kind   `json:"dependency_type"`
}

// UnmarshalJSON never fails: what it cannot read is a link to nothing.
func (l *linkText) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		if err := json.Unmarshal(data, &l.ID); err != nil {
			l.ID = ""
		}
		return nil
	}
	type plain linkText
	var p plain
	if err := json.Unmarshal(data, &p); err == nil {
		*l = linkText(p)
	}
	return nil
}

func (l *linkText) to() string {
	if l.DependsOn != "" {
		return l.DependsOn
	}
	return l.ID
}

func (l *linkText) kind() Kind {
	switch {
	case l.Type != "":
		return l.Type
	case l.DepType != "":
		return l.DepType
	case l.LongType != "":
		return l.LongType
	}
	return Blocks
}
