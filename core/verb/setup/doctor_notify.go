package setup

import (
	"context"
	"maps"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/alert/notify"
	"cupola/core/verb"
)

// editNotify is the command that repairs settings of notifications.
const editNotify = "cupola config-edit"

// notifications checks the settings of notifications, and sends nothing.
func (e *examination) notifications() []checkRow {
	opts, wrong := e.env.Settings().Notify.Options()
	rows := wrongNotifications(wrong)
	if len(rows) > 0 {
		return rows
	}
	detail := "none leave this machine; notify.services names services"
	if len(opts.Services) > 0 {
		names := core.Map(opts.Services, notify.Service.String)
		detail = "sent by " + strings.Join(names, ", ")
	}
	return []checkRow{{Name: "notifications", State: checkOK, Detail: detail}}
}

func wrongNotifications(wrong []error) (rows []checkRow) {
	for _, err := range wrong {
		e := core.AsError(err)
		rows = append(rows, checkRow{
			Name: "notifications", State: checkBad, Detail: e.Error() + ". " + e.Hint, Fix: editNotify, err: err,
		})
	}
	return rows
}

// doctorOfNotifications sends a test every way that the settings have.
func doctorOfNotifications(ctx context.Context, env *verb.Env, brief bool) (doctorOut, error) {
	opts, wrong := env.Settings().Notify.Options()
	out := doctorOut{Checks: wrongNotifications(wrong)}
	sent := notify.New(opts).Test(ctx)
	for _, way := range slices.Sorted(maps.Keys(sent)) {
		row := checkRow{Name: way, State: checkOK, Detail: "a test was sent"}
		if err := sent[way]; err != nil {
			row.State, row.Detail, row.Fix, row.err = checkBad, "the test was not sent: "+err.Error(), editNotify, err
		}
		out.Checks = append(out.Checks, row)
	}
	if len(out.Checks) == 0 {
		out.Checks = append(out.Checks, checkRow{
			Name: "notifications", State: checkWarn, Fix: editNotify,
			Detail: "no way is set but the terminal's bell: notify.services, notify.command and notify.desktop are " +
				"empty",
		})
	}
	for i := range out.Checks {
		out.Checks[i].Area = areaNotify
		out.count(out.Checks[i].State)
	}
	out.Healthy = out.Bad == 0
	return out.judged(out.notifyFailure(), brief)
}

// notifyFailure is the error of an examination of notifications; nil where nothing is wrong.
func (out doctorOut) notifyFailure() *core.Error {
	var bad []string
	for i := range out.Checks {
		if out.Checks[i].State == checkBad {
			bad = append(bad, out.Checks[i].Name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &core.Error{
		Code: core.HealthFailed, Message: "notifications do not work: " + strings.Join(bad, ", "),
		Actions: []string{editNotify},
	}
}
