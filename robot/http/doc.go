// Package http offers the verbs over HTTP: a call for each verb, a stream of events, and a page for the browser. What a
// call does and answers is the affair of robot/service.
//
// A server listens on a loopback address, unless it has a certificate. Guard lets in only who has its token, by the
// names that it knows itself by; a page of another site can neither read from it nor act on it.
package http
