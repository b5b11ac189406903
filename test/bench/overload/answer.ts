// Reads answers as far as a load generator needs them, without a text of the whole head for each.

export interface Answer {
  status: number
  /** Seconds; 0 where nothing is said. */
  retryAfter: number
  /** Whether the connection ends with it. */
  isLast: boolean
}

const lengthField = Buffer.from('ontent-length: ')
const lengthFieldToo = Buffer.from('ontent-Length: ')

/** Undefined while an answer is not whole; one without Content-Length is chunked and ends in a 0 chunk. */
export function readAnswer(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const small = bytes.indexOf(lengthField)
  const at = small !== -1 ? small : bytes.indexOf(lengthFieldToo)
  const isWhole =
    at === -1 || at > end
      ? bytes.indexOf('0\r\n\r\n', end + 4) !== -1
      : bytes.length >= end + 4 + Number.parseInt(bytes.toString('latin1', at + lengthField.length, end + 1), 10)
  if (!isWhole) return undefined
  const status = Number(bytes.toString('latin1', 9, 12))
  const isLast = bytes.subarray(0, end).includes('onnection: close')
  return { status, retryAfter: status === 503 ? retryAfterOf(bytes.toString('latin1', 0, end)) : 0, isLast }
}

function retryAfterOf(head: string): number {
  return Number(/\r\nretry-after: *(\d+)/i.exec(head)?.[1] ?? 0)
}
