// JPEG (ITU-T T.81): segments, each with its marker and length; after SOS the compressed picture, up to the next marker.

import type { ReadPicture } from './picture.js'

const startOfImage = 0xd8
const endOfImage = 0xd9
const startOfScan = 0xda
const damaged = { wrong: 'is a damaged JPEG' }

/** The picture up to EOI, with which the file ends; what programs say about it (APP1 and further, COM) is left out. */
export function readJpeg(file: Uint8Array): ReadPicture {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const parts: Uint8Array[] = [file.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let hasScan = false
  for (let at = 2; at + 2 <= file.byteLength; ) {
    const marker = markerAt(file, at)
    if (marker === undefined || marker === startOfImage) return damaged
    if (marker === endOfImage) {
      parts.push(file.subarray(at, at + 2))
      if (at + 2 !== file.byteLength) return { wrong: 'has something behind the picture' }
      return size === undefined || !hasScan ? damaged : { ...size, bytes: Buffer.concat(parts) }
    }
    if (at + 4 > file.byteLength) return damaged
    let end = at + 2 + view.getUint16(at + 2)
    if (end < at + 4 || end > file.byteLength) return damaged
    if (isFrame(marker)) {
      if (size !== undefined || end < at + 9) return damaged
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    if (marker === startOfScan) {
      hasScan = true
      end = endOfScan(file, end)
    }
    if (!isAside(marker)) parts.push(file.subarray(at, end))
    at = end
  }
  return damaged
}

function markerAt(file: Uint8Array, at: number): number | undefined {
  const marker = file[at + 1]
  return file[at] === 0xff && marker !== undefined && marker >= 0xc0 && marker !== 0xff ? marker : undefined
}

/** SOF0 to SOF15 without the three that are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Comments and what programs add. APP0 says how to show it, APP14 of Adobe in which colours. */
function isAside(marker: number): boolean {
  return marker === 0xfe || (marker > 0xe0 && marker <= 0xef && marker !== 0xee)
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
