package house

import (
	"go/ast"
	"slices"
)

// parsers are the functions of the face for programs that parse JSON: what a client sends, and the record of a call
// that is made again.
var parsers = []string{
	"robot/mcp.decoded", "robot/mcp.faultOf", "robot/http.bodyOf", "robot/frames.read", "robot/frames.Begin",
}

// encoders are its functions that encode answers: one for each way to send them, and two for a terminal, which shows
// documents and lines.
var encoders = []string{
	"robot.text", "robot.line", "robot/mcp.encoded", "robot/http.encoded", "robot/frames.encoded",
	"robot/acp.decode",
}

// answersAreValues keeps answers values until they are sent: what comes from a verb is parsed nowhere on its way, and
// encoded once.
func answersAreValues(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.test || s.script || !within(s.dir, "robot") {
			continue
		}
		seen++
		within := func(functions []string) func(ast.Node) bool {
			return func(n ast.Node) bool {
				own, is := n.(*ast.FuncDecl)
				return is && slices.Contains(functions, s.dir+"."+own.Name.Name)
			}
		}
		for _, n := range uses(s, "encoding/json", []string{"Unmarshal", "NewDecoder"}, within(parsers)) {
			faults = append(faults, s.fault(n, "parses JSON; an answer is a value until it is sent"))
		}
		for _, n := range uses(s, "cupola/core/verb/render", []string{"JSON", "Compact"}, within(encoders)) {
			faults = append(faults, s.fault(n, "encodes an answer; that is for the one function of its package"))
		}
	}
	return seen, faults
}
