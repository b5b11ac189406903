// JPEG (ITU-T T.81): segments, each with its marker and length; after SOS the compressed picture, up to the next marker.

import { type JpegPart, jpegPart } from './jpeg-parts.js'
import type { ReadPicture } from './picture.js'

const startOfScan = 0xda
const endOfImage = 0xd9
/** Encoders write about ten of a progressive picture; each one costs who shows it a pass over all of it. */
const mostScans = 32
const damaged = { wrong: 'is a damaged JPEG' }

/** The picture up to EOI, with which the file ends, of the parts that draw it, each written as its rules say. */
export function readJpeg(file: Uint8Array): ReadPicture {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const parts: Uint8Array[] = [file.subarray(0, 2)]
  const kinds = new Set<JpegPart['kind']>()
  let size: { width: number; height: number } | undefined
  let scans = 0
  for (let at = 2; at + 2 <= file.byteLength; ) {
    const marker = file[at] === 0xff ? file[at + 1] : undefined
    if (marker === endOfImage) {
      if (at + 2 !== file.byteLength) return { wrong: 'has something behind the picture' }
      parts.push(file.subarray(at, at + 2))
      return size === undefined || scans === 0 ? damaged : { ...size, bytes: Buffer.concat(parts) }
    }
    if (marker === undefined || at + 4 > file.byteLength) return damaged
    let end = at + 2 + view.getUint16(at + 2)
    if (end < at + 4 || end > file.byteLength) return damaged
    const part = jpegPart(marker, file.subarray(at, end))
    if (part === undefined || (part.kind === 'frame' && size !== undefined)) return damaged
    if (part.kind === 'frame') size = part
    // What programs say of the picture is left out, and what says how to read its colours is said once.
    if (part.kind !== 'aside' && !(isOnce(part) && kinds.has(part.kind))) parts.push(part.bytes)
    kinds.add(part.kind)
    if (marker === startOfScan) {
      if (size === undefined) return damaged
      scans += 1
      if (scans > mostScans) return { wrong: `is drawn in more than ${mostScans} passes` }
      const from = end
      end = endOfScan(file, from)
      parts.push(file.subarray(from, end))
    }
    at = end
  }
  return damaged
}

function isOnce({ kind }: JpegPart): boolean {
  return kind === 'jfif' || kind === 'adobe'
}

/** Where the next marker is that is neither a stuffed byte nor a restart. */
function endOfScan(file: Uint8Array, from: number): number {
  let at = from
  for (; at + 1 < file.byteLength; at += 1) {
    if (file[at] !== 0xff) continue
    const next = file[at + 1] ?? 0
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) break
  }
  return at
}
