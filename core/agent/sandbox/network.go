package sandbox

import (
	"slices"
	"strings"
)

// ProxyPort is the port of a sandbox's own loopback on which the proxy for NetworkHosts answers.
const ProxyPort = "3128"

// ports returns the ports of the sandbox's own loopback on which something outside answers.
func (p *Plan) ports() []string {
	switch p.Network {
	case NetworkLoopback:
		return p.Hosts
	case NetworkHosts:
		return []string{ProxyPort}
	}
	return nil
}

// Reaches reports whether a list of hosts has a host with a port. An entry without a port means 80 and 443, and one
// that begins with *. means all names below a domain.
func Reaches(hosts []string, host, port string) bool {
	return slices.ContainsFunc(hosts, func(entry string) bool {
		name, only, named := strings.Cut(entry, ":")
		if named && port != only || !named && port != "443" && port != "80" {
			return false
		}
		if domain, all := strings.CutPrefix(name, "*"); all {
			return strings.HasPrefix(domain, ".") && strings.HasSuffix(strings.ToLower(host), strings.ToLower(domain))
		}
		return strings.EqualFold(name, host)
	})
}

// Names reports whether a list of hosts has a host by its whole name.
func Names(hosts []string, host string) bool {
	return slices.ContainsFunc(hosts, func(entry string) bool {
		name, _, _ := strings.Cut(entry, ":")
		return strings.EqualFold(name, host)
	})
}
