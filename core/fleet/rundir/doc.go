// Package rundir manages the files of one terminal server in the runtime directory: the keeper's lock, socket
// and record, the screen cache of single calls, and the locks for creating panes and for typing into them. It
// does not interpret what it stores.
package rundir
