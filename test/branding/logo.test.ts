// A logo is one whole picture of bounded size, whatever the file says it is; nothing of the file but the picture stays.

import t from 'tap'
import { type Logo, mostLogoBytes, readLogo } from '../../src/branding/logo.js'
import { jpegFile, pngChunk, pngFile, webpFile } from '../support/brands/pictures.js'

const wrong = (file: Uint8Array) => {
  const read = readLogo(file)
  return 'wrong' in read ? read.wrong : `taken as ${read.type}`
}
const taken = (file: Uint8Array): Logo => {
  const read = readLogo(file)
  if ('wrong' in read) throw new Error(read.wrong)
  return read
}

t.test('PNG, JPEG and WebP are told by their bytes, with their dimensions', async (t) => {
  t.match(taken(pngFile(64, 32)), { type: 'image/png', width: 64, height: 32 })
  t.match(taken(jpegFile(48, 20)), { type: 'image/jpeg', width: 48, height: 20 })
  t.match(taken(webpFile(40, 24)), { type: 'image/webp', width: 40, height: 24 })
})

t.test('SVG, GIF, HTML, text and nothing are none of these', async (t) => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  for (const text of [
    svg,
    `<?xml version="1.0"?>${svg}`,
    'GIF89a\u0001\u0000',
    '<!doctype html>',
    'BM',
    '',
    '\u0089PNG',
  ]) {
    t.match(wrong(Buffer.from(text, 'latin1')), 'SVG is not taken', JSON.stringify(text.slice(0, 12)))
  }
})

t.test('C18 sides are bounded before anything is unpacked: a small file can be a very large picture', async (t) => {
  t.equal(wrong(pngFile(30_000, 30_000)), 'is 30000 × 30000 pixels, and has to have 16 to 1024 pixels on each side')
  t.match(wrong(pngFile(1025, 20)), '1025 × 20')
  t.match(wrong(pngFile(8, 8)), '8 × 8')
  t.match(wrong(pngFile(0, 64)), '0 × 64')
  t.match(wrong(jpegFile(65_535, 65_535)), '65535')
  t.match(wrong(webpFile(16_383, 16_383)), '16383')
  t.match(wrong(Buffer.alloc(mostLogoBytes + 1)), '65537 bytes, and may have 65536')
})

t.test('a file that is something else besides is refused', async (t) => {
  const script = Buffer.from('<script>alert(1)</script>')
  for (const file of [pngFile(32, 32), jpegFile(32, 32), webpFile(32, 32)]) {
    t.match(wrong(Buffer.concat([file, script])), 'behind the picture')
  }
})

t.test('what stands beside the picture is left out: comments, places, profiles', async (t) => {
  const secret = 'taken at 47.37 8.54 <script>'
  const png = taken(
    pngFile(32, 32, [pngChunk('tEXt', Buffer.from(`Comment\0${secret}`)), pngChunk('eXIf', Buffer.from(secret))]),
  )
  const jpeg = taken(jpegFile(32, 32, secret))
  const webp = taken(webpFile(32, 32, secret))
  for (const { bytes, type } of [png, jpeg, webp]) {
    t.notMatch(Buffer.from(bytes).toString('latin1'), /script|47\.37/, type)
    t.match(taken(bytes), { type, width: 32, height: 32 }, 'what is left is read again')
  }
})

t.test('damaged files are refused, cut at every byte', async (t) => {
  for (const file of [pngFile(32, 32), jpegFile(32, 32), webpFile(32, 32, 'x')]) {
    for (let length = 0; length < file.byteLength; length += 1) {
      if (!('wrong' in readLogo(file.subarray(0, length)))) t.fail(`cut at ${length}`)
    }
  }
  const bad = Buffer.from(pngFile(32, 32))
  bad[20] = 7
  t.equal(wrong(bad), 'is a damaged PNG', 'a checksum that is wrong')
  t.equal(wrong(pngFile(32, 32, [pngChunk('XXXX', Buffer.from('unknown'))])), 'is a damaged PNG')
  t.equal(
    wrong(Buffer.concat([pngFile(32, 32).subarray(0, 33), pngChunk('IEND', Buffer.alloc(0))])),
    'is a damaged PNG',
  )
})

t.test('a logo stands still', async (t) => {
  t.equal(wrong(pngFile(32, 32, [pngChunk('acTL', Buffer.alloc(8))])), 'moves; a logo stands still')
  const moving = Buffer.from(webpFile(32, 32, 'x'))
  moving[20] = (moving[20] ?? 0) | 0x02
  t.equal(wrong(moving), 'moves; a logo stands still')
})
