// Whether our client reads an answer as undici does, and as it reads the same answer in other pieces.

import { type Reading, readByUndici, readOurselves } from './scripted-socket.js'

/** In latin1. */
export const bytesOf = (text: string) => Buffer.from(text, 'latin1')
/** undici leaves the spaces and tabs behind a value, which are none of it (RFC 9112 §5). */
const trimmed = (fields: string[]) => fields.map((one) => one.replace(/[ \t]+$/, ''))
const what = ({ end, status, fields, body, trailers }: Reading) => ({
  ...{ end, status, body },
  fields: trimmed(fields),
  trailers: trimmed(trailers),
})

/** What is wrong with our reading; undefined: nothing. */
export async function laxness(text: string): Promise<string | undefined> {
  const bytes = bytesOf(text)
  const ours = readOurselves([bytes])
  if (ours.end !== 'whole') return undefined
  const theirs = await readByUndici(bytes)
  if (JSON.stringify(what(ours)) !== JSON.stringify(what(theirs)))
    return `${JSON.stringify(ours)} for ${JSON.stringify(theirs)}`
  return ours.isKept && !theirs.isKept ? 'kept' : undefined
}

/** A reading that depends on where the bytes are cut; undefined: there is none. */
export function cutDiffers(text: string, step = 1): string | undefined {
  const bytes = bytesOf(text)
  const whole = JSON.stringify(outcome(readOurselves([bytes])))
  for (let at = 1; at < bytes.length; at += step) {
    const cut = outcome(readOurselves([bytes.subarray(0, at), bytes.subarray(at)]))
    if (JSON.stringify(cut) !== whole) return `at ${at}: ${JSON.stringify(cut)} for ${whole}`
  }
  if (bytes.length > 2_000) return undefined
  const single = outcome(readOurselves([...bytes].map((_, at) => bytes.subarray(at, at + 1))))
  return JSON.stringify(single) === whole ? undefined : `byte by byte: ${JSON.stringify(single)} for ${whole}`
}

/** How much of a body comes before a refusal may depend on the cuts, and nothing else. */
function outcome(reading: Reading) {
  return reading.end === 'whole' ? reading : reading.end
}
