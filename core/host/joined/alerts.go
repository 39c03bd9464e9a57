package joined

import (
	"time"

	"cupola/core"
	"cupola/core/host"
)

// alerts returns the alerts about the host itself: it is lost, its link is slow, or its Cupola has another version than
// this one. An empty version is not known, and raises none.
func (p *peer) alerts(version string) []core.Alert {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch {
	case p.left:
		return nil
	case p.fault != nil:
		return []core.Alert{downAlert(p.fault, p.seen, now)}
	}
	var alerts []core.Alert
	if p.slow {
		alerts = append(alerts, alertOf(core.AlertHostSlow, core.SeverityWarning, p.host.Name,
			"the link to host "+p.host.Name+" is slow: "+host.SlowReason, now))
	}
	if said := p.hello.Skewed(p.host.Name, version); said != "" {
		alerts = append(alerts, alertOf(core.AlertVersionSkew, core.SeverityInfo, p.host.Name, said, now))
	}
	return alerts
}

// downAlert says that a host is lost.
func downAlert(fault *host.Fault, seen, now time.Time) core.Alert {
	message := fault.Error()
	if !seen.IsZero() {
		message += "; seen last at " + seen.Format(time.TimeOnly)
	}
	return alertOf(core.AlertHostDown, core.SeverityWarning, fault.Host, message, now)
}

// alertOf is an alert about a host.
func alertOf(of core.AlertType, severity core.Severity, name, message string, now time.Time) core.Alert {
	return core.Alert{
		ID: string(of) + ":" + name, Type: of, Severity: severity, Subject: name, Message: message, Count: 1,
		FirstSeen: now, LastSeen: now,
	}
}
