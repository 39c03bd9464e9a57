// Package prefault maps at once the memory that a starting program is about to touch, page after page. A
// thousand page faults are most of what it takes to start one: a few hundred nanoseconds each on bare
// metal, up to twenty microseconds in a virtual machine.
//
// It imports only what is initialised early, so that it runs before the packages whose
// initialisation touches most.
package prefault
