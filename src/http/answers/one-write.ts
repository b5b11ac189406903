// The end of an answer in one piece. Node hands head, body and end to the socket as three, which is a gathered write of
// three buffers; a text is put behind the head and written as one.

import type { ServerResponse } from 'node:http'

/** Above this, making a text of it costs more than it saves. */
const mostBytes = 16_384

/** Ends the answer with `chunk`, the last or only piece of its body, and keeps nothing of it: bytes, or text of ASCII. */
export function endWith(response: ServerResponse, chunk: Buffer | string): void {
  const { socket } = response
  if (socket === null || chunk.length > mostBytes || response.writableLength > 0) {
    if (typeof chunk === 'string') response.end(chunk, 'latin1')
    else response.end(Buffer.from(chunk))
    return
  }
  // Corked here, Node does not put it off to the next tick; written out at once, its end needs no write of its own.
  socket.cork()
  response.write(typeof chunk === 'string' ? chunk : chunk.toString('latin1'), 'latin1')
  socket.uncork()
  response.end()
}
