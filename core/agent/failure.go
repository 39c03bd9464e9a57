package agent

import (
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/agent/required"
)

// FailureRule is how the ids of rules with Failure begin.
const FailureRule = "failure"

// What a rule with Failure asks of the text that it finds.
const (
	// failureWords is for marks that only failures have: words about one suffice.
	failureWords = "words"
	// failureForm is for marks that answers have too: the text must also be put as
	// programs put errors, unless another rule says that the turn failed.
	failureForm = "form"
)

// failureSign is a pattern for messages of services and agents about a failed request, and the state that these prove.
type failureSign struct {
	state  core.State
	reason core.Reason
	words  *Pattern
}

// failureSigns are in the order in which they are tried: a text about a quota often mentions billing too, one about
// billing mentions keys, and one about keys mentions servers.
var failureSigns = []failureSign{
	{core.Errored, core.ReasonOther, &Pattern{Expr: "" +
		`(?i)\bcontext (window|length|limit|size)|maximum context|prompt (is )?too (long|large)|` +
		`(conversation|request|input|message) (is )?too (long|large)|\bmax_tokens\b`}},
	{core.Limited, core.ReasonQuota, &Pattern{Expr: "" +
		`(?i)\b(usage|requests|messages|allowance)\b.{0,20}\b(is|are|been|was|were) (used up|exhausted)\b|` +
		`\bupgrade to (a )?(plus|pro|max|business|paid)\b|\b(insufficient|exceeded)_quota\b|` +
		`\bquota_(exceeded|exhausted|limit)|\busage_(limit_reached|not_included)\b|` +
		`\bquota\b.{0,80}\b(exceed|exhaust|reach|used|deplet|hit|restored|reset)|` +
		`\b(exceed|exhaust|reach|used|deplet|hit|no|out|over)\w*\b.{0,60}\bquota\b|` +
		limitKinds + `(usage |request )?(limits?|caps?|allowances?|budgets?)\b.{0,40}\b(reached|hit|` +
		`exceeded|exhausted|used up|depleted|resets?)\b|` +
		`\b(reached|hit|exceeded|exhausted|consumed|used (up|all)|(run|ran)? ?out of|no (more|` +
		`remaining))\b.{0,40}` + limitKinds + `.{0,30}\b(limits?|caps?|allowances?|usage|requests|tokens|` +
		`budget)\b|` +
		`\bout of (extra |included )?(usage|requests|messages|tokens)\b`}},
	{core.Limited, core.ReasonRateLimit, &Pattern{Expr: "" +
		`(?i)\b429\b|\brate[ _-]?limit|\btoo many (concurrent |simultaneous )?(requests|tokens|connections)|` +
		`\bthrottl|\b(requests|tokens) per (second|minute|hour|day)\b|resource[ _](has been )?exhausted|` +
		`\blimiting requests\b|\brequest limit\b|\bconcurrency limit|\bslow down\b`}},
	{core.Limited, core.ReasonQuota, &Pattern{Expr: "" +
		`(?i)\b(hit|reached|exceeded|exhausted|over)\b.{0,12}\b(your|the|this|an?)\b.{0,30}\blimit\b|` +
		`\blimit (has been |was )?(reached|hit|exceeded)\b`}},
	{core.Errored, core.ReasonBilling, &Pattern{Expr: "" +
		`(?i)\b402\b|\bbilling\b|\bpayment\b|\bcredit balance\b|` +
		`\binsufficient (\w+ )?(credits?|balance|funds)\b|` +
		`\b(out of|no|not enough|add|buy|purchase|top up|lack of)( more| remaining| prepaid|` +
		` your)? (credits?|funds)\b|` +
		`\bcredits? (is |are |have been |has been |were )?(too low|depleted|exhausted|expired|used up|` +
		`insufficient)|` +
		`\b(past due|overdue|arrearage|unpaid)\b|` +
		`\bsubscription (has |is )?(expired|lapsed|ended|cancell?ed|inactive|required)|\bprepaid\b`}},
	{core.Errored, core.ReasonAuth, &Pattern{Expr: "" +
		`(?i)\b40[13]\b|\bunauthori[sz]ed|\bunauthenticated|\bforbidden\b|\bpermission[ _]?denied|` +
		`\baccess denied|authenticat|\bcredentials?\b|\b(api|access|secret)[ _-]?keys?\b|` +
		`\b(access|refresh|oauth|bearer|auth|id|session)[ _-]token|` +
		`\btoken (has |is |was |been )*(expired|invalid|revoked|malformed|rejected)|` +
		`\b(log|sign)(ged|ed)?[ -]?(in|out)\b|/login\b|\blogin\b|/auth\b|` +
		`\bsession (has |is )?(expired|ended|invalid)|\b(not|no longer) have (access|permission)|` +
		`\b(organi[sz]ation|account|workspace|project) (has been |has |is |was )?(disabled|suspended|` +
		`deactivated|banned|blocked)|` +
		`\bmissing environment variable`}},
	{core.Errored, core.ReasonOther, &Pattern{Expr: "" +
		`(?i)\b(status|error|code)\W{1,3}4\d\d\b|\b4\d\d (bad request|not found)\b`}},
	{core.Errored, core.ReasonServer, &Pattern{Expr: "" +
		`(?i)\b5[0-3]\d\b|\boverload|\binternal( server)? error|` +
		`\bserver[ _-]?(side )?(had an )?(error|issue|busy|is busy)|\bunavailable\b|\bbad gateway|` +
		`\bgateway time|\bcapacity\b|\bhigh (demand|load)|\btimed? ?-?out\b|\bconnect(ion|ing|ed)?\b|` +
		`\bnetwork\b|\becon\w+|\benotfound|\beai_again|\bsocket\b|\bfetch failed|\bdns\b|\bcertificate\b|` +
		`\bstream (error|disconnected|closed|ended)|\bdisconnected\b|\boffline\b|\bunreachable|` +
		`\bhost\b.{0,20}\bnot found`}},
	{core.Errored, core.ReasonOther, &Pattern{Expr: "" +
		`(?i)\berrors?\b|\bfailed\b|\bfailure\b|\b4\d\d\b|\bunable to\b|\brejected\b|\binvalid\b`}},
}

// knownSigns returns failureSigns, with what a text must hold to match each.
var knownSigns = sync.OnceValue(func() []failureSign {
	for i, holds := range failureHolds() {
		failureSigns[i].words.Holds = holds
	}
	return failureSigns
})

// NamesLimit reports whether a message of a failed request says that a usage limit is reached.
func NamesLimit(message string) bool {
	state, _ := CauseOf(message)
	return state == core.Limited
}

// CauseOf returns the state and the reason that a message of a failed request proves; empty where it proves none.
func CauseOf(message string) (core.State, core.Reason) {
	signs := knownSigns()
	i := slices.IndexFunc(signs, func(s failureSign) bool { return s.words.MatchString(message) })
	if i < 0 {
		return "", ""
	}
	return signs[i].state, signs[i].reason
}

// limitKinds matches the words for the quantities that a plan limits.
const limitKinds = `\b((ai|code|free|plan|usage|session|weekly|daily|monthly|hourly|\d+[- ]?h(ou)?rs?|` +
	`spending|spend|account|included|premium|tokens?|request|requests|messages?|model|opus|sonnet|haiku|` +
	`fable|pro|subscription|extra) )+`

// failureShape matches the usual forms of an error: its subject before a colon or a status, the body of an answer, or
// the event and, behind a middle dot, the remedy.
var failureShape = &Pattern{Expr: "" +
	`(?i)^([^.·]{1,40} · )?((the|an?|unexpected|fatal|unhandled|upstream|api|http|https|llm|model|request|` +
	`response|server|connection|network|authentication|authorization|auth|billing|payment|stream|provider|` +
	`quota|usage|rate[ -]?limit|internal|unknown) )*(error|failure|exception|failed)( (code|` +
	`status))?( \d{3})?( ?\([^()]*\))?: ?\S|` +
	`^(unexpected |http |last )?(status|error)( code)?:? \(?[45]\d\d\b|^[45]\d\d [{"\[]|` +
	`[{\[]"?(type|error|code|status|message)"?: ?["{\d]|` +
	`^[^.·]{4,90} · (please |then )?(run|try|retry|retrying|add|check|resets?|sign|log|upgrade|fix|see|` +
	`visit|contact|switch|update|renew|wait|use|buy|go|manage|restart|open|reset)\b|` +
	`^[^.·]{4,90} · /[a-z]`}

// failureTalk matches sentences that explain an error.
var failureTalk = &Pattern{Expr: "" +
	`(?i)^(the |an? )?[^.·{]{0,60}\b(means?|indicates?|occurs?|happens?|refers?|tells|is (what|how|when|why|` +
	`the|an?|returned|raised|thrown|shown|sent)|are (returned|raised|thrown)|can be|could be|would be|` +
	`should)\b`}

// failed returns what a rule with Failure finds where a turn failed. Sure is true
// where another rule says that it did.
func (sr *scopedRule) failed(r *Reading, sure bool) (Match, bool) {
	found, ok := sr.match(r)
	if !ok {
		return Match{}, false
	}
	rows := r.see(sr.extent)
	text := sr.said(rows, found.Row-r.page.offset)
	if sr.Failure == failureForm && !sure &&
		(!hinted(text) || !failureShape.MatchString(text) || failureTalk.MatchString(text)) {
		return Match{}, false
	}
	signs := knownSigns()
	i := slices.IndexFunc(signs, func(s failureSign) bool { return s.words.MatchString(text) })
	if i < 0 {
		return Match{}, false
	}
	claim := *sr.Rule
	claim.State, claim.Reason = signs[i].state, signs[i].reason
	found.Rule, found.Line = &claim, text
	return found, true
}

// hints are in the head of every text that failureShape matches. They are looked for
// first: to compile the pattern takes longer than to judge a screen.
var hints = []string{"error", "fail", "exception", "status", "code", "type", "message"}

func hinted(text string) bool {
	const head = 160
	if text = text[:min(len(text), head)]; strings.Contains(text, " · ") {
		return true
	}
	return slices.ContainsFunc(hints, func(hint string) bool { return required.ContainsFolded(text, hint) })
}

// longestFailure bounds the text of a failure, in bytes: what matters is said first.
const longestFailure = 600

// said is the text that begins in a row behind the rule's mark and ends with the
// paragraph, as one line.
func (sr *scopedRule) said(s *seen, first int) string {
	at := slices.Index(s.span, first)
	if sr.Paragraph {
		at = 0
	}
	if at < 0 {
		return ""
	}
	var text strings.Builder
	for i := at; i < len(s.span) && (i == at || s.span[i] == s.span[i-1]+1); i++ {
		row := s.rows[s.span[i]]
		if i == at {
			if _, end := sr.All[0].find(row); end > 0 {
				row = row[end:]
			}
		}
		if row = strings.Trim(row, " │┃█"); row == "" {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(row)
		if text.Len() > longestFailure {
			break
		}
	}
	return text.String()
}

// withFailures adds a match of the general signs of a failure where no rule knows the words: at most one, before the
// rules of a lower priority, which only say that the turn failed.
func (r *Reading) withFailures(matches []Match) []Match {
	for i := range r.kind.reader.failures {
		rule := &r.kind.reader.failures[i]
		failed := len(matches)
		for at, m := range matches {
			switch {
			case m.Rule.State == core.Limited, m.Rule.State == core.Errored &&
				(m.Rule.Reason != core.ReasonOther || m.Rule.Priority > rule.Priority):
				return matches
			case m.Rule.State == core.Errored:
				failed = min(failed, at)
			}
		}
		if m, ok := rule.failed(r, failed < len(matches)); ok &&
			(failed == len(matches) || m.Rule.Reason != core.ReasonOther) {
			return slices.Insert(matches, failed, m)
		}
	}
	return matches
}
