// Pictures of a profile: data URIs (RFC 2397) with a JPEG inside that really is one. A program that shows the profile
// hands these bytes to a decoder, so what only claims to be a picture, or has something hidden behind it, is refused.

const prefix = 'data:image/jpeg;base64,'

/** The longest data URI of a picture, in characters. */
export const maxPictureLength = 262_144

const marker = { startOfImage: 0xd8, endOfImage: 0xd9, startOfScan: 0xda, temporary: 0x01 } as const

/**
 * Whether `uri` is a data URI of a whole JPEG, image/jpeg, in canonical base64 and not longer than maxPictureLength.
 */
export function isJpegDataUri(uri: string): boolean {
  if (uri.length > maxPictureLength || !uri.startsWith(prefix)) return false
  const encoded = uri.slice(prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded && isJpeg(bytes)
}

/**
 * Walks the segments of a JPEG (ITU-T T.81 annex B): start, one frame header with a size, at least one scan with data,
 * and the end exactly at the end of the bytes, so that nothing is appended.
 */
export function isJpeg(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0xff || bytes[1] !== marker.startOfImage) return false
  let at = 2
  let frames = 0
  let scans = 0
  while (bytes[at] === 0xff) {
    while (bytes[at + 1] === 0xff) at += 1
    const kind = bytes[at + 1]
    at += 2
    if (kind === undefined) return false
    if (kind === marker.endOfImage) return frames === 1 && scans > 0 && at === bytes.length
    if (kind === marker.temporary) continue
    const end = segmentEnd(bytes, at, kind)
    if (end === undefined) return false
    if (isFrame(kind) && hasSize(bytes, at, end)) frames += 1
    at = end
    if (kind !== marker.startOfScan) continue
    const dataEnd = scanEnd(bytes, at)
    if (frames !== 1 || dataEnd === at) return false
    scans += 1
    at = dataEnd
  }
  return false
}

/** Where a segment with a length field ends; undefined for reserved and stand-alone markers and beyond the bytes. */
function segmentEnd(bytes: Uint8Array, at: number, kind: number): number | undefined {
  if (kind < 0xc0 || (kind >= 0xd0 && kind <= marker.startOfImage)) return undefined
  const length = twoBytes(bytes, at)
  return length >= 2 && at + length <= bytes.length ? at + length : undefined
}

function isFrame(kind: number): boolean {
  // 0xC4, 0xC8 and 0xCC in the middle of the frame headers are tables and an extension.
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc
}

/** Length, precision, height, width, number of components, three bytes for each of them. */
function hasSize(bytes: Uint8Array, at: number, end: number): boolean {
  const components = bytes[at + 7] ?? 0
  const whole = end - at === 8 + 3 * components && components >= 1 && components <= 4
  return whole && twoBytes(bytes, at + 3) > 0 && twoBytes(bytes, at + 5) > 0
}

/** Where the entropy-coded data ends: at a marker that is neither a stuffed zero nor a restart. */
function scanEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length) {
    const next = bytes[at + 1]
    const inside = bytes[at] !== 0xff || next === 0x00 || (next !== undefined && next >= 0xd0 && next <= 0xd7)
    if (!inside) return at
    at += 1
  }
  return at
}

function twoBytes(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}
