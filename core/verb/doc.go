// Package verb holds the common parts of verbs: their environment (Env, OnFleet, OnRecords), the rows of panes and
// sessions, pages, targets, consent, and the next actions. It declares no verb.
package verb
