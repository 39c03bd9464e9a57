package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/system/textfile"
	"cupola/core/term/cast"
	"cupola/core/text/report"
	"cupola/core/text/secret"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// PlayWord has this program play a recording on the terminal; FromEnd is the word with which it begins at the end.
const (
	PlayWord = "terminal-play"
	FromEnd  = "end"
)

type replayIn struct {
	Recording registry.ReadPath  `arg:"1" help:"A pane or a file (default: list all)"`
	At        time.Duration      `help:"Show the screen this long after the beginning"`
	Export    registry.WritePath `empty:"none" help:"Write it to this file, credentials masked"`
}

// recordingRow is a recording on file.
type recordingRow struct {
	_    struct{} `minimal:"pane,file"`
	Pane string   `json:"pane" names:"session" table:"PANE"`
	// BeganAt is in the file's name; Bytes is its size.
	BeganAt time.Time `json:"began_at" table:"BEGAN"`
	Bytes   int64     `json:"bytes" table:"BYTES"`
	File    string    `json:"file" table:"FILE,dim,flex"`
}

type replayOut struct {
	// Recordings are all, the newest first, or the one that was asked for.
	Recordings []recordingRow `json:"recordings"`
	// Length and At are seconds; Lines are the screen at that time.
	Length float64  `json:"length_s"`
	At     float64  `json:"at_s"`
	Width  int      `json:"width,omitempty"`
	Height int      `json:"height,omitempty"`
	Events int      `json:"event_count"`
	Lines  []string `json:"lines"`
	// Exported is the file that was written.
	Exported string `json:"exported,omitempty"`

	plan []string
}

var replayPane = registry.Define(registry.Spec[*verb.Env, replayIn, replayOut]{
	Name: "replay-pane", Group: verb.GroupAgents, Short: "Play what a pane showed",
	Aliases: []string{"recording list", "recordings"},
	Long: "'cupola spawn --record' has Cupola's own terminal server record what each pane shows, as asciicast 2, " +
		"which asciinema plays too. On a terminal this plays it: space pauses, the arrows go 10 s back and " +
		"forth, a comma and a point one change, q ends.",
	Scope: registry.Global, Effect: registry.Reads, Local: true, List: "recordings", Examples: []string{""},
	Errors: []core.Code{core.NotFound, core.DecodeFailed, core.IOError, core.AlreadyExists, core.PermissionDenied},
	Run:    runReplay,
}).SeeAlso("tail", "spawn")

func runReplay(_ context.Context, env *verb.Env, in replayIn) (replayOut, error) {
	out := replayOut{Lines: []string{}}
	all, err := recordings(env.Paths.Recordings())
	if err != nil || in.Recording == "" {
		out.Recordings = all
		return out, err
	}
	row, err := recordingOf(all, string(in.Recording))
	if err != nil {
		return out, err
	}
	out.Recordings = []recordingRow{row}
	c, err := readRecording(row.File)
	if err != nil {
		return out, err
	}
	at := c.Length()
	if in.At > 0 {
		at = min(at, in.At)
	}
	screen := c.ScreenAt(at)
	out.Length, out.At, out.Events, out.Lines = c.Length().Seconds(), at.Seconds(), len(c.Events), screen.Lines()
	out.Width, out.Height = screen.Size()
	if in.Export != "" {
		out.Exported, err = string(in.Export), export(c, string(in.Export))
	} else if in.At == 0 {
		out.plan = []string{env.Self, PlayWord, row.File}
	}
	return out, err
}

// recordings returns the recordings on file, the newest first.
func recordings(folder string) ([]recordingRow, error) {
	files, err := cast.Files(folder)
	if err != nil {
		return nil, core.Errorf(core.IOError, "%w", err)
	}
	return core.Map(files, func(f cast.File) recordingRow {
		return recordingRow{Pane: f.Pane, BeganAt: f.Began, Bytes: f.Bytes, File: f.Path}
	}), nil
}

// PlayBack is the command that plays the newest recording of a pane on a terminal, beginning at its end. What was last
// written to before the pane's session began is of an earlier pane of that name.
func PlayBack(env *verb.Env, pane string, session time.Time) ([]string, error) {
	files, err := cast.Files(env.Paths.Recordings())
	if err != nil {
		return nil, core.Errorf(core.IOError, "%w", err)
	}
	for _, f := range files {
		if f.Pane == cast.PaneOf(pane) && !f.Written.Before(session) {
			return []string{env.Self, PlayWord, f.Path, FromEnd}, nil
		}
	}
	return nil, notRecorded(pane)
}

// recordingOf is the newest recording of a pane, or that of a file.
func recordingOf(all []recordingRow, name string) (recordingRow, error) {
	for _, row := range all {
		if row.Pane == cast.PaneOf(name) || row.File == name || filepath.Base(row.File) == name {
			return row, nil
		}
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return recordingRow{Pane: name, BeganAt: info.ModTime().UTC(), Bytes: info.Size(), File: name}, nil
	}
	e := notRecorded(name)
	for _, row := range all {
		if !slices.Contains(e.Suggestions, row.Pane) {
			e.Suggestions = append(e.Suggestions, row.Pane)
		}
	}
	return recordingRow{}, e
}

func notRecorded(name string) *core.Error {
	e := core.Errorf(core.NotFound, "nothing is recorded of %s", core.Cut(name))
	e.Hint, e.Actions = "Recordings begin with a pane: 'cupola spawn' with --record.", []string{"cupola replay-pane"}
	return e
}

func readRecording(path string) (*cast.Recording, error) {
	c, err := cast.Load(path)
	switch {
	case errors.Is(err, cast.ErrFormat):
		return nil, core.Errorf(core.DecodeFailed, "%w", err)
	case err != nil:
		return nil, core.Errorf(core.IOError, "read the recording: %w", err)
	}
	return c, nil
}

// export writes a recording with credentials masked, to a file that is not there yet.
func export(c *cast.Recording, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return core.Errorf(core.AlreadyExists, "%s is there already", path)
	}
	var text bytes.Buffer
	masked := c.Masked(cast.Mask{Pieces: secret.Pieces, Lines: secret.Lines})
	if err := masked.Write(&text); err != nil {
		return core.Errorf(core.IOError, "write the recording: %w", err)
	}
	if err := textfile.Put(path, text.Bytes()); err != nil {
		return core.Errorf(core.IOError, "write the recording: %w", err)
	}
	return nil
}

// Next suggests to record, or to look at a recording.
func (o replayOut) Next() []registry.Action {
	if len(o.Recordings) == 0 {
		return verb.NextOnly("spawn", "Start a session whose panes are recorded", "spawn", "demo",
			"--agents=scripted=1", "--engine=own", "--record")
	}
	return verb.NextOnly("replay-pane", "Show the end of the newest recording", "replay-pane", o.Recordings[0].Pane)
}

// Plan returns the command that plays the recording on a person's terminal; nil if one moment was asked for.
func (o replayOut) Plan() []string { return o.plan }

// Report shows people the list, or the screen.
func (o replayOut) Report() *report.Report {
	switch {
	case o.Exported != "":
		return report.Say(
			report.Text("Wrote " + o.Exported + ". Credentials are masked that have a known form or name; look at it."),
		)
	case len(o.Lines) == 0 && len(o.Recordings) == 0:
		return report.Say(report.Text("Nothing is recorded. 'cupola spawn' with --record begins with a session."))
	case len(o.Lines) == 0:
		return (&report.Report{}).AddRows("", o.Recordings, time.Now())
	}
	r := report.Say(report.Text(fmt.Sprintf("After %s of %s:", seconds(o.At), seconds(o.Length))))
	for _, line := range o.Lines {
		r.AddLine(report.Text(line))
	}
	return r
}

func seconds(s float64) string { return core.ShortDuration(time.Duration(s * float64(time.Second))) }
