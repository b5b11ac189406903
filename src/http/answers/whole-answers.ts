// Answers that are written to their last byte and not yet ended, because a little of the request's body is dropped
// first.

import type { ServerResponse } from 'node:http'

const written = new WeakSet<ServerResponse>()

/** Notes that nothing will be added to an answer. */
export function noteWritten(response: ServerResponse): void {
  written.add(response)
}

/** Whether the whole of an answer is on its way, so that nothing is cut when it is ended now. */
export function isWholeAnswer(response: ServerResponse): boolean {
  return response.writableEnded || written.has(response)
}
