// Package config reads the settings: defaults, then the user's file, then the project's,
// then the environment; later ones win, and each key records where its value came from. The
// field of a key declares all that is known about the key (see Config). The package knows
// no face. It plans changes of files; callers apply them.
package config

import (
	"reflect"
	"time"

	"cupola/core"
	"cupola/core/agent/sandbox"
	"cupola/core/alert"
	"cupola/core/git/worktree"
	"cupola/core/host"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/story"
)

// Config is the settings. The tags of a field declare its key: its name and section (toml),
// what it does (doc), the values allowed (enum), why a project's file must not set it (guard), and
// what holds while its value is in doubt, if the default may do harm then (safe). Numbers and
// times are 0 or more.
type Config struct {
	Engine   Engine         `toml:"engine"`
	Sessions Sessions       `toml:"sessions"`
	Restore  Restore        `toml:"restore"`
	Store    Store          `toml:"store"`
	Search   Search         `toml:"search"`
	Alerts   Alerts         `toml:"alerts"`
	Notify   Notify         `toml:"notify"`
	Display  Display        `toml:"display"`
	Relay    Relay          `toml:"relay"`
	Crew     crew.Limits    `toml:"crew"`
	Story    story.Settings `toml:"story"`
	// Worktree are the settings of new worktrees of agents.
	Worktree worktree.Settings `toml:"worktree"`
	// Backends are the settings of the backends of relays, by name.
	Backends map[string]Backend `toml:"backends" doc:"What answers relays, by name: the model of a backend, a server of your own with its API, address and key, or a program that speaks a protocol" guard:"it says who gets your prompts and keys"`
	// Prices are the prices of models, by name.
	Prices map[string]Price `toml:"prices" doc:"What models cost, by name, in place of the table that comes with the program: USD for a million tokens" guard:"what agents cost is counted for all projects together"`

	// Profiles are ways to start agents, by name.
	Profiles map[string]Profile `toml:"profile" doc:"Ways to start agents, by name: the kind, its model, mode and arguments, the folder of another account, and variables" guard:"it says which accounts and arguments your agents get"`

	// Commands are the user's own commands of the dashboard, by name.
	Commands map[string]OwnCommand `toml:"commands" doc:"Commands of your own for the selected row of the dashboard, by name: a key, the words to run with fields of the row such as {dir}, or with shell one line for sh, and whether to ask before" guard:"it runs programs"`

	// Sandboxes hold agents to what they say, by name.
	Sandboxes map[string]sandbox.Settings `toml:"sandbox" doc:"Sandboxes, by name: what an agent in it sees and changes, its network and variables, and what holds it; project and offline are built in" guard:"it says what agents may do on this machine"`

	// Hosts are the other machines, by name.
	Hosts map[string]host.Settings `toml:"hosts" doc:"Other machines with a Cupola of their own, by name: the destination for ssh, more arguments of ssh, the program on it, and whether it is disabled" guard:"it says which machines get your prompts"`
	// Bus connects hosts that ssh does not reach.
	Bus host.Bus `toml:"bus"`

	origins map[string]origin
	faults  []*Fault
}

// Engine are the settings of the terminal server.
type Engine struct {
	Kind      string `toml:"kind" enum:"auto,tmux,own" doc:"Which terminal server: tmux, Cupola's own, or tmux where it is there and else Cupola's own" guard:"it says whose terminals are driven"`
	Socket    string `toml:"socket" doc:"Path of a private terminal server's socket; empty uses the usual one of its kind" guard:"it says whose terminals are driven"`
	DetachKey string `toml:"detach_key" doc:"The key that leaves a session of Cupola's own terminal server, such as C-\\ or C-q; empty is C-\\" guard:"it says which keys reach your agents"`
	Clipboard string `toml:"clipboard" enum:"refuse,allow" doc:"Whether programs in sessions of Cupola's own terminal server may set your clipboard while you are attached" guard:"it says who sets your clipboard"`
	Transport string `toml:"transport" enum:"auto,socket,exec" doc:"How to talk to tmux: over its socket, a process per request, or whichever works" guard:"it says how terminals are driven"`
}

// Sessions are the settings of the sessions that are shown, and of limits of agents in them.
type Sessions struct {
	OnLimit     string `toml:"on_limit" enum:"stop,continue" doc:"What agents that are started do when a usage limit or a server error ends their turn: wait for you, or continue by themselves once the limit resets" guard:"it spends without you"`
	HideForeign bool   `toml:"hide_foreign" doc:"Leave out sessions that Cupola did not make, and all that happens in them, unless a command names them"`
}

// The values of Restore.Auto.
const (
	RestoreOffered = "ask"
	RestoreAlways  = "yes"
	RestoreNever   = "no"
)

// Restore says what is kept on record of the sessions that run, and when they come back after their terminal server is
// lost.
type Restore struct {
	Auto   string `toml:"auto" enum:"ask,yes,no" doc:"What the dashboard and spawn do about sessions whose terminal server was lost: offer to start them again, start them again, or nothing" guard:"it starts agents of every project"`
	Record bool   `toml:"record" doc:"Keep on record which sessions run, so that they can be started again after their terminal server is lost" guard:"the record is of every project"`
	Lines  int    `toml:"lines" doc:"How many lines of what a shell shows are kept on record, once a minute and without credentials, to be shown again above it; 0 keeps none" guard:"the record is of every project"`
}

// Store limits the records that are kept; 0 keeps everything.
type Store struct {
	Days    int `toml:"days" doc:"How many days records are kept; 0 keeps all" guard:"the records belong to every project" safe:"0"`
	Prompts int `toml:"prompts" doc:"How many prompts are kept; 0 keeps all" guard:"the records belong to every project" safe:"0"`
	Events  int `toml:"events" doc:"How many events are kept; 0 keeps all" guard:"the records belong to every project" safe:"0"`
}

// Search are the settings of searches in the words of agents.
type Search struct {
	Shows string `toml:"shows" enum:"masked,plain,nothing" doc:"What a search in what agents said shows: credentials masked, all as it is, or nothing, which turns it off" guard:"it says who sees what your agents said" safe:"nothing"`
}

// Age is how long records are kept, those of runs after their end; 0 keeps all.
func (s Store) Age() time.Duration { return time.Duration(s.Days) * 24 * time.Hour }

// Alerts are the limits above which alerts are raised; 0 turns a rule off.
type Alerts struct {
	WaitingCritical time.Duration `toml:"waiting_critical" doc:"How long an agent may wait for the user until that is critical; 0 turns it off" guard:"it says which alerts there are, for every project"`
	Stalled         time.Duration `toml:"stalled" doc:"How long the screen of a working agent may stay unchanged; 0 turns it off" guard:"it says which alerts there are, for every project"`
	Idle            time.Duration `toml:"idle" doc:"How long an agent may be idle; 0 turns it off" guard:"it says which alerts there are, for every project"`
	DiskPercent     int           `toml:"disk_percent" doc:"How many percent of a disk on which sessions work should be free" guard:"it says which alerts there are, for every project"`
	DiskMB          int           `toml:"disk_mb" doc:"How many megabytes of a disk on which sessions work should be free" guard:"it says which alerts there are, for every project"`
}

// Thresholds returns the settings as thresholds of the alert rules.
func (a Alerts) Thresholds() alert.Thresholds {
	return alert.Thresholds{
		WaitingCritical: a.WaitingCritical, Stalled: a.Stalled, Idle: a.Idle, DiskPercent: a.DiskPercent,
		DiskBytes: uint64(a.DiskMB) << 20,
	}
}

// Notify selects how the user is notified of alerts, once as each is raised.
type Notify struct {
	Bell     bool          `toml:"bell" doc:"Ring the terminal's bell in the dashboard" guard:"it decides how the user is notified"`
	Terminal bool          `toml:"terminal" doc:"Let the terminal show a notification of the desktop (OSC 9, 99 or 777), also over ssh" guard:"it decides how the user is notified"`
	Desktop  bool          `toml:"desktop" doc:"Show a notification on the desktop" guard:"it decides how the user is notified"`
	Command  []string      `toml:"command" doc:"A program with its arguments that reads the event as JSON" guard:"it would run without being asked for"`
	Services []string      `toml:"services" doc:"Services that notify you, each KIND:ADDRESS; the kinds are ntfy, slack, discord, telegram, gotify and webhook" guard:"it sends the questions of agents over the network"`
	Severity string        `toml:"severity" enum:"critical,error,warning,info" doc:"The least severity that is notified" guard:"it decides how the user is notified"`
	Every    time.Duration `toml:"every" doc:"The least time between two notifications" guard:"it decides how the user is notified"`
	Also     []string      `toml:"also" doc:"Types and groups of alerts that are notified whatever their severity, such as crew_ended or host_down" guard:"it decides how the user is notified"`
	Sessions []string      `toml:"sessions" doc:"Patterns of the sessions that are notified of; none is all" guard:"it decides how the user is notified"`
	Quiet    string        `toml:"quiet" doc:"Hours in which only critical alerts are notified, such as 22:00-07:00" guard:"it decides how the user is notified"`
	Away     time.Duration `toml:"away" doc:"How long no key must have been pressed in the dashboard before services notify you; 0 is always" guard:"it decides how the user is notified"`
	Again    time.Duration `toml:"again" doc:"How long after a notification another follows while the alert is open; 0 is never" guard:"it decides how the user is notified"`
	Turns    time.Duration `toml:"turns" doc:"How long an agent must have worked for the end of its turn to be notified; 0 is never" guard:"it decides how the user is notified"`
}

// Display are the settings of the terminal's display.
type Display struct {
	Background string   `toml:"background" enum:"auto,dark,light" doc:"What colours are chosen for; auto asks the terminal"`
	Theme      string   `toml:"theme" doc:"The colours: calm, catppuccin, nord, gruvbox, dracula, contrast, mono, or a file of your own"`
	Glyphs     string   `toml:"glyphs" enum:"auto,unicode,ascii,nerd" doc:"The signs that are drawn; nerd needs a Nerd Font"`
	Accessible bool     `toml:"accessible" doc:"Draw for screen readers: words instead of signs, no lines or animations, one column, and the cursor where the keys go"`
	Group      string   `toml:"group" enum:"session,state,folder,kind,label,host" doc:"What the dashboard's list of agents is grouped by"`
	Sort       string   `toml:"sort" enum:"name,needs,change,state,kind,cost,context,lines" doc:"How that list is sorted: by name, who needs you first, whose state changed last first, by state or kind, or by the most cost, context used or changed lines"`
	Columns    []string `toml:"columns" enum:"lines,context,pr,cost,branch" doc:"What rows of that list say at the right, in this order; lines counts changed lines"`
	List       int      `toml:"list" doc:"The share of the width that lists have beside what they show, in percent; 100 shows the list alone"`
}

// Relay are the settings of relays for all backends.
type Relay struct {
	Backend     string        `toml:"backend" doc:"The backend of a relay that names none"`
	Sandbox     string        `toml:"sandbox" enum:"read-only,workspace-write,danger-full-access" doc:"What a backend may do" guard:"it says what others may do on this machine"`
	Timeout     time.Duration `toml:"timeout" doc:"How long an answer may take"`
	Quiet       time.Duration `toml:"quiet" doc:"How long a backend may print nothing; 0 is for ever"`
	IncludeDiff bool          `toml:"include_diff" doc:"Send the changes of the working tree with every prompt"`
	Stream      bool          `toml:"stream" doc:"Show an answer on a terminal while it comes"`
	ReviewBase  string        `toml:"review_base" doc:"What a review compares with; empty finds main, master or the commit before the last"`
	run.LimitPolicy
}

// Backend are the settings of relays for one backend.
type Backend struct {
	Model string `toml:"model"`
	// Name is its name for people.
	Name string `toml:"name"`
	// Protocol is "acp" for a program that speaks the Agent Client Protocol, Command that program with its arguments.
	Protocol string   `toml:"protocol"`
	Command  []string `toml:"command"`
	// The other keys describe a server, and are empty for a program.
	//
	// API is the API that it speaks, URL its address without the path of a request.
	API string `toml:"api"`
	URL string `toml:"url"`
	// KeyEnv is the variable that holds its key. URLEnv and ModelEnv are variables that replace
	// the address and the model where they are set.
	KeyEnv   string `toml:"key_env"`
	URLEnv   string `toml:"url_env"`
	ModelEnv string `toml:"model_env"`
}

// Profile is a way to start agents of one kind.
type Profile struct {
	Kind string `toml:"kind"`
	// Home is the folder of an account of its own, which the kind's variable for it then names.
	Home  string `toml:"home"`
	Model string `toml:"model"`
	Mode  string `toml:"mode"`
	// Args are more arguments. Env are variables as NAME=VALUE, or NAME for the caller's value, and EnvFile is a file
	// of more.
	Args    []string `toml:"args"`
	Env     []string `toml:"env"`
	EnvFile string   `toml:"env_file"`
	// Sandbox is the sandbox that holds them.
	Sandbox string `toml:"sandbox"`
	// By is how their panes are shown: "screen" or "acp".
	By string `toml:"by"`
}

// Price is the price of a model, in USD for a million tokens.
type Price struct {
	Input          float64 `toml:"input"`
	Output         float64 `toml:"output"`
	CacheRead      float64 `toml:"cache_read"`
	CacheWrite     float64 `toml:"cache_write"`
	CacheWriteLong float64 `toml:"cache_write_1h"`
	// Above is the size of a prompt, in tokens, above which the whole request costs Times
	// as much for input, and TimesOutput as much for output.
	Above       int64   `toml:"above"`
	Times       float64 `toml:"times"`
	TimesOutput float64 `toml:"times_output"`
}

// defaults returns the default settings.
func defaults() *Config {
	due := alert.Defaults()
	return &Config{
		Engine:   Engine{Kind: "auto", Clipboard: "refuse", Transport: "auto"},
		Sessions: Sessions{OnLimit: string(core.StopAtLimit)},
		Restore:  Restore{Auto: RestoreOffered, Record: true, Lines: 100},
		Store:    Store{Days: 90, Prompts: 20_000, Events: 200_000},
		Alerts: Alerts{
			WaitingCritical: due.WaitingCritical, Stalled: due.Stalled, Idle: due.Idle, DiskPercent: due.DiskPercent,
			DiskMB: int(due.DiskBytes >> 20),
		},
		Relay: Relay{
			Backend: "codex", Sandbox: "read-only", Timeout: 10 * time.Minute, Stream: true,
			LimitPolicy: run.LimitPolicy{OnLimit: run.StopAtLimit},
		},
		Crew:     crew.DefaultLimits(),
		Story:    story.Settings{Limits: story.DefaultLimits()},
		Worktree: worktree.DefaultSettings(),
		Backends: map[string]Backend{
			"ollama": {
				Name: "Ollama", API: "ollama", URL: "http://localhost:11434", URLEnv: "OLLAMA_HOST",
				ModelEnv: "OLLAMA_MODEL",
			},
			"openai": {
				Name: "OpenAI API", API: "openai", URL: "https://api.openai.com/v1", URLEnv: "OPENAI_BASE_URL",
				KeyEnv: "OPENAI_API_KEY", ModelEnv: "OPENAI_MODEL",
			},
		},
		Notify: Notify{Bell: true, Severity: "warning", Every: 5 * time.Second},
		Search: Search{Shows: "masked"},
		Display: Display{
			Background: "auto", Theme: "calm", Glyphs: "auto", Group: "session", Sort: "name", List: 40,
			Columns: []string{"lines", "context", "pr", "cost", "branch"},
		},
	}
}

// DescribesBackend reports whether a file of settings says something about a backend, beyond what
// holds by default.
func (c *Config) DescribesBackend(name string) bool {
	return !reflect.DeepEqual(c.Backends[name], defaults().Backends[name])
}

// Value returns the value of a key in the form that Set accepts.
func (c *Config) Value(key Key) string {
	value := c.field(key)
	if key.entry == "" {
		return written(value)
	}
	entry := value.MapIndex(reflect.ValueOf(key.entry))
	if !entry.IsValid() {
		return ""
	}
	return written(entry.FieldByName(key.field))
}

func (c *Config) field(key Key) reflect.Value {
	return reflect.ValueOf(c).Elem().FieldByIndex(key.index)
}
