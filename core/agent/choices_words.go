package agent

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// escaped is the label of what Escape chooses, alwaysTitle the title of a dialog that asks whether to allow for good.
var (
	escaped     = compiled(`(?i)^(no|deny|reject|cancel|don.t)\b.*\(esc( to \w+)?\)$`)
	alwaysTitle = compiled(`(?i)^\W*always allow\b`)
)

// What dialogs ask with.
var (
	planWords = compiled(`(?i)\b(exit|leave) plan mode\b|\bkeep planning\b|\b(implement|approve|accept|` +
		`execute) (the|this) plan\b|` +
		`\bmanually approve edits\b|\bplan\b[^.?]{0,40}\?$`)
	approvalWords = compiled(`(?i)\b(allow|approve) (once|always|tool|execution|this|the|command)\b|` +
		`\balways (allow|approve)\b|` +
		`\bneeds (your )?permission\b|\bpermission (required|request)\b|\brequests? permission\b|\bdon.t ask again\b|` +
		`\bwould you like to (run|make|apply|execute|allow)\b|\bapply (this|these) changes?\b|\bwants to (run|` +
		`edit|write|execute|delete|read|use)\b|` +
		`\bdo you want to (run|create|edit|write|make|apply|execute|delete|overwrite|fetch|allow|proceed|use)\b|` +
		`\baccepted to approve\b|\b(run|execute) (\w+ )?(command|tool)\b.*\?`)
	approvalLabels = compiled(`(?i)^(allow|approve|accept)\b`)
	denialLabels   = compiled(`(?i)^(deny|reject|decline|no\b|disallow|skip)`)
	trustWords     = compiled(`(?i)\btrust (this|the|folder|and|parent)\b|\bfolder trust\b|\bsafety check\b|` +
		`\bI trust\b`)
	loginWords = compiled(`(?i)\b(log|sign)(ging|ing)? ?-?in\b|\blogin\b|\bauthenticat|\bapi key\b|` +
		`\boauth\b|\bdevice code\b|\bconnect a provider\b`)
	questionWords = compiled(`(?i)(^|\s)[^\s/]+\?(\s*[(\[][^()\[\]]*[)\]])?$|^question \d+|` +
		`\bneeds information\b|^answer questions?\b`)
	commandRow = compiled(`(?i)^(?:\$|command:|destination:|file:|path:) +(\S.*)$`)
	pathRow    = compiled(`^(?:/|~/|[A-Z]:\\)\S+$`)
	fileRow    = compiled(`^\S*(/\S|\.\w+$)\S*$`)
	headText   = compiled(`^[?◆] +(?:Shell |Bash )?\s*(\S.*?)(?:\s+[(\[][^()\[\]]*[)\]])?(?: ←)?$`)
)

// reasonOf returns what a dialog is for, by its text and the labels of its options.
func reasonOf(text, labels []string) core.Reason {
	says := func(re func() *regexp.Regexp, rows ...[]string) bool {
		return slices.ContainsFunc(slices.Concat(rows...), re().MatchString)
	}
	switch {
	case says(planWords, text, labels):
		return core.ReasonPlan
	case says(approvalWords, text, labels), says(approvalLabels, labels) && says(denialLabels, labels):
		return core.ReasonApproval
	case says(trustWords, text, labels):
		return core.ReasonTrust
	case says(loginWords, text, labels):
		return core.ReasonLogin
	case says(questionWords, text):
		return core.ReasonQuestion
	}
	return core.ReasonDialog
}

// aboutOf returns what a dialog asks about, in one line: the command or the file of an approval, else its question.
func aboutOf(text, fenced []string, reason core.Reason) string {
	for _, row := range text {
		if at := commandRow().FindStringSubmatch(row); at != nil {
			return oneLine(at[1:])
		}
	}
	if reason == core.ReasonTrust {
		if i := slices.IndexFunc(text, pathRow().MatchString); i >= 0 {
			return oneLine(text[i : i+1])
		}
	}
	if reason == core.ReasonQuestion || reason == core.ReasonLogin {
		for _, row := range slices.Backward(text) {
			if head := headText().FindStringSubmatch(row); head != nil {
				row = head[1]
			}
			if strings.HasSuffix(row, "?") && !strings.Contains(row, "://") {
				return oneLine([]string{row})
			}
		}
	}
	inside := strings.Join(fenced, " ")
	for i, row := range text {
		if at := headText().FindStringSubmatch(row); at != nil {
			if inside == "" || strings.Contains(Squeeze(at[1]), Squeeze(inside)) {
				return oneLine(at[1:])
			}
			return oneLine([]string{at[1], inside})
		}
		if len(fenced) > 0 && i > 0 && row == fenced[0] && fileRow().MatchString(text[i-1]) {
			return oneLine([]string{text[i-1], inside})
		}
	}
	if inside != "" {
		return oneLine(fenced)
	}
	if n := len(text); n > 1 && reason == core.ReasonApproval && strings.HasSuffix(text[n-1], "?") {
		text = text[:n-1]
	}
	return oneLine(text)
}

// generalSettle is how long a dialog must have been seen before a key counts, in programs that are not known.
const generalSettle = 600 * time.Millisecond

// keysOf fills in how the options of a dialog are chosen, and what their labels mean.
func keysOf(reason core.Reason, text []string, keys *answerSpec) *answerSpec {
	general := answerSpec{
		Next: []string{"Down"}, Previous: []string{"Up"}, Confirm: []string{"Enter"}, Cancel: []string{"Escape"},
		Settle: generalSettle, Approve: approveLabels, Always: alwaysLabels, Deny: denyLabels, Text: textLabels,
	}
	switch {
	case reason == core.ReasonQuestion:
		general.Approve, general.Always, general.Deny = plainYes, nil, plainNo
	case reason == core.ReasonPlan:
		general.Always = automaticLabels
	case reason == core.ReasonApproval && len(text) > 0 && alwaysTitle().MatchString(text[0]):
		general.Approve, general.Always = nil, approveLabels
	}
	return keys.over(&general)
}

// The labels of options, by what they mean.
var (
	approveLabels = []*Pattern{
		{Expr: `(?i)^(yes|y)$`},
		{Expr: `(?i)^(yes, )?(allow|approve|accept|run)( (once|it|this( (time|command|tool))?))?$`},
		{Expr: `(?i)^yes, (allow once|proceed|continue|and manually approve|and switch to default|manually accept|` +
			`implement|allow)\b`},
		{Expr: `(?i)^(yes, I (trust|accept)|trust (and continue|folder)|(proceed|continue|confirm|ok)$)`},
		{Expr: `(?i)^yes\b`},
	}
	alwaysLabels = []*Pattern{
		{Expr: `(?i)\bdon.t ask again\b|\balways\b|\bsessions?\b|\bremember\b|^yes,? and (never|allow|approve|` +
			`enable|let|skip|stop|turn)\b|` +
			`\bauto-?(accept|approve)|\bautomatically (accept|approve)|\bswitch to (auto|accept)|\ball edits\b|` +
			`\bautopilot\b|` +
			`\b(every|all) (time|tools?|commands?|requests?)\b`},
	}
	automaticLabels = []*Pattern{
		{Expr: `(?i)\bauto-?(accept|approve)|\bautomatically (accept|approve)|\bswitch to (auto|accept)|` +
			`\ball edits\b|\bautopilot\b`},
	}
	denyLabels = []*Pattern{
		{Expr: `(?i)^(no|n)$`},
		{Expr: `(?i)^(no\b|deny\b|reject\b|decline\b|refuse\b|disallow\b|don.t )`},
		{Expr: `(?i)^(cancel|abort|back to|quit|exit|skip)\b`},
	}
	textLabels = []*Pattern{
		{Expr: `(?i)^(type|enter) (something|your|a custom)\b|^none of the above|^other \(type`},
	}
	plainYes = []*Pattern{{Expr: `(?i)^(yes|y)$`}}
	plainNo  = []*Pattern{{Expr: `(?i)^(no|n)$`}}
)
