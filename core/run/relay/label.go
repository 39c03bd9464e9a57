package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/run/relay/stream"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
	"cupola/core/text/near"
	"cupola/core/text/secret"
)

// Turn is one prompt of a conversation and its answer.
type Turn struct {
	Prompt string `json:"prompt"`
	Answer string `json:"answer_text"`
}

// size is its part of a backend's input, in bytes.
func (t *Turn) size() int { return len(t.Prompt) + len(t.Answer) + len("User: \n\nAssistant: \n\n") }

// transcript writes turns for backends that have no messages.
func transcript(turns []Turn) string {
	lines := []string{"The conversation until now:"}
	for _, turn := range turns {
		lines = append(lines, "", "User: "+turn.Prompt, "", "Assistant: "+turn.Answer)
	}
	return strings.Join(lines, "\n")
}

// Conversation is the state that continues under a label, with the backend that answered last. Its launch is repeated
// with every prompt, for backends forget it.
type Conversation struct {
	Label   string  `json:"label"`
	Backend string  `json:"backend"`
	Dir     string  `json:"dir"`
	Model   string  `json:"model,omitempty"`
	Sandbox Sandbox `json:"sandbox"`
	// By is how the backend is asked, where it is not asked as usual.
	By By `json:"by,omitempty"`
	// Session is the backend's own id; empty where the turns are sent again instead.
	Session string `json:"backend_session,omitempty"`
	// Used is the usage of all of it, for a backend that reports it for the whole conversation.
	Used *stream.Usage `json:"used,omitempty"`
	// Count is how many prompts were answered, Turns the last of them.
	Count    int       `json:"count"`
	Turns    []Turn    `json:"turns"`
	Created  time.Time `json:"created_at"`
	LastUsed time.Time `json:"last_used_at"`
}

// The limits of what is kept of conversations: how many, and how many turns of each.
const (
	keepConversations = 100
	keepTurns         = 40
)

// The files of the conversations.
const (
	labelsFile = "labels.json"
	labelsLock = "labels.lock"
	// labelsWait is how long another process may hold the lock, which it does for one write.
	labelsWait = 5 * time.Second
)

// Labels are the conversations that continue. Warn, if not nil, hears of a file that is damaged.
type Labels struct {
	Dir  string
	Warn func(string)
}

var labelForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w[\w.-]{0,63}$`) })

// All returns the conversations, those used last first.
func (l Labels) All() ([]Conversation, error) {
	path := filepath.Join(l.Dir, labelsFile)
	text, err := plainfile.Read(path, plainfile.Record)
	if errors.Is(err, fs.ErrNotExist) {
		return []Conversation{}, nil
	}
	if err != nil {
		return nil, core.FileError("read the labels", err)
	}
	all := []Conversation{}
	if err := json.Unmarshal(text, &all); err != nil {
		aside := fmt.Sprintf("%s.corrupt-%d", path, time.Now().Unix())
		if os.Rename(path, aside) == nil && l.Warn != nil {
			l.Warn("the labels could not be read, and were moved to " + aside)
		}
		return []Conversation{}, nil
	}
	slices.SortStableFunc(all, func(a, b Conversation) int { return b.LastUsed.Compare(a.LastUsed) })
	return all, nil
}

// Find returns the conversation with a label; nil if there is none.
func (l Labels) Find(label string) (*Conversation, error) {
	if !labelForm().MatchString(label) {
		return nil, core.Errorf(core.InvalidInput, "%q is no label: letters, digits, _, . and - make one, 64 at most",
			label)
	}
	all, err := l.All()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(c Conversation) bool { return c.Label == label }); i >= 0 {
		return &all[i], nil
	}
	return nil, nil
}

// Remove removes conversations; ThreadNotFound, with the near miss, if one is not there.
func (l Labels) Remove(ctx context.Context, labels ...string) error {
	return l.change(ctx, func(all []Conversation) ([]Conversation, error) {
		for _, label := range labels {
			i := slices.IndexFunc(all, func(c Conversation) bool { return c.Label == label })
			if i < 0 {
				words := core.Map(all, func(c Conversation) string { return c.Label })
				return nil, &core.Error{
					Code: core.ThreadNotFound, Message: fmt.Sprintf("no conversation has the label %q", label),
					Suggestions: near.Words(label, words), Slip: core.Slip{Word: label},
				}
			}
			all = slices.Delete(all, i, i+1)
		}
		return all, nil
	})
}

// save records that a relay of a conversation was answered. Used is the usage until now as the backend reports it.
func (l Labels) save(
	ctx context.Context, p *Plan, asked string, result *Result, used *stream.Usage, now time.Time,
) error {
	return l.change(ctx, func(all []Conversation) ([]Conversation, error) {
		i := slices.IndexFunc(all, func(c Conversation) bool { return c.Label == p.Label })
		if i < 0 {
			all = append(all, Conversation{Label: p.Label, Created: now.UTC(), Turns: []Turn{}})
			i = len(all) - 1
		}
		c := &all[i]
		if c.Backend != p.Backend || c.By != p.By {
			c.Session, c.Used = "", nil // those of the former backend
		}
		c.Backend, c.Dir, c.Model, c.Sandbox, c.LastUsed = p.Backend, p.Dir, p.Model, p.Sandbox, now.UTC()
		c.By = p.By
		if p.backend.Continues() {
			c.Session = cmp.Or(result.Session, c.Session)
			if p.backend.totals() {
				c.Used = used
			}
		}
		c.Count++
		c.Turns = append(c.Turns, Turn{secret.Mask(asked), secret.Mask(result.Text)})
		c.Turns = c.Turns[max(0, len(c.Turns)-keepTurns):]
		slices.SortStableFunc(all, func(a, b Conversation) int { return b.LastUsed.Compare(a.LastUsed) })
		return all[:min(len(all), keepConversations)], nil
	})
}

// change replaces the conversations, whole or not at all.
func (l Labels) change(ctx context.Context, edit func([]Conversation) ([]Conversation, error)) error {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return core.FileError("make the folder of the relays", err)
	}
	ctx, stop := context.WithTimeout(ctx, labelsWait)
	defer stop()
	lock := flock.New(filepath.Join(l.Dir, labelsLock), flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK),
		flock.SetPermissions(0o600))
	taken, err := lock.TryLockContext(ctx, labelsWait/100)
	if !taken {
		return core.Errorf(core.IOError, "lock the labels: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	all, err := l.All()
	if err == nil {
		all, err = edit(all)
	}
	if err != nil {
		return err
	}
	if err := textfile.WriteJSON(filepath.Join(l.Dir, labelsFile), all); err != nil {
		return core.FileError("write the labels", err)
	}
	return nil
}

// continues makes a request that has a label continue its conversation. The values of the request itself win, but for
// the directory and the sandbox mode, which a conversation keeps. Another backend, or the same one asked in another
// way, gets the last turns; so does one that does not resume.
func (c *Conversation) continues(request *Request, resumes func(backend string, by By) (bool, error)) error {
	moves := request.Backend != "" && request.Backend != c.Backend || request.By != "" && request.By != c.By
	if !moves {
		request.Backend, request.By = c.Backend, c.By
		request.Model = cmp.Or(request.Model, c.Model)
	}
	request.Backend = cmp.Or(request.Backend, c.Backend)
	if request.Sandbox != "" && request.Sandbox != c.Sandbox {
		return &core.Error{
			Code: core.Conflict,
			Message: fmt.Sprintf("the conversation %s may do what %s allows, and cannot continue with %s", c.Label,
				c.Sandbox, request.Sandbox),
			Hint: "Take another label for another sandbox mode.", Remedies: []core.Remedy{core.RemedyListLabels},
		}
	}
	request.Sandbox = c.Sandbox
	request.Dir = cmp.Or(request.Dir, c.Dir)
	if request.Dir != c.Dir {
		return &core.Error{
			Code: core.Conflict,
			Message: fmt.Sprintf("the conversation %s is about %s, and cannot continue in %s", c.Label, c.Dir,
				request.Dir),
			Hint: "Take another label for another directory.", Remedies: []core.Remedy{core.RemedyListLabels},
		}
	}
	resumed, err := resumes(request.Backend, request.By)
	if resumed && !moves && c.Session != "" {
		request.Session, request.Before = c.Session, c.Used
	} else {
		request.History = c.Turns
	}
	return err
}
