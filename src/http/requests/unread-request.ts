// Requests as Node hands them over, but for one thing: a request without a body that nobody reads ends in silence. Node
// says its end to a stream, and reads the nothing that there is once the answer is out, in six ticks and with as many
// events, for listeners that hardly any request has. Later Nodes leave that out too, when they are told to
// (optimizeEmptyRequests).

import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** What Node calls when the answer to a request is out, so that the rest of it does not stand in the way of the next. */
interface Dumped {
  _dump(): void
}

const hasEnded = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')?.get ?? (() => false)

/** For `createServer` of node:http and node:https. Those who listen for its end, or read it, find what Node has. */
export class QuietRequest extends IncomingMessage {
  #isOver = false
  #isRead = false
  /** Its end has come, and is said to the first who reads. */
  #isEndKept = false

  static {
    // Node forgets a request that has ended at once, and any other one when the next one comes.
    Object.defineProperty(QuietRequest.prototype, 'readableEnded', {
      configurable: true,
      get(this: QuietRequest) {
        return this.#isOver || hasEnded.call(this)
      },
    })
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null && !this.#isRead && hasNoBody(this)) {
      this.#isEndKept = true
      return false
    }
    return super.push(chunk, encoding)
  }

  override _read(size: number): void {
    this.#isRead = true
    if (!this.#isEndKept) return void super._read(size)
    this.#isEndKept = false
    super.push(null)
  }

  _dump(): void {
    if (this.#isOver) return
    if (this.complete && hasNoBody(this) && !isAwaited(this)) this.#isOver = true
    else (IncomingMessage.prototype as unknown as Dumped)._dump.call(this)
  }
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

/** Whether somebody waits for its end. */
function isAwaited(request: IncomingMessage): boolean {
  return request.listenerCount('end') > 0 || request.listenerCount('close') > 0 || request.listenerCount('readable') > 0
}
