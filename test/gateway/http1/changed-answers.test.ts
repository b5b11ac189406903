// What a byte makes of an honest answer, at every place: thousands of answers, read by two clients and in many pieces.
// full: compares two parsers over thousands of answers

import t from 'tap'
import { variations } from '../../support/upstreams/answer-corpus.js'
import { bytesOf, cutDiffers, laxness } from '../../support/upstreams/answer-judge.js'
import { readOurselves } from '../../support/upstreams/scripted-socket.js'

t.test('decision 0134: what a byte makes of an honest answer is refused, or read as undici reads it', async (t) => {
  const lax: string[] = []
  let [count, read] = [0, 0]
  for (const text of variations()) {
    count += 1
    const ours = readOurselves([bytesOf(text)])
    if (ours.end === 'whole') read += 1
    // Those that are refused whole need nobody to compare with; every seventh is cut as well.
    const why =
      (ours.end === 'whole' ? await laxness(text) : undefined) ?? (count % 7 === 0 ? cutDiffers(text, 3) : undefined)
    if (why !== undefined) lax.push(`${JSON.stringify(text)}: ${why}`)
  }
  t.same(lax, [])
  t.comment(`${count} answers, of which ${read} are read`)
  t.ok(read > 1_000 && count - read > 1_000)
})
