// Reads answers as far as a load generator needs them: where one ends, its status, and whether it is the last.

const headEnd = Buffer.from('\r\n\r\n')

/** Undefined while an answer is not whole. Chunked ones end in a 0 chunk. */
export function answerLength(bytes: Buffer): { status: number; isLast: boolean } | undefined {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end).toLowerCase()
  const length = /\r\ncontent-length: *(\d+)/.exec(head)
  const isWhole =
    length === null ? bytes.indexOf('0\r\n\r\n', end + 4) !== -1 : bytes.length >= end + 4 + Number(length[1])
  return isWhole ? { status: Number(head.slice(9, 12)), isLast: head.includes('\r\nconnection: close') } : undefined
}
