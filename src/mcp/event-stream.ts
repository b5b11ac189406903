// An event stream (HTML, server-sent events) that passes event by event, some of them with other data. What is not
// changed goes on byte for byte, as soon as the event is whole.

export interface EventRewriter {
  /** What may go on now. Throws RangeError when an event is larger than it may be. */
  push(bytes: Buffer): Buffer
  /** What is left at the end, unfinished, changed as an event: some readers take it for one. */
  end(): Buffer
}

const [lf, cr] = [0x0a, 0x0d]

/** `change` gives other data for an event, or undefined to leave it as it is. */
export function createEventRewriter(
  change: (data: string) => string | undefined,
  options: { mostBytes: number },
): EventRewriter {
  let pending: Buffer = Buffer.alloc(0)
  /** How far `pending` was looked through for its end. */
  let looked = 0
  const next = (): Buffer | undefined => {
    const end = endOfEvent(pending, looked)
    if (end === undefined) {
      looked = Math.max(0, pending.length - 4)
      return undefined
    }
    const event = pending.subarray(0, end)
    pending = pending.subarray(end)
    looked = 0
    return event
  }
  return {
    push(bytes) {
      pending = Buffer.concat([pending, bytes])
      const out: Buffer[] = []
      for (let event = next(); event !== undefined; event = next()) out.push(rewritten(event, change))
      if (pending.length > options.mostBytes) throw new RangeError('an event is too large')
      return Buffer.concat(out)
    },
    end() {
      const rest = pending
      pending = Buffer.alloc(0)
      return rest.length === 0 ? rest : rewritten(rest, change)
    },
  }
}

/**
 * Behind the empty line that ends the first event: two ends of lines in a row, each CR LF, LF or CR. A CR at the very
 * end may still become CR LF, so it waits.
 */
function endOfEvent(bytes: Buffer, from: number): number | undefined {
  let isEmpty = false
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte !== lf && byte !== cr) {
      isEmpty = false
      continue
    }
    if (byte === cr && i + 1 === bytes.length) return undefined
    if (byte === cr && bytes[i + 1] === lf) i++
    if (isEmpty) return i + 1
    isEmpty = true
  }
  return undefined
}

function rewritten(event: Buffer, change: (data: string) => string | undefined): Buffer {
  // Of a stream that begins with a byte order mark, readers take it off.
  const lines = event
    .toString()
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
  const isData = (line: string) => line === 'data' || line.startsWith('data:')
  const data = lines.filter(isData).map((line) => line.slice(5).replace(/^ /, ''))
  if (data.length === 0) return event
  const changed = change(data.join('\n'))
  if (changed === undefined) return event
  const others = lines.filter((line) => !isData(line) && line !== '')
  return Buffer.from(`${[...others, ...changed.split('\n').map((line) => `data: ${line}`)].join('\n')}\n\n`)
}
