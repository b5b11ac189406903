// Answers that no two programs may read differently. Our client refuses them or reads what undici's parser (llhttp)
// reads, however the bytes are cut (decision 0134).

import t from 'tap'
import { chunked, honest, hostile, ok } from '../../support/upstreams/answer-corpus.js'
import { bytesOf, cutDiffers, laxness } from '../../support/upstreams/answer-judge.js'
import { readOurselves } from '../../support/upstreams/scripted-socket.js'

t.test('decision 0134: honest answers are read, however they are cut', async (t) => {
  for (const [title, text, expected] of honest) {
    const ours = readOurselves([bytesOf(text)])
    t.equal(ours.end, 'whole', title)
    t.match(ours, expected, title)
    t.equal(await laxness(text), undefined, title)
    t.equal(cutDiffers(text), undefined, title)
  }
})

t.test('decision 0134: hostile answers are refused, or read as undici reads them', async (t) => {
  const lax: string[] = []
  let refused = 0
  for (const text of hostile) {
    const why = (await laxness(text)) ?? (text.length < 2_000 ? cutDiffers(text, 2) : cutDiffers(text, 1_999))
    if (why !== undefined) lax.push(`${JSON.stringify(text.slice(0, 200))}: ${why}`)
    if (readOurselves([bytesOf(text)]).end !== 'whole') refused += 1
  }
  t.same(lax, [])
  t.ok(hostile.length > 250 && refused > hostile.length / 2, `${refused} of ${hostile.length} are refused`)
})

t.test('decision 0134: an answer to HEAD and one with 304 have no body, whatever they say of one', async (t) => {
  for (const head of [`${ok}Content-Length: 9\r\n\r\n`, chunked]) {
    const ours = readOurselves([bytesOf(head)], 'HEAD')
    t.match(ours, { end: 'whole', status: 200, body: '', isKept: false })
    t.equal(readOurselves([bytesOf(`${head}hi`)], 'HEAD').body, '')
  }
  // undici fails an answer with 304 that says how long it would have been (RFC 9110 §8.6), which servers may.
  const unchanged = readOurselves([bytesOf('HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n')])
  t.match(unchanged, { end: 'whole', status: 304, body: '', isKept: true })
})
