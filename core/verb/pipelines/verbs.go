// Package pipelines declares the verbs that run files of steps.
package pipelines

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	pipelineRun, pipelineStatus, pipelineList, pipelineCancel,
}
