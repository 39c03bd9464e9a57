// Package overview declares the verbs that show the fleet as it is now: status, snapshot, dashboard, alerts, and
// streams of what changes.
package overview
