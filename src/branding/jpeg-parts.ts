// The segments of a JPEG that draw a picture (ITU-T T.81 B.2), each held against its form, so that none has room for
// anything else; of those of programs the two that say how colours are to be read, written anew.

/** One segment: its bytes as they are kept, with the marker; of the frame its dimensions. */
export type JpegPart =
  | { kind: 'frame'; bytes: Uint8Array; width: number; height: number }
  | { kind: 'table' | 'scan' | 'jfif' | 'adobe'; bytes: Uint8Array }
  | { kind: 'aside' }

/** JFIF 1.1, square pixels, no thumbnail: colours are YCbCr. */
const jfif = Uint8Array.of(0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0)
/** Version 100, no flags; the last byte says the colours. */
const adobe = [0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0] as const

/**
 * The segment that begins with this marker; undefined for one that is not of its form, or that browsers draw no picture
 * with: arithmetic and lossless coding, several frames, reserved markers.
 */
export function jpegPart(marker: number, segment: Uint8Array): JpegPart | undefined {
  // Baseline, extended, progressive.
  if (marker >= 0xc0 && marker <= 0xc2) return framePart(segment)
  if (marker === 0xc4) return isHuffman(segment) ? { kind: 'table', bytes: segment } : undefined
  if (marker === 0xdb) return isQuantization(segment) ? { kind: 'table', bytes: segment } : undefined
  if (marker === 0xdd) return segment.byteLength === 6 ? { kind: 'table', bytes: segment } : undefined
  if (marker === 0xda) return isScan(segment) ? { kind: 'scan', bytes: segment } : undefined
  if (marker === 0xe0 && isNamed(segment, 'JFIF\0')) return { kind: 'jfif', bytes: jfif }
  if (marker === 0xee && isNamed(segment, 'Adobe')) return adobePart(segment)
  return marker === 0xfe || (marker >= 0xe0 && marker <= 0xef) ? { kind: 'aside' } : undefined
}

/** Eight bits, one, three or four components of three bytes. */
function framePart(segment: Uint8Array): JpegPart | undefined {
  const [bits, components] = [segment[4], segment[9] ?? 0]
  if (bits !== 8 || ![1, 3, 4].includes(components) || segment.byteLength !== 10 + 3 * components) return undefined
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength)
  return { kind: 'frame', bytes: segment, height: view.getUint16(5), width: view.getUint16(7) }
}

/** Tables of 64 values of one or two bytes, and nothing behind them. */
function isQuantization(segment: Uint8Array): boolean {
  let at = 4
  while (at < segment.byteLength) {
    const head = segment[at] ?? 0
    if (head >> 4 > 1 || (head & 15) > 3) return false
    at += 1 + 64 * (1 + (head >> 4))
  }
  return at === segment.byteLength && at > 4
}

/** Tables of 16 counts and as many values as they say. */
function isHuffman(segment: Uint8Array): boolean {
  let at = 4
  while (at < segment.byteLength) {
    const head = segment[at] ?? 0
    if (head >> 4 > 1 || (head & 15) > 3) return false
    const values = segment.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0)
    if (values > 256) return false
    at += 17 + values
  }
  return at === segment.byteLength && at > 4
}

function isScan(segment: Uint8Array): boolean {
  const components = segment[4] ?? 0
  return components >= 1 && components <= 4 && segment.byteLength === 8 + 2 * components
}

function adobePart(segment: Uint8Array): JpegPart {
  const transform = segment.byteLength === 16 ? segment[15] : undefined
  return transform === undefined || transform > 2
    ? { kind: 'aside' }
    : { kind: 'adobe', bytes: Uint8Array.of(...adobe, transform) }
}

function isNamed(segment: Uint8Array, name: string): boolean {
  return [...name].every((letter, i) => segment[4 + i] === letter.charCodeAt(0))
}
