// Package ahead sends the first request of a status to the tmux server while the program is
// still being initialised. It reads only the settings that decide whether that request will
// be made.
//
// It imports only packages that are initialised early.
package ahead

import (
	"errors"
	"io/fs"
	"strings"

	"cupola/core/engine/tmux/wire"
	"cupola/core/plainfile"
)

// Question is the tmux command of a brief listing, as status needs it.
var Question = []string{
	"list-sessions", "-F",
	"S|#{version}|#{pid}|#{start_time}|#{session_id}|#{q:session_name}|#{session_created}|#{session_attached}|" +
		"#{q:session_path}|#{q:@cupola_origin}|#{q:@cupola_next}|#{q:@cupola_revision}|", ";",
	"list-panes", "-a", "-F", "P|#{pane_id}|#{session_id}|#{q:pane_title}|#{pane_pid}|#{q:pane_current_command}|", ";",
	"list-panes", "-a", "-f", "#{pane_dead}", "-F",
	"D|#{pane_id}|#{pane_dead_status}|#{pane_dead_signal}|#{pane_dead_time}|#{q:pane_start_path}|", ";",
	"list-panes", "-a", "-f", "#{@cupola_tagged}", "-F",
	"T|#{pane_id}|#{q:@cupola_kind}|#{q:@cupola_role}|#{q:@cupola_name}|#{q:@cupola_ordinal}|" +
		"#{q:@cupola_launch}|#{q:@cupola_started}|#{q:@cupola_variant}|#{q:@cupola_session}|" +
		"#{q:@cupola_hook}|#{q:@cupola_state}|#{q:@cupola_missed}|#{q:@cupola_label}|#{window_activity}|" +
		"#{window_panes}|",
}

// Ask sends the request. It returns nil if the settings may select another server. An answer
// that is not needed is discarded.
func Ask(getenv func(string) string) *wire.Asked {
	path, ok := socket(getenv)
	if !ok {
		return nil
	}
	return wire.Ask(path, Question)
}

// socket returns the path of the server's socket, unless the settings may say that
// another is meant or that none may be spoken to.
func socket(getenv func(string) string) (path string, ok bool) {
	switch getenv("CUPOLA_ENGINE_KIND") {
	case "", "auto", "tmux":
	default:
		return "", false
	}
	switch getenv("CUPOLA_ENGINE_TRANSPORT") {
	case "", "auto", "socket":
	default:
		return "", false
	}
	settings, err := plainfile.Read(settingsFile(getenv), plainfile.Text)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || strings.Contains(string(settings), "engine") {
		return "", false
	}
	path, err = wire.SocketPath(getenv("CUPOLA_ENGINE_SOCKET"), "", getenv, func(dir string) string { return dir })
	return path, err == nil
}

// settingsFile is where core/config finds the user's settings.
func settingsFile(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !strings.HasPrefix(dir, "/") {
		dir = getenv("HOME") + "/.config"
	}
	return dir + "/cupola/config.toml"
}
