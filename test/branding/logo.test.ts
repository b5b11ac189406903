// A logo is one whole picture of bounded size, whatever the file says it is; nothing of the file but the picture stays.

import { deflateSync } from 'node:zlib'
import t from 'tap'
import { type Logo, mostLogoBytes, readLogo } from '../../src/branding/logo.js'
import { jpegFile, pngChunk, pngFile, riff, segment, webpFile } from '../support/brands/pictures.js'

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

const secret = Buffer.from('a thumbnail, a place, a <script> of somebody')
const signature = pngFile(32, 32).subarray(0, 8)
const end = pngChunk('IEND', Buffer.alloc(0))

function png(header: readonly number[], pixels: Uint8Array, more: readonly Buffer[] = [], last = end): Buffer {
  const head = pngChunk('IHDR', Buffer.from([0, 0, 0, 32, 0, 0, 0, 32, ...header]))
  return Buffer.concat([signature, head, ...more, pngChunk('IDAT', pixels), last])
}

t.test(
  'C18 a JPEG keeps what draws it, each part of its form: no thumbnail, no other picture, no reserved part',
  async (t) => {
    const thumbnail = Buffer.concat([Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\x02\x07', 'latin1'), secret])
    const adobe = Buffer.from('Adobe\0d\0\x01\0\x02\x01', 'latin1')
    const kept = taken(
      jpegFile(32, 32, '', [
        segment(0xe0, thumbnail),
        segment(0xe0, Buffer.concat([Buffer.from('JFXX\0\x10'), secret])),
        segment(0xee, adobe),
        segment(0xee, Buffer.concat([Buffer.from('Adobe'), secret])),
        segment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), secret])),
        segment(0xed, secret),
        segment(0xfe, secret),
      ]),
    )
    const text = Buffer.from(kept.bytes).toString('latin1')
    t.notMatch(text, /thumbnail|JFXX|ICC|script/)
    t.equal(text.split('JFIF').length, 2, 'how to read the colours is said once')
    t.equal(text.split('Adobe').length, 2)
    t.same(taken(kept.bytes).bytes, kept.bytes, 'what is kept is kept as it is')
    for (const marker of [0x01, 0xc3, 0xc5, 0xc8, 0xcc, 0xcf, 0xd8, 0xdc, 0xde, 0xdf, 0xf0, 0xf7, 0xfd, 0xff]) {
      t.equal(
        wrong(jpegFile(32, 32, '', [segment(marker, secret)])),
        'is a damaged JPEG',
        `marker ${marker.toString(16)}`,
      )
    }
    for (const [marker, data] of [
      [0xdb, Buffer.concat([Buffer.alloc(65, 1), secret])],
      [0xdb, Buffer.alloc(0)],
      [0xc4, Buffer.concat([Buffer.alloc(17), secret])],
      [0xdd, secret],
      [0xda, secret],
      [0xc0, Buffer.from([8, 0, 32, 0, 32, 1, 1, 0x11, 0])],
      [0xc0, Buffer.from([12, 0, 32, 0, 32, 1, 1, 0x11, 0])],
    ] as const) {
      t.equal(wrong(jpegFile(32, 32, '', [segment(marker, data)])), 'is a damaged JPEG', `in ${marker.toString(16)}`)
    }
  },
)

t.test('C18 a progressive JPEG has as many passes as encoders write, not as many as fit', async (t) => {
  const scan = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])), Buffer.from([0x12])])
  const file = (scans: number) => {
    const whole = jpegFile(1024, 1024)
    const rest = Array.from({ length: scans - 1 }, () => scan)
    return Buffer.concat([whole.subarray(0, -2), ...rest, whole.subarray(-2)])
  }
  t.match(taken(file(32)), { width: 1024 })
  t.equal(wrong(file(33)), 'is drawn in more than 32 passes')
  t.equal(wrong(file(4_000)), 'is drawn in more than 32 passes')
})

t.test('C18 a PNG has the pixels that its header says and nothing in, between or behind its parts', async (t) => {
  const pixels = Buffer.alloc(32 * (1 + 32 * 4))
  const whole = deflateSync(pixels)
  t.match(taken(png([8, 6, 0, 0, 0], whole)), { width: 32 })
  t.match(taken(png([8, 2, 0, 0, 0], deflateSync(Buffer.alloc(32 * 97)))), { width: 32 }, 'without transparency')
  t.match(taken(png([1, 0, 0, 0, 0], deflateSync(Buffer.alloc(32 * 5)))), { width: 32 }, 'of one bit')
  const interlaced = [4, 4, 4, 8, 8, 16, 16].map((height, i) => height * (1 + 4 * [4, 4, 8, 8, 16, 16, 32][i]!))
  const bytes = interlaced.reduce((sum, each) => sum + each, 0)
  t.match(taken(png([8, 6, 0, 0, 1], deflateSync(Buffer.alloc(bytes)))), { width: 32 }, 'interlaced')
  const palette = pngChunk('PLTE', Buffer.alloc(6))
  t.match(taken(png([8, 3, 0, 0, 0], deflateSync(Buffer.alloc(32 * 33)), [palette])), { width: 32 })
  const bad: Readonly<Record<string, Buffer>> = {
    'content of IEND': png([8, 6, 0, 0, 0], whole, [], pngChunk('IEND', secret)),
    'data behind the pixels': png([8, 6, 0, 0, 0], Buffer.concat([whole, secret])),
    'pixels too many': png([8, 6, 0, 0, 0], deflateSync(Buffer.concat([pixels, secret]))),
    'pixels too few': png([8, 6, 0, 0, 0], deflateSync(pixels.subarray(1))),
    'pixels without end': png([8, 6, 0, 0, 0], deflateSync(Buffer.alloc(40_000_000), { level: 9 })),
    'no pixels': png([8, 6, 0, 0, 0], secret),
    'a kind of colour that is none': png([8, 5, 0, 0, 0], whole),
    'depth that is none': png([3, 6, 0, 0, 0], whole),
    'another compression': png([8, 6, 1, 0, 0], whole),
    'no palette': png([8, 3, 0, 0, 0], deflateSync(Buffer.alloc(32 * 33))),
    'two palettes': png([8, 3, 0, 0, 0], deflateSync(Buffer.alloc(32 * 33)), [palette, palette]),
    'a long palette': png([8, 6, 0, 0, 0], whole, [pngChunk('PLTE', Buffer.alloc(3 * 257))]),
    'a long transparency': png([8, 2, 0, 0, 0], deflateSync(Buffer.alloc(32 * 97)), [pngChunk('tRNS', secret)]),
    'IDAT apart': Buffer.concat([
      ...[signature, pngChunk('IHDR', Buffer.from([0, 0, 0, 32, 0, 0, 0, 32, 8, 6, 0, 0, 0]))],
      ...[pngChunk('IDAT', whole.subarray(0, 9)), pngChunk('tEXt', secret), pngChunk('IDAT', whole.subarray(9)), end],
    ]),
  }
  for (const [what, file] of Object.entries(bad)) t.equal(wrong(file), 'is a damaged PNG', what)
  const asides = ['iCCP', 'eXIf', 'tEXt', 'zTXt', 'iTXt', 'gAMA', 'cHRM', 'sBIT', 'sPLT', 'tIME', 'caBX', 'acID']
  const kept = taken(
    png(
      [8, 6, 0, 0, 0],
      whole,
      asides.map((name) => pngChunk(name, secret)),
    ),
  )
  t.same(Buffer.from(kept.bytes), png([8, 6, 0, 0, 0], whole), 'what says something about it is left out')
})

t.test('C18 a WebP is put into a container of its own: nothing of the old one stays', async (t) => {
  const extended = (flags: number, more = Buffer.alloc(0)) =>
    riff('VP8X', Buffer.concat([Buffer.from([flags, 9, 9, 9, 31, 0, 0, 31, 0, 0]), more]))
  const lossless = webpFile(32, 32).subarray(12)
  const lossy = riff('VP8 ', Buffer.from([0x10, 0, 0, 0x9d, 0x01, 0x2a, 32, 0, 32, 0, 1]))
  const file = (...chunks: Buffer[]) => riff('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))
  const alpha = riff('ALPH', Buffer.from([0, 1, 2]))
  const asides = ['ICCP', 'EXIF', 'XMP ', 'JUNK', 'caBX'].map((name) => riff(name, secret))
  t.same(Buffer.from(taken(file(extended(0x3c), ...asides, lossless)).bytes), file(lossless))
  t.same(Buffer.from(taken(file(extended(0x3c), ...asides, lossy)).bytes), file(lossy))
  const clear = taken(file(extended(0x3c), ...asides, alpha, lossy))
  const head = riff('VP8X', Buffer.from([0x10, 0, 0, 0, 31, 0, 0, 31, 0, 0]))
  t.same(Buffer.from(clear.bytes), file(head, alpha, lossy), 'flags and reserved bytes are ours')
  t.equal(wrong(file(extended(0, secret), lossless)), 'is a damaged WebP', 'a head with something in it')
  t.equal(wrong(file(extended(0), lossless, lossless)), 'is a damaged WebP', 'two pictures')
  t.equal(wrong(file(extended(0), lossy, lossless)), 'is a damaged WebP')
  t.equal(
    wrong(file(riff('VP8 ', Buffer.from([0x11, 0, 0, 0x9d, 0x01, 0x2a, 32, 0, 32, 0, 1, 1])))),
    'is a damaged WebP',
  )
  const padding = Buffer.from(file(lossy))
  padding[padding.byteLength - 1] = 0x41
  t.same(Buffer.from(taken(padding).bytes), file(lossy), 'nor what fills up')
  for (const name of ['ANIM', 'ANMF'])
    t.equal(wrong(file(extended(0), riff(name, secret), lossless)), 'moves; a logo stands still')
})
