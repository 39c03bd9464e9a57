package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/relays"
	"cupola/core/verb/tools"
)

// relayHealth counts the backends of relays.
type relayHealth struct {
	// Default is the backend that is asked where a relay names none; DefaultAvailable is true if it
	// can be asked now.
	Default          string `json:"default"`
	DefaultAvailable bool   `json:"default_available"`
	// Available counts the backends that can be asked now, of Total that are installed or were set up.
	Available int `json:"available_count"`
	Total     int `json:"total_count"`
}

// String says it to people.
func (h *relayHealth) String() string {
	of := h.Default
	if !h.DefaultAvailable {
		of += ", which cannot be asked now"
	}
	return fmt.Sprintf("%d of %s ready; the default is %s", h.Available, verb.Plural(h.Total, "relay backend"), of)
}

// Commands that repair faults of relays.
const (
	fixDefault  = "cupola setup --steps=relay --yes"
	lookAtRelay = "cupola doctor --relay"
)

// doctorOfRelays checks the backends of relays alone.
func doctorOfRelays(ctx context.Context, env *verb.Env, brief bool) (doctorOut, error) {
	settings := env.Settings()
	rows, err := relays.BackendRows(ctx, &env.Local, settings, tools.AskVersions)
	if err != nil {
		return doctorOut{}, err
	}
	if ctx.Err() != nil {
		return doctorOut{}, ctx.Err()
	}
	out := doctorOut{relayOnly: true}
	out.Checks, out.Relay = relayChecks(rows, settings)
	for i := range out.Checks {
		out.count(out.Checks[i].State)
	}
	out.Healthy = out.Bad == 0 && out.Relay.Available > 0
	return out.judged(out.relayFailure(), brief)
}

// relayFailure is the failure of a check of relays; nil if each backend that counts can be asked.
func (out doctorOut) relayFailure() *core.Error {
	var bad, fixes []string
	for i := range out.Checks {
		row := &out.Checks[i]
		if row.State == checkBad {
			bad = append(bad, row.Name)
		}
		if row.Fix != "" && row.State == checkBad && !slices.Contains(fixes, row.Fix) {
			fixes = append(fixes, row.Fix)
		}
	}
	switch {
	case out.Relay.Available == 0:
		e := &core.Error{
			Code: core.ToolNotFound, Message: "no relay backend can be asked: " + out.Relay.String(),
			Hint: "Install a program or start a server; each row has the command.", Actions: fixes,
		}
		if len(fixes) == 0 {
			e.Actions = []string{"cupola backends"}
		}
		return e
	case len(bad) > 0:
		return &core.Error{
			Code: core.HealthFailed, Message: "bad: " + strings.Join(bad, ", ") + " (" + out.Relay.String() + ")",
			Hint: "Run the command in each row's fix.", Actions: fixes,
		}
	}
	return nil
}

// relayChecks returns a row for each backend and one for the default, and counts the backends.
func relayChecks(rows []relays.BackendRow, settings *config.Config) ([]checkRow, *relayHealth) {
	health := &relayHealth{Default: settings.Relay.Backend}
	chosen := settings.Origin(relayBackendKey).Layer != config.Default
	checks := make([]checkRow, 0, len(rows)+1)
	known := false
	for i := range rows {
		row := &rows[i]
		isDefault := row.Backend == health.Default
		known = known || isDefault
		check := backendCheck(row, chosen && isDefault)
		if check.State != checkMissing {
			health.Total++
		}
		if row.Available {
			health.Available++
			health.DefaultAvailable = health.DefaultAvailable || isDefault
		}
		checks = append(checks, check)
	}
	check := checkRow{Area: areaRelay, Name: "default", State: checkOK, Detail: health.Default}
	switch {
	case !known:
		check.State, check.Fix = checkBad, fixDefault
		check.Detail = fmt.Sprintf("%q, from %s, is no backend", health.Default, settings.Origin(relayBackendKey))
	case !health.DefaultAvailable && health.Available == 0:
		check.State, check.Detail = checkMissing, health.Default+" cannot be asked now, nor can another"
	case !health.DefaultAvailable:
		check.State, check.Fix, check.Detail = checkWarn, fixDefault,
			health.Default+" cannot be asked now; others can"
	}
	return append(checks, check), health
}

// backendCheck is the row of a backend. One that is absent is missing, unless it is wanted: the
// settings name it as the default.
func backendCheck(row *relays.BackendRow, wanted bool) checkRow {
	available := row.Available
	check := checkRow{
		Area: areaRelay, Name: row.Backend, State: checkOK, Version: row.Version, Category: row.Category,
		Available: &available, Detail: strings.TrimPrefix(row.Detail, row.Version+" "), Fix: row.Fix,
	}
	switch {
	case !available && !row.Present && !wanted:
		check.State = checkMissing
	case !available:
		check.State = checkBad
	case row.Doubt != "":
		check.State, check.Detail = checkWarn, check.Detail+"; "+row.Doubt
	}
	return check
}

// relays sums the backends of relays up in one row. It is never bad: relays are optional. What is
// wrong with programs is said by the areas of agents and accounts.
func (e *examination) relays() []checkRow {
	settings := e.env.Settings()
	rows, err := relays.BackendRows(e.ctx, &e.env.Local, settings, e.askOnce)
	if err != nil {
		return nil // the rows of the settings and of the agent kinds say why
	}
	checks, health := relayChecks(rows, settings)
	e.backends = health
	row := checkRow{Name: "backends", State: checkOK, Detail: health.String()}
	var bad []string
	for i := range checks {
		check := &checks[i]
		if check.State == checkBad && (check.Category != relay.CLI || check.Name == health.Default) {
			bad = append(bad, check.Name)
		}
	}
	switch {
	case len(bad) > 0:
		row.State, row.Fix, row.Detail = checkWarn, lookAtRelay, row.Detail+"; wrong: "+strings.Join(bad, ", ")
	case health.Total == 0:
		row.State, row.Fix, row.Detail = checkMissing, lookAtRelay, "no program or server answers relays"
	case !health.DefaultAvailable:
		row.Fix = fixDefault
	}
	return []checkRow{row}
}

// askOnce gives programs the versions that were asked for all areas together.
func (e *examination) askOnce(_ context.Context, _ *verb.Local, rows []tools.ProgramRow) {
	versioned := e.versioned()
	for i := range rows {
		row := &rows[i]
		at := slices.IndexFunc(
			versioned,
			func(p tools.ProgramRow) bool { return p.Kind == tools.ToolAgent && p.Path == row.Path },
		)
		if at >= 0 && row.Installed {
			known := &versioned[at]
			row.Version, row.Problem, row.Slow = known.Version, cmp.Or(known.Problem, row.Problem), known.Slow
		}
	}
}

// relayBackendKey is the setting with the default backend.
const relayBackendKey = "relay.backend"
