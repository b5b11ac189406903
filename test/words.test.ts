// One word for one thing, and the field's: no former word comes back as a name or in a text
// (test/support/models/former-words.ts).

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import t from 'tap'
import { packageRoot } from '../src/config/read/package-root.js'
import { type FormerWord, formerWords } from './support/models/former-words.js'
import { formerUses, wordsOf } from './support/models/words.js'

const root = String(packageRoot())
/** They say what was said before. */
const exempt = new Set(['test/words.test.ts', 'test/support/models/former-words.ts', 'test/support/models/words.ts'])

function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|md|ya?ml|json|txt)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

t.test('no file uses a word from before the field’s own', async (t) => {
  const paths = ['README.md', ...['src', 'test', 'deploy', 'docs', 'config', '.github'].flatMap(filesBelow)]
  const files = paths.filter((path) => !exempt.has(path))
  t.ok(files.length > 500, `${files.length} files were read`)
  const texts = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  t.same(formerUses(texts, formerWords), [])
})

t.test('a name is its words', async (t) => {
  t.equal(wordsOf('openRedisMemory'), 'open redis memory')
  t.equal(wordsOf('redis-memory.test.ts'), 'redis memory test ts')
  t.equal(wordsOf('HTTPServer2'), 'http server2')
  t.equal(wordsOf('MAX_COUNT'), 'max count')
})

t.test('a planted use of each former word is found', async (t) => {
  const pulse: FormerWord = { word: 'pulse', standard: 'heartbeat', names: /\bpulses?\b/, text: /\bpulse-ms\b/ }
  const found = (path: string, text: string) => formerUses([{ path, text }], [pulse])
  t.match(found('src/a/b.ts', 'const lastPulse = 1\n'), ['src/a/b.ts: lastPulse: "pulse" is "heartbeat"'], 'in a name')
  t.match(found('src/a/send-pulse.ts', ''), [/send-pulse\.ts: "pulse"/], 'in the name of a file')
  t.match(found('src/pulses/b.md', ''), [/: pulses: "pulse"/], 'in the name of a folder')
  t.match(found('src/a/b.md', 'one\npulse-ms is\n'), ['src/a/b.md:2: "pulse" is "heartbeat"'], 'in a text')
  t.match(found('src/a/b.ts', "const a = 'pulse-ms'\n"), ['src/a/b.ts:1: "pulse" is "heartbeat"'], 'in a string')
  t.match(found('src/a/b.tsx', 'const a = <b>{pulse}</b>\n'), [/: pulse: /], 'in a page')
  t.same(found('src/a/b.tsx', 'const a = <b>Your pulse is {a}, a pulse</b>\n'), [], 'what a page says names nothing')
  t.same(found('src/a/b.tsx', '<b>It is <i>one</i>; the pulse is another</b>\n'), [], 'nor its second half')
  t.same(found('src/a/b.ts', 'const a = `your pulse ${a} is pulse`\n'), [], 'nor what a template says')
  t.match(found('src/a/b.ts', 'const a = `it is ${pulse.ms} ms`\n'), [/: pulse: /], 'but what is put into it')
  t.same(found('src/a/b.ts', "// A pulse.\nconst impulse = 'a pulse'\n"), [], 'what names nothing is left alone')
})

t.test('each former word of the lower rooms is found where it was used', (t) => {
  const plants: [string, string, string][] = [
    ['memories', 'src/instance/redis-memory.ts', ''],
    ['lead', 'src/cluster/a.ts', 'if (isLead()) work()'],
    ['lead', 'src/cluster/a.md', 'Then the lead takes over.'],
    ['alone', 'src/backend/alone.ts', ''],
    ['pulse', 'src/storage/a.ts', 'const pulsesSent = 1'],
    ['roll call', 'src/storage/roll-call.ts', ''],
    ['second look', 'src/access/a.ts', 'const secondLook = 1'],
    ['beat', 'src/gateway/a.ts', 'stream.beat?.(now)'],
    ['seat, seating', 'src/storage/a.ts', 'seatOnLease(seat)'],
    ['accounts (counters)', 'src/storage/counters/accounts.ts', ''],
    ['account() (ledger)', 'src/users/a.ts', 'await account(deps, tx, event)'],
    ['turnstile', 'src/storage/a.ts', 'createTurnstile()'],
    ['attention', 'src/storage/attention.ts', ''],
    ['courier', 'src/events/a.ts', '// The courier does it.'],
    ['postman', 'src/events/a.ts', 'createPostman()'],
    ['told, Told, toldBy', 'src/events/a.ts', 'return toldBy(row)'],
    ['furnish', 'src/instance/a.ts', 'await furnish(deps)'],
    ['rules in effect', 'src/instance/rules-in-effect.ts', ''],
    ['quieten', 'src/cluster/a.ts', 'health.quieten(error)'],
    ['*Within(tx)', 'src/users/a.ts', 'await grantWithin(tx)'],
    ['seen, Reading (config)', 'src/config/a.ts', 'readSeen(snapshot)'],
    ['strangers', 'src/limits/a.ts', '// Strangers cannot empty it.'],
    ['house (tests)', 'test/a.ts', 'const house = await openTestApp(t)'],
    ['files named by participles and adverbs', 'src/instance/access-news.ts', ''],
  ]
  for (const [word, path, text] of plants) {
    const rows = formerWords.filter((row) => row.word === word)
    t.equal(formerUses([{ path, text }], rows).length > 0, true, `${word} in ${path}`)
  }
  const plain =
    '// The account of a person, memory for bodies, what somebody was told, paying attention.\nconst lead = seen + told\n'
  t.same(formerUses([{ path: 'src/users/accounts.md', text: plain }], formerWords), [], 'plain English is left alone')
  t.end()
})

t.test('the texts and names of the upper half that went are found again', async (t) => {
  const planted = [
    ['src/a/b.ts', "const title = 'This page is over'\n"],
    ['src/a/b.ts', "const title = 'The chain is whole'\n"],
    ['src/a/b.md', 'how to mend it\n'],
    ['src/a/b.ts', 'const grantStanding = 1\n'],
    ['src/a/b.ts', 'publicDoor()\n'],
    ['src/a/b.ts', 'acted(deps)\n'],
    ['src/a/b.ts', 'interface ForeignTokens {}\n'],
    ['src/a/b.ts', 'interface AskedConsent {}\n'],
    ['src/a/supposed-token.ts', ''],
    ['src/a/b.ts', 'const told = 1\n'],
    ['src/a/b.ts', 'const asked = 1\n'],
    ['src/a/b.ts', 'if (body.mend) fix()\n'],
    ['src/a/b.ts', 'status.lead = true\n'],
    ['src/a/b.ts', 'const visit = 1\n'],
    ['src/a/b.md', 'a pulse a second\n'],
    ['src/a/b.md', 'What the simulated token is supposed to have.\n'],
    ['src/a/b.md', 'the errand of the page\n'],
    ['src/a/b.md', 'a mended mistake\n'],
    ['src/a/b.md', 'two seats\n'],
    ['src/a/b.md', 'nobody is asked\n'],
    ['test/a.ts', "t.test('Asked twice', run)\n"],
    ['src/a/b.ts', '// For whoever comes.\n'],
  ] as const
  for (const [path, text] of planted)
    t.equal(formerUses([{ path, text }], formerWords).length > 0, true, `${path}: ${text}`)
  const event = "const event = 'user.email-asked'\n"
  t.same(formerUses([{ path: 'src/a/b.ts', text: event }], formerWords), [], 'the name of an event stays')
})
