// As much of WebSocket framing as a bystander needs (RFC 6455 §5.2): where one frame ends and the next begins, so that
// a Close of our own is never put into the middle of somebody else's frame. Payloads are not looked at.

const close = 0x8
/** Two bytes, and with them eight of length and four of mask. */
const shortestHeader = 2

/** Follows one direction of a connection. A class, because it keeps the state of one of thousands of connections. */
export class FrameTracker {
  #headerBytes = 0
  #headerLength = shortestHeader
  #lengthBytes = 0
  #announced = 0
  #payload = 0
  #closed = false

  /** Whether the bytes so far end with a frame. */
  get isBetween(): boolean {
    return this.#payload === 0 && this.#headerBytes === 0
  }

  /** Whether a Close has gone by; nothing may follow it (§5.5.1). */
  get hasClosed(): boolean {
    return this.#closed
  }

  /**
   * Follows `bytes`, or only as many of them as belong to the frame that has begun. The answer: how many were followed.
   */
  follow(bytes: Uint8Array, until: 'end' | 'next frame'): number {
    let i = 0
    while (i < bytes.length) {
      if (until === 'next frame' && this.isBetween) break
      if (this.#payload > 0) {
        const taken = Math.min(this.#payload, bytes.length - i)
        this.#payload -= taken
        i += taken
      } else {
        this.#header(bytes[i] as number)
        i += 1
      }
    }
    return i
  }

  #header(byte: number): void {
    this.#headerBytes += 1
    if (this.#headerBytes === 1) {
      if ((byte & 0x0f) === close) this.#closed = true
      return
    }
    if (this.#headerBytes === shortestHeader) this.#shortHeader(byte)
    else if (this.#headerBytes <= shortestHeader + this.#lengthBytes) this.#announced = this.#announced * 256 + byte
    if (this.#headerBytes < this.#headerLength) return
    this.#headerBytes = 0
    this.#payload = this.#announced
  }

  #shortHeader(byte: number): void {
    const length = byte & 0x7f
    this.#lengthBytes = length === 127 ? 8 : length === 126 ? 2 : 0
    this.#announced = this.#lengthBytes === 0 ? length : 0
    this.#headerLength = shortestHeader + this.#lengthBytes + ((byte & 0x80) === 0 ? 0 : 4)
  }
}

/** A Close frame of a server: a code of §7.4, and a word that is safe to send, of at most 123 bytes. */
export function closeFrame(code: number, reason: string): Buffer {
  const payload = Buffer.from(`..${reason}`, 'latin1')
  payload.writeUInt16BE(code, 0)
  return Buffer.concat([Buffer.from([0x80 | close, payload.length]), payload])
}
