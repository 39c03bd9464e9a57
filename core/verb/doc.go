// Package verb is what verbs share: the environment that they work in and what of it is open (Env, OnFleet,
// OnRecords), the rows of panes and sessions, pages, targets, consent, and the next actions. It
// declares no verb.
package verb
