// Small pictures, made here: a PNG that every browser shows, and the frames of a JPEG and a WebP, whose compressed parts
// nobody unpacks.

import { crc32, deflateSync } from 'node:zlib'

/** A chunk of a PNG, with its checksum. */
export function pngChunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.byteLength)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG of that size that says so; of one that is small every pixel is drawn: a rounded mark in `colour` on nothing. */
export function pngFile(
  width: number,
  height: number,
  more: readonly Buffer[] = [],
  colour: readonly [number, number, number] = [11, 92, 173],
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const drawn = width <= 1024 && height <= 1024 ? rows(width, height, colour) : Buffer.alloc(16)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = pngChunk('IDAT', deflateSync(drawn))
  return Buffer.concat([signature, pngChunk('IHDR', header), ...more, data, pngChunk('IEND', Buffer.alloc(0))])
}

function rows(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Buffer {
  const pixels = Buffer.alloc(height * (1 + width * 4))
  const radius = Math.min(width, height) / 4
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const dx = Math.max(radius - x, 0, x - (width - 1 - radius))
      const dy = Math.max(radius - y, 0, y - (height - 1 - radius))
      if (dx * dx + dy * dy > radius * radius) continue
      const light = (x + y) % Math.max(8, Math.floor(height / 2)) < height / 6 ? 40 : 0
      pixels.set(
        [Math.min(255, red + light), Math.min(255, green + light), Math.min(255, blue + light), 255],
        y * (1 + width * 4) + 1 + x * 4,
      )
    }
  }
  return pixels
}

/** A segment of a JPEG. */
export function segment(marker: number, data: Uint8Array): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.byteLength + 2)
  return Buffer.concat([Buffer.from([0xff, marker]), length, data])
}

/** A JPEG with that frame; `aside` stands in a comment and in EXIF, `more` before its tables. */
export function jpegFile(width: number, height: number, aside = '', more: readonly Buffer[] = []): Buffer {
  const frame = Buffer.from([8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...(aside === '' ? [] : [segment(0xe1, Buffer.from(`Exif\0\0${aside}`)), segment(0xfe, Buffer.from(aside))]),
    ...more,
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]),
    Buffer.from([0xff, 0xd9]),
  ])
}

/** A chunk of a WebP; without its padding byte it has an even length. */
export function riff(name: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(data.byteLength, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.byteLength % 2)])
}

/** A WebP, lossless; with `aside` an extended one that has it as EXIF and XMP. */
export function webpFile(width: number, height: number, aside = ''): Buffer {
  const bits = Buffer.alloc(6)
  bits[0] = 0x2f
  bits.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1)
  const extended = Buffer.alloc(10)
  extended[0] = 0x0c
  extended.writeUIntLE(width - 1, 4, 3)
  extended.writeUIntLE(height - 1, 7, 3)
  const asides = aside === '' ? [] : [riff('EXIF', Buffer.from(aside)), riff('XMP ', Buffer.from(aside))]
  const chunks = [...(aside === '' ? [] : [riff('VP8X', extended)]), riff('VP8L', bits), ...asides]
  return riff('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))
}
