// WebP (RFC 9649): a RIFF container of one picture, VP8 or VP8L, with what VP8X says of it.

import type { ReadPicture } from './picture.js'

const damaged = { wrong: 'is a damaged WebP' }
const animationFlag = 0x02
const alphaFlag = 0x10

/** The picture and its transparency in a container that is written anew: nothing else of the file stays. */
export function readWebp(file: Uint8Array): ReadPicture {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (file.byteLength < 20 || nameAt(file, 8) !== 'WEBP') return damaged
  const size = view.getUint32(4, true) + 8
  if (size < file.byteLength) return { wrong: 'has something behind the picture' }
  if (size !== file.byteLength) return damaged
  const chunks = new Map<string, Uint8Array>()
  for (let at = 12; at < file.byteLength; ) {
    if (at + 8 > file.byteLength) return damaged
    const length = view.getUint32(at + 4, true)
    const end = at + 8 + length + (length % 2)
    const name = nameAt(file, at)
    if (end > file.byteLength || chunks.has(name)) return damaged
    chunks.set(name, padded(file.subarray(at, at + 8 + length)))
    at = end
  }
  return fromChunks(chunks)
}

function fromChunks(chunks: ReadonlyMap<string, Uint8Array>): ReadPicture {
  const [extended, lossy, lossless] = [chunks.get('VP8X'), chunks.get('VP8 '), chunks.get('VP8L')]
  const picture = lossy ?? lossless
  if (chunks.has('ANIM') || chunks.has('ANMF') || ((extended?.[8] ?? 0) & animationFlag) !== 0) {
    return { wrong: 'moves; a logo stands still' }
  }
  if (picture === undefined || (lossy !== undefined && lossless !== undefined)) return damaged
  const own = lossy === undefined ? losslessSize(picture) : lossySize(picture)
  if (own === undefined) return damaged
  const alpha = lossy === undefined ? undefined : chunks.get('ALPH')
  if (extended === undefined) return chunks.has('ALPH') ? damaged : { ...own, bytes: container([picture]) }
  if (extended.byteLength !== 18) return damaged
  const canvas = { width: 1 + threeBytes(extended, 12), height: 1 + threeBytes(extended, 15) }
  if (canvas.width !== own.width || canvas.height !== own.height) return damaged
  // VP8L has its transparency itself.
  if (alpha === undefined) return { ...own, bytes: container([picture]) }
  const header = Buffer.alloc(18)
  header.set(extended.subarray(0, 8))
  header[8] = alphaFlag
  header.set(extended.subarray(12), 12)
  return { ...own, bytes: container([header, alpha, picture]) }
}

/** RFC 6386 §9.1: three bytes, of which a bit says that it is a whole picture, the start code, then 14 bits each. */
function lossySize(chunk: Uint8Array): { width: number; height: number } | undefined {
  if (
    chunk.byteLength < 18 ||
    ((chunk[8] ?? 1) & 1) !== 0 ||
    chunk[11] !== 0x9d ||
    chunk[12] !== 0x01 ||
    chunk[13] !== 0x2a
  )
    return undefined
  const view = new DataView(chunk.buffer, chunk.byteOffset)
  return { width: view.getUint16(14, true) & 0x3fff, height: view.getUint16(16, true) & 0x3fff }
}

/** RFC 9649 §3.4: one byte, then 14 bits each, less one; one of transparency, three of a version that is 0. */
function losslessSize(chunk: Uint8Array): { width: number; height: number } | undefined {
  if (chunk.byteLength < 13 || chunk[8] !== 0x2f) return undefined
  const bits = new DataView(chunk.buffer, chunk.byteOffset).getUint32(9, true)
  if (bits >>> 29 !== 0) return undefined
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}

/** To an even number of bytes, by a byte that says nothing. */
function padded(chunk: Uint8Array): Uint8Array {
  return chunk.byteLength % 2 === 0 ? chunk : Buffer.concat([chunk, Buffer.alloc(1)])
}

function container(chunks: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(chunks)
  const head = Buffer.alloc(12)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(content.byteLength + 4, 4)
  head.write('WEBP', 8, 'latin1')
  return Buffer.concat([head, content])
}

function nameAt(file: Uint8Array, at: number): string {
  return String.fromCharCode(...file.subarray(at, at + 4))
}

function threeBytes(chunk: Uint8Array, at: number): number {
  return (chunk[at] ?? 0) | ((chunk[at + 1] ?? 0) << 8) | ((chunk[at + 2] ?? 0) << 16)
}
