// Package rundir has the files of one terminal server in the runtime directory: the keeper's
// lock, socket and record, the screens that single calls leave for each other, and the locks
// under which panes are made and typed into. It judges nothing that it stores.
package rundir
