// A picture that somebody uploads as a logo, taken apart before it is believed: PNG, JPEG or WebP by its bytes, of bounded
// size, one picture, whole, with nothing behind it. What is kept is the picture only: comments, profiles, places and
// thumbnails are left out, and so is everything that could make the file something else to another program. SVG is a
// document that runs, and is none of these.

import { readJpeg } from './jpeg.js'
import { mostLogoPixels } from './picture.js'
import { readPng } from './png.js'
import { readWebp } from './webp.js'

export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp'

/** `bytes`: the picture without anything beside it. */
export interface Logo {
  type: LogoType
  width: number
  height: number
  bytes: Uint8Array
}

/** Of a file, in bytes. */
export const mostLogoBytes = 65_536
const leastLogoPixels = 16

const formats = [
  { type: 'image/png', begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], read: readPng },
  { type: 'image/jpeg', begins: [0xff, 0xd8, 0xff], read: readJpeg },
  { type: 'image/webp', begins: [0x52, 0x49, 0x46, 0x46], read: readWebp },
] as const

/** The logo, or why it is none: the end of a sentence that begins with its name. */
export function readLogo(file: Uint8Array): Logo | { wrong: string } {
  if (file.byteLength > mostLogoBytes) return { wrong: `has ${file.byteLength} bytes, and may have ${mostLogoBytes}` }
  const format = formats.find(({ begins }) => begins.every((byte, at) => file[at] === byte))
  if (format === undefined) return { wrong: 'is a PNG, JPEG or WebP picture; SVG is not taken' }
  const picture = format.read(file)
  if ('wrong' in picture) return picture
  const { width, height, bytes } = picture
  if (Math.max(width, height) > mostLogoPixels || Math.min(width, height) < leastLogoPixels) {
    const bounds = `${leastLogoPixels} to ${mostLogoPixels} pixels on each side`
    return { wrong: `is ${width} × ${height} pixels, and has to have ${bounds}` }
  }
  return { type: format.type, width, height, bytes }
}
