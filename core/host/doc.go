// Package host is how other machines with a Cupola of their own are reached: by the user's own ssh, with its
// configuration, keys, agent and jump hosts. One connection a host is kept for some minutes and shared by all
// processes (ssh's ControlMaster). A machine's name is in front of the names of its sessions: HOST/SESSION.N.
package host
