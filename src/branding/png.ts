// PNG (W3C PNG, third edition): the signature, then chunks, each with its length, name and checksum.

import { crc32, inflateSync } from 'node:zlib'
import { mostLogoPixels, type ReadPicture } from './picture.js'

const signature = 8
/** What the picture is drawn with, and how often; all others say something about it. IDAT stand in one row. */
const kept: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
const animated: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT'])
const damaged = { wrong: 'is a damaged PNG' }

/** By colour type: samples of a pixel, and how many bits each may have. */
const colourTypes = new Map<number, { samples: number; depths: readonly number[] }>([
  [0, { samples: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, depths: [8, 16] }],
  [3, { samples: 1, depths: [1, 2, 4, 8] }],
  [4, { samples: 2, depths: [8, 16] }],
  [6, { samples: 4, depths: [8, 16] }],
])
/** Adam7: where each pass begins and how far apart its pixels are, across and down. */
const passes = [
  ...[[0, 8, 0, 8] as const, [4, 8, 0, 8] as const, [0, 4, 4, 8] as const, [2, 4, 0, 4] as const],
  ...[[0, 2, 2, 4] as const, [1, 2, 0, 2] as const, [0, 1, 1, 2] as const],
]

interface Header {
  width: number
  height: number
  colour: number
  bitsPerPixel: number
  interlaced: boolean
}

/** Each chunk by its checksum, up to IEND, with which the file ends; the pixels are as many as the header says. */
export function readPng(file: Uint8Array): ReadPicture {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const chunks = new Map<string, Uint8Array[]>()
  let before = ''
  for (let at = signature; at + 12 <= file.byteLength; ) {
    const end = at + 12 + view.getUint32(at)
    if (end > file.byteLength) return damaged
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8))
    if (crc32(file.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return damaged
    if (animated.has(name)) return { wrong: 'moves; a logo stands still' }
    if ((at === signature) !== (name === 'IHDR')) return damaged
    const same = chunks.get(name) ?? []
    if (kept.has(name)) {
      if (same.length > 0 && (name !== 'IDAT' || before !== 'IDAT')) return damaged
      chunks.set(name, [...same, file.subarray(at, end)])
    } else if (/^[A-Z]/.test(name)) return damaged
    before = name
    at = end
    if (name !== 'IEND') continue
    return at === file.byteLength ? fromChunks(file, chunks) : { wrong: 'has something behind the picture' }
  }
  return damaged
}

function fromChunks(file: Uint8Array, chunks: ReadonlyMap<string, readonly Uint8Array[]>): ReadPicture {
  const header = headerOf(contentOf(chunks.get('IHDR')))
  const [palette, clear] = [contentOf(chunks.get('PLTE')), contentOf(chunks.get('tRNS'))]
  const data = contentOf(chunks.get('IDAT'))
  if (header === undefined || contentOf(chunks.get('IEND')).byteLength > 0) return damaged
  const { width, height, colour } = header
  if (!isPalette(colour, palette) || !isTransparency(colour, clear, palette)) return damaged
  // Nothing is unpacked of a picture of other sides than a logo may have: it is refused for that.
  const isBounded = Math.max(width, height) <= mostLogoPixels && Math.min(width, height) > 0
  if (isBounded && !isPixels(data, packedBytes(header))) return damaged
  const parts = [...kept].flatMap((name) => chunks.get(name) ?? [])
  return { width, height, bytes: Buffer.concat([file.subarray(0, signature), ...parts]) }
}

/** Of the chunks of one name, without lengths, names and checksums. */
function contentOf(chunks: readonly Uint8Array[] = []): Uint8Array {
  return Buffer.concat(chunks.map((chunk) => chunk.subarray(8, -4)))
}

function headerOf(content: Uint8Array): Header | undefined {
  const [depth = 0, colour = -1, compression, filter, interlace = 2] = content.subarray(8)
  const known = colourTypes.get(colour)
  if (content.byteLength !== 13 || known?.depths.includes(depth) !== true) return undefined
  if (compression !== 0 || filter !== 0 || interlace > 1) return undefined
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const bitsPerPixel = depth * known.samples
  return { width: view.getUint32(0), height: view.getUint32(4), colour, bitsPerPixel, interlaced: interlace === 1 }
}

function isPalette(colour: number, { byteLength }: Uint8Array): boolean {
  if (colour === 0 || colour === 4) return byteLength === 0
  return byteLength % 3 === 0 && byteLength <= 768 && (colour === 2 || colour === 6 || byteLength > 0)
}

function isTransparency(colour: number, { byteLength }: Uint8Array, palette: Uint8Array): boolean {
  if (byteLength === 0) return true
  if (colour === 3) return byteLength <= palette.byteLength / 3
  return (colour === 0 && byteLength === 2) || (colour === 2 && byteLength === 6)
}

/** How long the lines of the picture are, each with the byte that names its filter. */
function packedBytes({ width, height, bitsPerPixel, interlaced }: Header): number {
  const linesOf = (across: number, down: number) =>
    across === 0 ? 0 : down * (1 + Math.ceil((across * bitsPerPixel) / 8))
  if (!interlaced) return linesOf(width, height)
  return passes.reduce((sum, [x, dx, y, dy]) => {
    const [across, down] = [Math.max(0, Math.ceil((width - x) / dx)), Math.max(0, Math.ceil((height - y) / dy))]
    return sum + linesOf(across, down)
  }, 0)
}

/** Whether the data unpacks to exactly so many bytes, at most 8 MiB, and ends there. */
function isPixels(data: Uint8Array, length: number): boolean {
  try {
    const options = { info: true, maxOutputLength: Math.max(1, length) } as const
    const { buffer, engine } = inflateSync(data, options) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    return buffer.byteLength === length && engine.bytesWritten === data.byteLength
  } catch {
    return false
  }
}
