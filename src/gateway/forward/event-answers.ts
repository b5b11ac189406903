// A call to an MCP server whose answer comes as events may last like any stream: from its head on it has the place and
// the times of one, so that calls have theirs. Where streams have no place left it stays what it was, a call with the
// times of a call, because its server has begun to carry it out.

import type { Outgoing } from './outgoing-request.js'
import type { RawFields } from './upstream-events.js'

/** Gives whether the request is a stream from now on. Call it once, with the head of its final answer. */
export function becomesStream(outgoing: Outgoing, status: number, fields: RawFields): boolean {
  const { plan, exchange, principal, facts } = outgoing
  if (plan.mcp === undefined || plan.route.stream || status !== 200 || !isEventStream(fields)) return false
  const streaming = plan.mcp.listening(plan)
  const place = streaming.room.take(principal, facts.address, false)
  if (typeof place === 'string') return false
  if (!place.runs) {
    place.leave()
    return false
  }
  exchange.place?.leave()
  exchange.place = place
  outgoing.plan = streaming
  outgoing.call.plan = streaming
  return true
}

function isEventStream(fields: RawFields): boolean {
  for (let i = 0; i < fields.length; i += 2) {
    if (String(fields[i]).toLowerCase() !== 'content-type') continue
    return /^[ \t]*text\/event-stream\b/i.test(String(fields[i + 1]))
  }
  return false
}
