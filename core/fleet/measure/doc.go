// Package measure measures what no snapshot shows: how fast screens change, how much of their
// context windows agents have used, how full disks are, and which files several agents change. A
// keeper runs the monitors; single calls read what it stores.
package measure
