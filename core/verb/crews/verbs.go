package crews

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	crewRun, crewList, crewShow, crewLogs, crewReplay, crewWait, crewSay, crewPause, crewResume, crewStop,
	crewExport, crewSave, crewRecipes, crewDelete, ensemble, ensembleSpawn,
}
