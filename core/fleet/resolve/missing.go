package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/text/near"
)

// listedMax is how many names a hint lists.
const listedMax = 10

// Errors of names without a match. Each lists what exists and suggests near misses.

func noSessionError(snapshot *core.Snapshot, name string) error {
	err := SessionsOf(snapshot).notFoundError(name, nil)
	meansAgents(snapshot, name, err)
	return err
}

// meansAgents adds a hint if the name belongs to an agent or an agent kind instead of a session.
func meansAgents(snapshot *core.Snapshot, name string, err *core.Error) {
	var panes, sessions []string
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		for _, pane := range session.Programs() {
			if pane.Agent.Name == name {
				panes = append(panes, pane.Address())
			}
			if isOfKind(pane, name) && !slices.Contains(sessions, session.Name) {
				sessions = append(sessions, session.Name)
			}
		}
	}
	switch {
	case len(panes) > 0:
		err.Suggestions = panes[:min(near.Most, len(panes))]
		err.Hint = fmt.Sprintf("%s is an agent: give the address of its pane, %s.", name,
			strings.Join(err.Suggestions, " or "))
	case len(sessions) > 0:
		err.Suggestions = sessions[:min(near.Most, len(sessions))]
		err.Hint, err.Remedies, err.Subject.Kind = "", []core.Remedy{core.RemedyNameSession}, name
	}
}

func noPaneError(session *core.Session, word string) error {
	err := core.Errorf(core.PaneNotFound, "session %q has no pane %q", session.Name, word)
	var names []string
	addresses := map[string]string{}
	for _, pane := range session.Programs() {
		names = append(names, pane.Agent.Name)
		addresses[pane.Agent.Name] = pane.Address()
	}
	for _, name := range near.Words(word, names) {
		err.Suggestions = append(err.Suggestions, addresses[name])
	}
	if of := ofKind(session, word); len(of) > 0 {
		err.Suggestions = of[:min(near.Most, len(of))]
	}
	if exact, is := addresses[word]; is {
		err.Suggestions = []string{exact}
	}
	if _, no := strconv.Atoi(word); no == nil {
		// No number is near another.
		for _, pane := range session.Programs()[:min(near.Most, len(session.Programs()))] {
			err.Suggestions = append(err.Suggestions, pane.Address())
		}
	}
	err.Slip.Word = word
	err.Hint = listPanes(session)
	err.Details = paneDetails(session)
	return err
}

// otherSessionError reports a pane that exists outside the named session.
func otherSessionError(session *core.Session, pane *core.Pane, word string) error {
	err := core.Errorf(core.PaneNotFound, "pane %q is in session %q, not in %q", word, pane.Session, session.Name)
	err.Hint = fmt.Sprintf("Name that session, or a pane of %s. %s", session.Name, listPanes(session))
	err.Details = paneDetails(session)
	return err
}

// listPanes lists the panes of a session.
func listPanes(session *core.Session) string {
	listed := core.Map(session.Panes, func(p core.Pane) string { return describe(&p) })
	return "It has: " + strings.Join(listed, ", ") + "."
}

// ofKind returns the addresses of a session's agents of a kind.
func ofKind(session *core.Session, word string) []string {
	var addresses []string
	for _, pane := range session.Agents() {
		if isOfKind(pane, word) {
			addresses = append(addresses, pane.Address())
		}
	}
	return addresses
}

// isOfKind reports whether a word is the id or the short name of an agent's kind.
func isOfKind(pane *core.Pane, word string) bool {
	return string(pane.Agent.Kind) == word || word != "" && strings.HasPrefix(pane.Agent.Name, word+"_")
}

func noPaneIDError(snapshot *core.Snapshot, id string) error {
	err := core.Errorf(core.PaneNotFound, "there is no pane %s", id)
	err.Details = map[string][]core.PaneRef{"panes": core.Refs(snapshot.Panes())}
	if _, named := exactName(snapshot, "="+id); named {
		err.Suggestions, err.Slip.Word = []string{"=" + id}, id
		err.Hint = "A session has that name: =" + id + " is the session."
	}
	return err
}

// BrokenKindError reports a kind whose file cannot be used.
func BrokenKindError(cause error) error {
	err := core.Errorf(core.ConfigInvalid, "agents/%w", cause)
	err.Remedies = []core.Remedy{core.RemedyMendSettings}
	return err
}

func noKindError(kinds *agent.Kinds, word string) error {
	if cause := kinds.Broken(word); cause != nil {
		return BrokenKindError(cause)
	}
	err := core.Errorf(core.AgentNotFound, "no agent kind is called %q", word)
	err.Suggestions, err.Slip.Word = kinds.Near(word), word
	known := core.Map(kinds.All(), func(kind *agent.Kind) string {
		return fmt.Sprintf("%s (%s)", kind.ID, kind.Short)
	})
	err.Hint = "Kinds are: " + strings.Join(known, ", ") + "."
	return err
}

// nothingLeftError reports a target whose parts exist but select no pane together.
func nothingLeftError(session *core.Session, kinds []*agent.Kind, target Target) error {
	if len(target.Panes) > 0 || len(target.Exclude) > 0 {
		err := core.Errorf(core.PaneNotFound, "no pane of session %q is left by all that was asked for together",
			session.Name)
		err.Hint, err.Remedies = listPanes(session), []core.Remedy{core.RemedyNarrowLess}
		err.Details = paneDetails(session)
		return err
	}
	var wanted []string
	for _, kind := range kinds {
		twin := slices.ContainsFunc(kinds, func(k *agent.Kind) bool { return k.ID == kind.Screen })
		if !twin { // it goes without saying
			wanted = append(wanted, string(kind.ID))
		}
	}
	message := fmt.Sprintf("session %q holds no agent", session.Name)
	if len(wanted) > 0 {
		message = fmt.Sprintf("session %q holds no agent of kind %s", session.Name, strings.Join(wanted, " or "))
	}
	err := &core.Error{Code: core.AgentNotFound, Message: message, Details: paneDetails(session)}
	listed := core.Map(session.Programs(), describe)
	switch {
	case len(listed) > 0:
		err.Hint = "It holds: " + strings.Join(listed, ", ") + "."
		beside := slices.DeleteFunc(session.Programs(),
			func(p *core.Pane) bool { return p.Agent.Role == core.RoleOverview })
		if target.Prompted && len(wanted) == 0 && len(beside) > 0 {
			for _, pane := range beside[:min(near.Most, len(beside))] {
				err.Suggestions = append(err.Suggestions, pane.Address())
			}
			why := beside[0].WhyBeside()
			err.Hint += fmt.Sprintf(" %s takes part where its pane is named, such as %s.",
				strings.ToUpper(why[:1])+why[1:], err.Suggestions[0])
			err.Slip.Word = target.Session
		}
	case maybe(session) != nil:
		pane := maybe(session)
		err.Subject.Panes, err.Subject.Kind = []string{pane.Address()}, string(pane.Agent.Maybe)
		err.Remedies = []core.Remedy{core.RemedyAdoptKind}
	case len(session.Panes) > 0 && len(wanted) == 0:
		err.Hint, err.Remedies = "It holds user panes only.", []core.Remedy{core.RemedyIncludeShells}
	}
	return err
}

// maybe returns the first pane of a session that probably holds an agent; nil if none does.
func maybe(session *core.Session) *core.Pane {
	i := slices.IndexFunc(session.Panes, func(p core.Pane) bool { return p.Agent.Maybe != "" })
	if i < 0 {
		return nil
	}
	return &session.Panes[i]
}

func ambiguousError(message string, panes []*core.Pane) error {
	err := &core.Error{Code: core.Ambiguous, Message: message, Hint: "Use a pane's id."}
	for _, pane := range panes {
		err.Suggestions = append(err.Suggestions, string(pane.ID))
	}
	return err
}

// describe names a pane briefly: "1 cc_1 (claude)", "0 (user)".
func describe(pane *core.Pane) string {
	if pane.IsUser() {
		return fmt.Sprintf("%d (user)", pane.Ordinal)
	}
	if words := pane.Agent.Role.Words(pane.Agent.Team); words != "" {
		return fmt.Sprintf("%d %s (%s, %s)", pane.Ordinal, pane.Agent.Name, pane.Agent.Kind, words)
	}
	return fmt.Sprintf("%d %s (%s)", pane.Ordinal, pane.Agent.Name, pane.Agent.Kind)
}

func paneDetails(session *core.Session) any {
	refs := core.Map(session.Panes, func(p core.Pane) core.PaneRef { return p.Ref() })
	return map[string][]core.PaneRef{"panes": refs}
}

// SeveralAgentsError reports a session where an action would affect several agents and the target names none.
// The remedy says how to choose.
func SeveralAgentsError(session string, panes []*core.Pane, remedy core.Remedy) error {
	var listed, addresses []string
	for _, pane := range panes {
		listed, addresses = append(listed, describe(pane)), append(addresses, pane.Address())
	}
	err := core.Errorf(core.MissingRequired, "which agents of session %q? It has %s", session,
		strings.Join(listed, ", "))
	err.Suggestions, err.Slip.Word = addresses[:min(near.Most, len(addresses))], session
	err.Remedies, err.Subject.Panes = []core.Remedy{remedy}, addresses[:1]
	err.Details = map[string]any{"panes": core.Refs(panes)}
	return err
}

// NoAgentError turns the error of a target without agents into one about waiting; it returns other errors
// unchanged.
func NoAgentError(target Target, err error) error {
	if e := core.AsError(err); e.HasCode(core.AgentNotFound) && !slices.Contains(target.Kinds, e.Slip.Word) {
		e.Message, e.Remedies = "there is no agent to wait for: "+e.Message, nil
		if len(e.Suggestions) > 0 {
			// Commands have no idle state, only an end.
			e.Remedies = []core.Remedy{core.RemedyAwaitEnd}
		}
		return e
	}
	return err
}
