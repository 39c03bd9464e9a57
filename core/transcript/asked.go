package transcript

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"cupola/core/agent"
)

// askedMost bounds how many prompts identify the owner of a record.
const askedMost = 20

// asked are prompts, the newest first, as all agents write them.
type asked []string

// asked returns the prompts that the agent is known to have been given.
func (p *Place) asked() asked {
	if p.Asked == nil {
		return nil
	}
	var list asked
	for _, prompt := range p.Asked() {
		if plain := agent.Squeeze(prompt); plain != "" && len(list) < askedMost {
			list = append(list, plain)
		}
	}
	return list
}

// only returns the record that holds most of the prompts, and whether no other one holds
// as many; a negative number where none holds any. What was said in a record may be told
// by more than the prompt: agents put files behind it.
func (a asked) only(records []string, said func(record string) []string) (index int, one bool) {
	best, index := 0, -1
	for i, record := range records {
		if len(a) == 0 {
			break
		}
		switch count := a.among(said(record)); {
		case count > best:
			best, index, one = count, i, true
		case count == best:
			one = false
		}
	}
	return index, one
}

// among counts how many of the prompts are among those of a record.
func (a asked) among(prompts []string) (count int) {
	for i := range prompts {
		prompts[i] = agent.Squeeze(prompts[i])
	}
	for _, prompt := range a {
		if slices.ContainsFunc(prompts, func(text string) bool { return tellsOf(text, prompt) }) {
			count++
		}
	}
	return count
}

// tellsOf reports whether a prompt of a record is one that was sent. A short one must be
// all of it.
func tellsOf(text, prompt string) bool {
	const short = 12
	return text == prompt || len(prompt) >= short && strings.Contains(text, prompt)
}

// Tells reports whether a prompt that an agent recorded as text is the prompt that was
// sent.
func Tells(text, prompt string) bool {
	text, prompt = agent.Squeeze(text), agent.Squeeze(prompt)
	return prompt != "" && tellsOf(text, prompt)
}

// promptsOf returns the prompts in the end of a record of lines.
func promptsOf(path string, fresh func() lineReader) (prompts []string) {
	_ = fromEnd(path, time.Time{}, func(text []byte) bool {
		s := fresh()
		for line := range strings.Lines(string(text)) {
			s.line([]byte(line))
		}
		told, _ := s.account()
		prompts = prompts[:0]
		for _, p := range told.prompts {
			prompts = append(prompts, p.text)
		}
		return len(prompts) >= askedMost
	})
	return prompts
}

// opencodePrompts returns the last prompts of a session of OpenCode's.
func opencodePrompts(ctx context.Context, db *sql.DB, session string) ([]string, error) {
	const query = `select p.data from part p join message m on m.id = p.message_id
		where m.session_id = ? and json_extract(m.data, '$.role') = 'user' order by m.time_created desc, p.id limit ?`
	var prompts []string
	var data []byte
	for err := range Query(ctx, db, query, []any{session, 4 * askedMost}, &data) {
		if err != nil {
			return nil, err
		}
		var p opencodePart
		if json.Unmarshal(data, &p) == nil && p.Type == "text" && !p.Synthetic {
			prompts = append(prompts, p.Text)
		}
	}
	return prompts, nil
}
