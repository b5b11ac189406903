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
  const paths = ['README.md', ...['src', 'test', 'deploy', 'docs', 'config'].flatMap(filesBelow)]
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
  t.same(found('src/a/b.ts', "// A pulse.\nconst impulse = 'a pulse'\n"), [], 'what names nothing is left alone')
})
