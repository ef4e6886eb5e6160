// Written by `ebbing init --agent opencode`; `ebbing init --agent opencode --remove` takes it away.
// Gives the session what ebbing remembers, and ebbing what was said. It runs the command below,
// waits no longer than the limits, and lets nothing that goes wrong reach the session.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const OPTIONS = __OPTIONS__
const LIMITS = { "session-start": 6000, "user-prompt": 4000, "tool-result": 4000, stop: 6000, "session-end": 3000 }

function run(hook, event) {
  return new Promise((resolve) => {
    let text = ""
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", hook, ...OPTIONS], {
        stdio: ["pipe", "pipe", "ignore"],
      })
      const timer = setTimeout(() => {
        child.kill()
        resolve("")
      }, LIMITS[hook])
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => (text += piece))
      child.stdin.on("error", () => {})
      child.on("error", () => {
        clearTimeout(timer)
        resolve("")
      })
      child.on("close", () => {
        clearTimeout(timer)
        resolve(text.trim())
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve("")
    }
  })
}

const saidBy = (parts) =>
  parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n")

export const Ebbing = async ({ client, directory }) => {
  const started = new Map()
  const prompted = new Map()
  const sent = new Map()
  // What another agent writes to a subagent was not said by the user.
  const subagents = new Set()

  const send = (hook, sessionID, more = {}) =>
    run(hook, { agent: "opencode", session_id: sessionID, cwd: directory, ...more })

  async function stop(sessionID) {
    const answer = await client.session.messages({ path: { id: sessionID } })
    const known = sent.get(sessionID) ?? new Set()
    const messages = (answer.data ?? [])
      .filter(({ info }) => !known.has(info.id) && (info.role === "user" || info.time.completed))
      .map(({ info, parts }) => ({
        id: info.id,
        role: info.role,
        text: saidBy(parts),
        time: info.time.created,
      }))
    await send("stop", sessionID, { messages })
    for (const message of messages) known.add(message.id)
    sent.set(sessionID, known)
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      if (subagents.has(sessionID)) return
      if (!started.has(sessionID)) {
        started.set(sessionID, await send("session-start", sessionID, { source: "startup" }))
      }
      prompted.set(sessionID, await send("user-prompt", sessionID, { prompt: saidBy(parts) }))
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      for (const block of [started.get(sessionID), prompted.get(sessionID)]) {
        if (block) system.push(block)
      }
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      // Not waited for: the agent goes on.
      void send("tool-result", sessionID, {
        tool_name: tool,
        tool_input: args,
        tool_use_id: callID,
        tool_response: { output: output?.output, metadata: output?.metadata },
      })
    },
    event: async ({ event }) => {
      try {
        if (event.type === "session.created" && event.properties.info?.parentID) {
          subagents.add(event.properties.info.id)
        } else if (event.type === "session.idle" && !subagents.has(event.properties.sessionID)) {
          await stop(event.properties.sessionID)
        } else if (event.type === "session.deleted") {
          await send("session-end", event.properties.info.id)
        }
      } catch {
        // The next turn sends what this one could not.
      }
    },
  }
}
