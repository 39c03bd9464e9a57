// Package config reads the settings: defaults, then the user's file, then the
// environment; later ones win, and each key knows where its value came from.
// It writes nothing and knows no face.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/near"
)

// Config is the settings.
type Config struct {
	Engine   Engine   `toml:"engine"`
	Sessions Sessions `toml:"sessions"`
	Store    Store    `toml:"store"`
	Alerts   Alerts   `toml:"alerts"`
	Notify   Notify   `toml:"notify"`
	// Prices are what models cost, by name, in place of the table that comes with
	// the program.
	Prices map[string]Price `toml:"prices"`

	origins map[string]string
}

// Engine says which terminal server is used, and how.
type Engine struct {
	// Socket is the path of a private server's socket; empty uses tmux's own.
	Socket string `toml:"socket"`
	// Transport is auto, socket or exec.
	Transport string `toml:"transport"`
}

// Sessions says which sessions are shown.
type Sessions struct {
	// HideForeign leaves out sessions that Cupola did not make.
	HideForeign bool `toml:"hide_foreign"`
}

// Store says how much is kept of what was sent and what happened; 0 keeps
// everything.
type Store struct {
	// Days is how old it may become.
	Days int `toml:"days"`
	// Prompts and Events are how many of each are kept.
	Prompts int `toml:"prompts"`
	Events  int `toml:"events"`
}

// Alerts says from when on something is an alert; 0 turns a rule off.
type Alerts struct {
	// WaitingCritical is how long an agent may wait for somebody until that is
	// critical, Stalled how long a working agent's screen may stand still, Idle how
	// long an agent may have nothing to do.
	WaitingCritical time.Duration `toml:"waiting_critical"`
	Stalled         time.Duration `toml:"stalled"`
	Idle            time.Duration `toml:"idle"`
	// DiskPercent and DiskMB are how much of a disk should be free.
	DiskPercent int `toml:"disk_percent"`
	DiskMB      int `toml:"disk_mb"`
}

// Notify says who is told of alerts, once as each is raised.
type Notify struct {
	// Bell rings the terminal's bell in the dashboard, Desktop shows a notification.
	Bell    bool `toml:"bell"`
	Desktop bool `toml:"desktop"`
	// Command is a program with its arguments that reads the event as JSON.
	Command []string `toml:"command"`
	// Severity is the least that is told of.
	Severity string `toml:"severity"`
	// Every is the least time between two.
	Every time.Duration `toml:"every"`
}

// Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input          float64 `toml:"input"`
	Output         float64 `toml:"output"`
	CacheRead      float64 `toml:"cache_read"`
	CacheWrite     float64 `toml:"cache_write"`
	CacheWriteLong float64 `toml:"cache_write_1h"`
	// Above is the size of a prompt, in tokens, from which on the whole request costs
	// Times as much for what goes in, and TimesOutput for what comes out.
	Above       int64   `toml:"above"`
	Times       float64 `toml:"times"`
	TimesOutput float64 `toml:"times_output"`
}

// Where a value came from, besides the path of a file.
const (
	FromDefault     = "default"
	FromEnvironment = "environment"
)

// Load reads the settings. A missing file is no error; one that cannot be read
// or understood is ConfigInvalid, and names the line.
func Load(paths Paths, getenv func(string) string) (*Config, error) {
	c := defaults()
	if err := c.readFile(paths.File()); err != nil {
		return nil, err
	}
	for _, setting := range []struct {
		key, env string
		value    *string
	}{
		{"engine.socket", "CUPOLA_ENGINE_SOCKET", &c.Engine.Socket},
		{"engine.transport", "CUPOLA_ENGINE_TRANSPORT", &c.Engine.Transport},
	} {
		if value := getenv(setting.env); value != "" {
			*setting.value = value
			c.origins[setting.key] = FromEnvironment
		}
	}
	for _, count := range []struct {
		key string
		n   int
	}{
		{"store.days", c.Store.Days},
		{"store.prompts", c.Store.Prompts},
		{"store.events", c.Store.Events},
		{"alerts.disk_percent", c.Alerts.DiskPercent},
		{"alerts.disk_mb", c.Alerts.DiskMB},
	} {
		if count.n < 0 {
			return nil, invalid(c.Origin(count.key), fmt.Sprintf("%s is %d; it must be 0 or more", count.key, count.n))
		}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// defaults are the settings where nobody says anything else.
func defaults() *Config {
	return &Config{
		Engine:  Engine{Transport: "auto"},
		Store:   Store{Days: 90, Prompts: 20_000, Events: 200_000},
		Alerts:  Alerts{WaitingCritical: 10 * time.Minute, Stalled: 5 * time.Minute, Idle: 30 * time.Minute, DiskPercent: 5, DiskMB: 1024},
		Notify:  Notify{Bell: true, Severity: "warning", Every: 5 * time.Second},
		origins: map[string]string{},
	}
}

// check returns ConfigInvalid for a value that cannot be.
func (c *Config) check() error {
	for _, choice := range []struct {
		key, value string
		valid      []string
	}{
		{"engine.transport", c.Engine.Transport, []string{"auto", "socket", "exec"}},
		{"notify.severity", c.Notify.Severity, []string{"critical", "error", "warning", "info"}},
	} {
		if !slices.Contains(choice.valid, choice.value) {
			err := invalid(c.Origin(choice.key), fmt.Sprintf("%s is %q; it must be one of %s", choice.key, choice.value, strings.Join(choice.valid, ", ")))
			err.Suggestions = near.Words(choice.value, choice.valid)
			return err
		}
	}
	for _, span := range []struct {
		key string
		d   time.Duration
	}{
		{"alerts.waiting_critical", c.Alerts.WaitingCritical}, {"alerts.stalled", c.Alerts.Stalled}, {"alerts.idle", c.Alerts.Idle}, {"notify.every", c.Notify.Every},
	} {
		if span.d < 0 {
			return invalid(c.Origin(span.key), fmt.Sprintf("%s is %s; it must be 0 or more", span.key, span.d))
		}
	}
	for model, p := range c.Prices {
		for _, n := range []float64{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.CacheWriteLong, float64(p.Above), p.Times, p.TimesOutput} {
			if n < 0 {
				return invalid(c.Origin("prices"), fmt.Sprintf("prices.%q has %g; it must be 0 or more", model, n))
			}
		}
	}
	return nil
}

// Origin says where a key's value came from: FromDefault, FromEnvironment or
// the path of a file.
func (c *Config) Origin(key string) string {
	if origin, ok := c.origins[key]; ok {
		return origin
	}
	return FromDefault
}

func (c *Config) readFile(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return invalid(path, err.Error())
	}
	meta, err := toml.Decode(string(text), c)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return invalid(path, fmt.Sprintf("line %d: %s", parse.Position.Line, parse.Message))
	}
	if err != nil {
		return invalid(path, err.Error())
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return unknownKey(path, unknown[0].String())
	}
	for _, key := range meta.Keys() {
		c.origins[key[0]] = path
		c.origins[key.String()] = path
	}
	return nil
}

// keys are all settings.
var keys = []string{
	"engine.socket", "engine.transport", "sessions.hide_foreign", "store.days", "store.prompts", "store.events",
	"alerts.waiting_critical", "alerts.stalled", "alerts.idle", "alerts.disk_percent", "alerts.disk_mb",
	"notify.bell", "notify.desktop", "notify.command", "notify.severity", "notify.every", "prices",
}

func unknownKey(path, key string) error {
	err := invalid(path, "unknown key "+key)
	err.Suggestions = near.Words(key, keys)
	if len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + err.Suggestions[0] + "?"
	} else {
		err.Hint = "The keys are: " + strings.Join(keys, ", ") + "."
	}
	return err
}

func invalid(where, what string) *core.Error {
	return &core.Error{Code: core.ConfigInvalid, Message: where + ": " + what}
}
