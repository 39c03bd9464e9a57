// Cupola's hooks. "cupola plugin remove KIND" takes them away.
// Folders made: FOLDERS
import { spawn } from "node:child_process"

const command = SELF
const wanted = [EVENTS]

// Cupola is told of one event after another, and never waited for by the agent.
let last: Promise<void> = Promise.resolve()
const tell = (event: object) => {
  last = last.then(() => new Promise<void>((done) => {
    try {
      const hook = spawn(command, ["hook", "KIND", MARK], { stdio: ["pipe", "ignore", "ignore"] })
      hook.on("error", () => done())
      hook.on("close", () => done())
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(event))
    } catch {
      done()
    }
  }))
}

export default function (pi: any) {
  let busy = false
  let outcome = ""
  let error = ""
  const heard = (type: string) => (event: any, ctx: any) => {
    try {
      if (type === "agent_start") [busy, outcome, error] = [true, "", ""]
      if (type === "agent_settled") busy = false
      let session = ""
      try { session = ctx.sessionManager.getSessionId() } catch {}
      const ended = type === "agent_settled" && event.aborted ? "aborted" : outcome
      tell({ type, session, busy: String(busy), outcome: ended, error, reason: event?.reason ?? "" })
    } catch {}
  }
  // How the last message of a run ended is how the run did; a retry begins another one.
  pi.on("agent_end", (event: any) => {
    try {
      const answers = (event.messages ?? []).filter((m: any) => m.role === "assistant")
      const answer = answers[answers.length - 1]
      outcome = answer?.stopReason ?? ""
      error = String(answer?.errorMessage ?? "").slice(0, 500)
    } catch {}
  })
  for (const type of wanted) pi.on(type, heard(type))
}
