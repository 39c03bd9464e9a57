package stories

import "cupola/core/verb/registry"

// Verbs are the verbs of this package, in the order of the help.
var Verbs = []*registry.Verb{
	storyRun, storyList, storyShow, storyNext, storyValidate, storyRuns, storyStatus, storyLogs, storyWait, storyPause,
	storyResume, storyStop, storyFinish, storyDelete,
}
