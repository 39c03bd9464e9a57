package wire

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cupola/core"
	"cupola/core/engine"
)

// Hello is the first message of both sides.
type Hello struct {
	// Version and Oldest are the versions of the protocol that are spoken.
	Version int `json:"version"`
	Oldest  int `json:"oldest"`
	// Program is the version of the program, and PID the process.
	Program string `json:"program"`
	PID     int    `json:"pid"`
	// Build distinguishes builds of the same version.
	Build string `json:"build,omitempty"`
	// Started is when the server started; Panes how many panes it has. Clients leave them out.
	Started time.Time `json:"started,omitzero"`
	Panes   int       `json:"panes,omitempty"`
	// Note is a message about the server for users; empty for none.
	Note string `json:"note,omitempty"`
}

// Op is the operation that a request asks for.
type Op string

// The operations. Those of the engine have the names of its methods.
const (
	List        Op = "list"
	Capture     Op = "capture"
	Create      Op = "create"
	Respawn     Op = "respawn"
	Paste       Op = "paste"
	Press       Op = "press"
	KillPane    Op = "kill-pane"
	KillSession Op = "kill-session"
	Rename      Op = "rename"
	Resize      Op = "resize"
	Tag         Op = "tag"
	Watch       Op = "watch"   // starts Changes; the reply comes first
	Focus       Op = "focus"   // on a connection that watches; it has no reply
	Attach      Op = "attach"  // starts Output and Input; the reply comes first
	Size        Op = "size"    // on a connection that is attached; it has no reply
	Upgrade     Op = "upgrade" // replaces the server's program by the one at Path
	Shutdown    Op = "shutdown"
)

// Request asks the server for something. Each Op has fields of its own; the others are empty.
type Request struct {
	Op      Op             `json:"op"`
	Pane    core.PaneID    `json:"pane,omitempty"`
	Session core.SessionID `json:"session,omitempty"`
	Name    string         `json:"name,omitempty"`
	Detail  engine.Detail  `json:"detail,omitempty"`
	Asks    []engine.Ask   `json:"asks,omitempty"`
	Launch  *engine.Launch `json:"launch,omitempty"`
	Text    []byte         `json:"text,omitempty"`
	Keys    []string       `json:"keys,omitempty"`
	Width   int            `json:"width,omitempty"`
	Height  int            `json:"height,omitempty"`
	Tags    []engine.Tag   `json:"tags,omitempty"`
	Focus   *engine.Focus  `json:"focus,omitempty"`
	Path    string         `json:"path,omitempty"`
	// Environ is the environment of who creates.
	Environ []string `json:"environ,omitempty"`
}

// Reply answers a request. Fault is nil if it was done.
type Reply struct {
	Fault   *Fault           `json:"fault,omitempty"`
	Listing *engine.Listing  `json:"listing,omitempty"`
	Screens []core.Screen    `json:"screens,omitempty"`
	Place   *engine.Location `json:"place,omitempty"`
}

// Change is a set of changes for a watching client.
type Change struct {
	// Listing is the whole of it if Structural; otherwise it has the panes that changed, without programs.
	Listing    engine.Listing `json:"listing"`
	Structural bool           `json:"structural,omitempty"`
	Dirty      []core.PaneID  `json:"dirty,omitempty"`
	Said       []engine.Said  `json:"said,omitempty"`
}

// Fault is an error on its way.
type Fault struct {
	// Kind names a sentinel of the engine; empty for none.
	Kind string `json:"kind,omitempty"`
	Text string `json:"text"`
}

// ErrEnding means that the server has lost its last session and takes no more requests.
var ErrEnding = errors.New("the terminal server is ending")

// ErrUpgrading means that the server is about to run another program in its place, and did nothing of what was asked.
var ErrUpgrading = errors.New("the terminal server is being upgraded")

var kinds = map[string]error{
	"ending":    ErrEnding,
	"upgrading": ErrUpgrading,
	"session":   engine.ErrNoSession,
	"window":    engine.ErrNoWindow,
	"pane":      engine.ErrNoPane,
	"dead":      engine.ErrDead,
	"duplicate": engine.ErrDuplicate,
	"space":     engine.ErrNoSpace,
	"key":       engine.ErrBadKey,
	"limit":     engine.ErrLimit,
}

// FaultOf is an error as it is sent; nil for none.
func FaultOf(err error) *Fault {
	if err == nil {
		return nil
	}
	for kind, sentinel := range kinds {
		if errors.Is(err, sentinel) {
			return &Fault{kind, err.Error()}
		}
	}
	return &Fault{Text: err.Error()}
}

// Err is a fault as an error that wraps the sentinel which it was made of.
func (f *Fault) Err() error {
	if f == nil {
		return nil
	}
	return &fault{f.Text, kinds[f.Kind]}
}

type fault struct {
	text string
	kind error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

// packed begins a text that is no UTF-8 and was therefore encoded. JSON would change it.
const packed = "\x00base64:"

// Pack returns a text in a form that JSON keeps, whatever bytes are in it.
func Pack(text string) string {
	if utf8.ValidString(text) && !strings.HasPrefix(text, packed) {
		return text
	}
	return packed + base64.StdEncoding.EncodeToString([]byte(text))
}

// Unpack returns the text that Pack was given.
func Unpack(text string) string {
	encoded, is := strings.CutPrefix(text, packed)
	if !is {
		return text
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return text
	}
	return string(decoded)
}

// PackLaunch packs, and UnpackLaunch unpacks, all texts of a launch that can hold any bytes.
func PackLaunch(launch engine.Launch) engine.Launch { return mapLaunch(launch, Pack) }

// UnpackLaunch is the inverse of PackLaunch.
func UnpackLaunch(launch engine.Launch) engine.Launch { return mapLaunch(launch, Unpack) }

func mapLaunch(launch engine.Launch, each func(string) string) engine.Launch {
	launch.Session, launch.Window, launch.Dir = each(launch.Session), each(launch.Window), each(launch.Dir)
	launch.Argv, launch.Env = core.Map(launch.Argv, each), core.Map(launch.Env, each)
	launch.Tags, launch.SessionTags = MapTags(launch.Tags, each), MapTags(launch.SessionTags, each)
	return launch
}

// MapTags applies Pack or Unpack to the values of tags.
func MapTags(tags map[string]string, each func(string) string) map[string]string {
	mapped := make(map[string]string, len(tags))
	for name, value := range tags {
		mapped[name] = each(value)
	}
	return mapped
}

// MapListing applies Pack or Unpack to all texts of a listing that can hold any bytes. The listing itself stays as
// it is.
func MapListing(l engine.Listing, each func(string) string) engine.Listing {
	sessions := make([]engine.Session, len(l.Sessions))
	for i, s := range l.Sessions {
		s.Name, s.Dir, s.Tags = each(s.Name), each(s.Dir), MapTags(s.Tags, each)
		sessions[i] = s
	}
	panes := make([]engine.Pane, len(l.Panes))
	for i, p := range l.Panes {
		p.Window.Name, p.Tags = each(p.Window.Name), MapTags(p.Tags, each)
		p.Process.Command, p.Process.Dir = each(p.Process.Command), each(p.Process.Dir)
		panes[i] = p
	}
	l.Sessions, l.Panes = sessions, panes
	return l
}

// ParseRequest reads the body of a RequestFrame.
func ParseRequest(body []byte) (request Request, err error) {
	if err := json.Unmarshal(body, &request); err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return request, nil
}

// ParseChange reads the body of a ChangeFrame.
func ParseChange(body []byte) (change Change, err error) {
	if err := json.Unmarshal(body, &change); err != nil {
		return Change{}, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return change, nil
}

// FaultText returns the text of the fault in the body of a ReplyFrame; empty if it has none.
func FaultText(body []byte) string {
	var reply Reply
	if json.Unmarshal(body, &reply) != nil || reply.Fault == nil {
		return ""
	}
	return reply.Fault.Text
}
