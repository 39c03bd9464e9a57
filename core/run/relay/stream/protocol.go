package stream

import (
	"cmp"
	"encoding/json"

	"cupola/core"
	"cupola/core/agent/acp"
	"cupola/core/agent/acp/rpc"
)

// protocolReader reads the events of an agent that is asked by the Agent Client Protocol.
type protocolReader struct {
	r *Reader
	// apart is true if the next text belongs to another message than the last.
	apart bool
	// calls are the statuses of the tool calls.
	calls map[string]acp.CallStatus
	// refused is true if the agent was refused something.
	refused bool
}

func newProtocol(r *Reader) parser {
	return (&protocolReader{r: r, calls: map[string]acp.CallStatus{}}).line
}

func (p *protocolReader) line(line []byte) {
	var e acp.Event
	if json.Unmarshal(line, &e) != nil || e.Replayed {
		return
	}
	switch e.Type {
	case acp.Opened:
		p.r.about(e.Text, "")
	case acp.Said:
		if p.apart && e.Message == "" {
			p.r.begin("")
		}
		p.apart = false
		if e.Message == "" {
			p.r.add(e.Text)
		} else {
			p.r.piece(e.Message, e.Text)
		}
	case acp.Called:
		p.apart = true
		p.called(e.Call)
	case acp.Sent, acp.Thought, acp.Planned:
		p.apart = true
	case acp.Settled:
		p.settled(&e)
	case acp.Notice:
		p.r.warn(e.Text)
	case acp.Ended:
		p.ended(&e)
	}
}

// called reports the begin and the end of a tool call.
func (p *protocolReader) called(call *acp.Call) {
	before, known := p.calls[call.ID]
	p.calls[call.ID] = call.Status
	text := oneLine(cmp.Or(call.Command, call.Title))
	switch {
	case call.Status == before:
	case call.Status == acp.Completed:
		p.r.tool(call.Kind, text, statusOf(false))
	case !call.Status.Open():
		p.r.tool(call.Kind, text, statusOf(true))
	case !known:
		p.r.tool(call.Kind, text, "started")
	}
}

// settled reports a request that was refused.
func (p *protocolReader) settled(e *acp.Event) {
	for _, option := range e.Ask.Options {
		if option.ID == e.Text && (option.Kind == "allow_once" || option.Kind == "allow_always") {
			return
		}
	}
	p.refused = true
	p.r.warn("refused: " + oneLine(cmp.Or(e.Ask.Call.Command, e.Ask.Call.Title)))
}

func (p *protocolReader) ended(e *acp.Event) {
	if u := e.Usage; u != nil {
		p.r.about("", u.Model)
		if u.Input+u.Output+u.CacheRead+u.CacheWrite > 0 || u.CostUSD != nil {
			p.r.used(&Usage{
				Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output,
				Reasoning: u.Thought, CostUSD: u.CostUSD,
			})
		}
	}
	if e.Err != nil {
		code := codeOf(e.Err.Code)
		if e.Err.Code == rpc.CodeAuthRequired {
			code = core.AuthFailed
		}
		if e.Stop != acp.Lost {
			p.r.fail(code, e.Err.Text, "")
		}
		return
	}
	stop := map[acp.Stop]StopReason{
		acp.EndTurn: StopEnd, acp.MaxTokens: StopLength, acp.MaxTurns: StopTurns, acp.Refusal: StopRefusal,
		acp.Cancelled: StopInterrupt,
	}[e.Stop]
	if p.refused && (stop == StopInterrupt || p.r.Answer() == "") {
		stop = StopTool
	}
	p.r.done(stop)
}
