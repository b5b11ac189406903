// 100 Continue that an upstream sends although the request has no Expect field: a client has to be able to read it (RFC
// 9110 §15.2), and the one that the gate uses ends the connection instead. So it is taken out of what is read, and only
// where the head of an answer is due: behind a request that was just written, before anything else that is no interim
// answer.

import type { Socket } from 'node:net'

const endOfHead = Buffer.from('\r\n\r\n')
/** As much as the head of an answer may have; whatever is longer goes on as it is. */
const mostHeld = 32_768
/** The first digit of its status, behind `HTTP/1.1 `. */
const firstOfInterim = 0x31

/** From now on `socket` gives what its other end says without such answers. One request at a time is written on it. */
export function withoutContinue(socket: Socket): void {
  const { read, write } = socket
  const filter = new HeadFilter()
  socket.read = (size?: number) => {
    for (;;) {
      const bytes = read.call(socket, size) as Buffer | null
      if (bytes === null || !filter.isDue) return bytes
      const passed = filter.pass(bytes)
      if (passed.length > 0) return passed
    }
  }
  socket.write = (chunk: unknown, encoding?: unknown, written?: unknown) => {
    // A request begins with its method; what frames the pieces of a body does not, and a body is no text here.
    if (typeof chunk === 'string' && isCapital(chunk.charCodeAt(0))) filter.expect()
    return write.call(socket, chunk as string, encoding as BufferEncoding, written as () => void)
  }
}

class HeadFilter {
  /** The head of an answer comes next. */
  isDue = false
  #held: Buffer = Buffer.alloc(0)

  expect(): void {
    this.isDue = true
  }

  /** What goes on of these bytes; the beginning of an interim answer waits for its end. */
  pass(bytes: Buffer): Buffer {
    if (this.#held.length === 0 && bytes.length > 12 && bytes[9] !== firstOfInterim) {
      this.isDue = false
      return bytes
    }
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = Buffer.alloc(0)
    const passed: Buffer[] = []
    while (rest.length > 0) {
      const status = rest.toString('latin1', 0, 12)
      const isInterim = /^HTTP\/1\.[01] 1(?!01)/.test(status)
      const end = isInterim || 'HTTP/1.1 1'.startsWith(status) ? rest.indexOf(endOfHead) : 0
      if (end === -1 && rest.length < mostHeld) {
        this.#held = rest
        break
      }
      if (!isInterim || end === -1) {
        this.isDue = false
        passed.push(rest)
        break
      }
      if (!status.endsWith('100')) passed.push(rest.subarray(0, end + endOfHead.length))
      rest = rest.subarray(end + endOfHead.length)
    }
    return passed.length === 1 ? (passed[0] as Buffer) : Buffer.concat(passed)
  }
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90
}
