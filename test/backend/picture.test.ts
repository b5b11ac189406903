// What counts as a picture of a profile.

import fc from 'fast-check'
import t from 'tap'
import { isJpeg, isJpegDataUri, maxPictureLength } from '../../src/backend/picture.js'
import { dataUri, jpegs } from '../support/rooms/backend-pictures.js'

const baseline = Buffer.from(jpegs.baseline, 'base64')

/** The picture with a comment segment (ITU-T T.81 §B.2.4.5) of so many bytes behind its start. */
function withComment(length: number): Buffer {
  const parts: Buffer[] = []
  for (let left = length; left > 0; left -= 65_533) {
    const size = Math.min(left, 65_533)
    parts.push(Buffer.from([0xff, 0xfe, (size + 2) >> 8, (size + 2) & 0xff]), Buffer.alloc(size, 0x20))
  }
  return Buffer.concat([baseline.subarray(0, 2), ...parts, baseline.subarray(2)])
}

t.test('real JPEGs are accepted: baseline, progressive, with restarts, with comments and fill bytes', async (t) => {
  for (const [kind, base64] of Object.entries(jpegs)) t.ok(isJpegDataUri(dataUri(base64)), kind)
  t.ok(isJpeg(withComment(100_000)), 'comments')
  const filled = Buffer.concat([baseline.subarray(0, 2), Buffer.from([0xff, 0xff]), baseline.subarray(2)])
  t.ok(isJpeg(filled), 'fill bytes before a marker')
})

t.test('what only claims to be a JPEG is refused', async (t) => {
  const scan = baseline.indexOf(Buffer.from([0xff, 0xda]))
  const frame = baseline.indexOf(Buffer.from([0xff, 0xc0]))
  const without = (from: number, to: number) => Buffer.concat([baseline.subarray(0, from), baseline.subarray(to)])
  const changed = (at: number, byte: number) => {
    const copy = Buffer.from(baseline)
    copy[at] = byte
    return copy
  }
  const frameEnd = frame + 2 + baseline.readUInt16BE(frame + 2)
  const refused: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['the first bytes alone', Buffer.from([0xff, 0xd8, 0xff])],
    ['start and end alone', Buffer.from([0xff, 0xd8, 0xff, 0xd9])],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['an SVG with a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a page behind the start', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from('<html></html>')])],
    ['a cut end', baseline.subarray(0, -2)],
    ['a cut scan', baseline.subarray(0, scan + 20)],
    ['something behind the end', Buffer.concat([baseline, Buffer.from('<script>')])],
    ['a zip behind the end', Buffer.concat([baseline, Buffer.from('504b0304', 'hex')])],
    ['no frame header', without(frame, frameEnd)],
    ['two frame headers', Buffer.concat([baseline.subarray(0, frameEnd), baseline.subarray(frame)])],
    ['no scan', Buffer.concat([baseline.subarray(0, scan), Buffer.from([0xff, 0xd9])])],
    ['height 0', changed(frame + 6, 0)],
    ['width 0', changed(frame + 8, 0)],
    ['a frame header of the wrong length', changed(frame + 9, 4)],
    ['a segment that is longer than the file', changed(4, 0xff)],
    [
      'a segment that is shorter than its own length field',
      Buffer.concat([baseline.subarray(0, 4), Buffer.from([0, 1]), baseline.subarray(6)]),
    ],
    [
      'a restart outside a scan',
      Buffer.concat([baseline.subarray(0, 2), Buffer.from([0xff, 0xd0]), baseline.subarray(2)]),
    ],
    ['a second start', Buffer.concat([baseline.subarray(0, 2), baseline])],
    ['a reserved marker', Buffer.concat([baseline.subarray(0, 2), Buffer.from([0xff, 0x02]), baseline.subarray(2)])],
  ]
  t.equal(baseline[frame + 5], 0, 'the heights of the sample are below 256, so one byte decides')
  for (const [title, bytes] of refused) t.equal(isJpeg(bytes), false, title)
})

t.test('the data URI must be the one form, in canonical base64, of at most 256 KiB', async (t) => {
  const { baseline: base64 } = jpegs
  const refused: [string, string][] = [
    ['another media type', `data:image/png;base64,${base64}`],
    ['image/jpg', `data:image/jpg;base64,${base64}`],
    ['a parameter', `data:image/jpeg;charset=utf-8;base64,${base64}`],
    ['not base64', `data:image/jpeg,${encodeURIComponent(base64)}`],
    ['an address', 'https://example.com/a.jpg'],
    ['a script', 'javascript:alert(1)'],
    ['white space in front', ` ${dataUri(base64)}`],
    ['a line break inside', dataUri(`${base64.slice(0, 76)}\n${base64.slice(76)}`)],
    ['the URL alphabet', dataUri(base64.replaceAll('/', '_'))],
    ['missing padding', dataUri(withComment(1).toString('base64').replace(/=+$/, ''))],
    ['text behind it', dataUri(`${base64}"><script>`)],
    ['nothing', ''],
  ]
  for (const [title, uri] of refused) t.equal(isJpegDataUri(uri), false, title)

  const fits = dataUri(
    withComment(Math.floor((maxPictureLength - 23) / 4) * 3 - baseline.length - 4 * 4).toString('base64'),
  )
  t.ok(fits.length <= maxPictureLength && fits.length > maxPictureLength - 40, 'just within the limit')
  t.ok(isJpegDataUri(fits))
  const tooLong = dataUri(withComment(200_000).toString('base64'))
  t.ok(tooLong.length > maxPictureLength && isJpeg(withComment(200_000)))
  t.equal(isJpegDataUri(tooLong), false, 'a real picture that is too long')
})

t.test('whatever the bytes, the check answers', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(baseline.length), (noise, at) => {
      const bytes = Buffer.concat([baseline.subarray(0, at), noise, baseline.subarray(at)])
      return typeof isJpeg(bytes) === 'boolean' && typeof isJpeg(noise) === 'boolean'
    }),
    { numRuns: 2000 },
  )
  fc.assert(fc.property(fc.nat(baseline.length - 1), (length) => !isJpeg(baseline.subarray(0, length))))
  t.ok(isJpeg(baseline), 'no prefix of a picture is one, the whole is')
})
