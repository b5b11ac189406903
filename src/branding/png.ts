// PNG (W3C PNG, third edition): the signature, then chunks, each with its length, name and checksum.

import { crc32 } from 'node:zlib'
import type { ReadPicture } from './picture.js'

const signature = 8
/** What the picture is made of. All others say something about it. */
const kept: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'gAMA', 'sRGB', 'cHRM', 'sBIT'])
const animated: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT'])
const damaged = { wrong: 'is a damaged PNG' }

/** Each chunk by its checksum, up to IEND, with which the file ends. */
export function readPng(file: Uint8Array): ReadPicture {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const parts: Uint8Array[] = [file.subarray(0, signature)]
  let size: { width: number; height: number } | undefined
  let hasData = false
  for (let at = signature; at + 12 <= file.byteLength; ) {
    const length = view.getUint32(at)
    const end = at + 12 + length
    if (end > file.byteLength) return damaged
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8))
    if (crc32(file.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return damaged
    if (animated.has(name)) return { wrong: 'moves; a logo stands still' }
    const isFirst = at === signature
    if (isFirst !== (name === 'IHDR') || (isFirst && length !== 13)) return damaged
    if (isFirst) size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    hasData ||= name === 'IDAT'
    if (kept.has(name)) parts.push(file.subarray(at, end))
    else if (/^[A-Z]/.test(name)) return damaged
    at = end
    if (name !== 'IEND') continue
    if (end !== file.byteLength) return { wrong: 'has something behind the picture' }
    return size === undefined || !hasData ? damaged : { ...size, bytes: Buffer.concat(parts) }
  }
  return damaged
}
