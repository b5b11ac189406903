// Whatever a server sends as an event stream, no reader finds a tool in it that is not to be shown: of random streams
// and of those that readers are known to read differently.

import t from 'tap'
import { createListRewrite } from '../../../src/gateway/mcp/list-rewrite.js'
import { readJsonText } from '../../../src/gateway/validation/json-text.js'
import { type ListView, shownAnswer, shownReplay } from '../../../src/mcp/list-answers.js'
import { effort, runSeed } from '../../support/effort.js'
import { eventReaders } from '../../support/mcp/event-readers.js'

const streams = effort(20_000)
const listOf = (name: string) => `{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"${name}"}]}}`
const [hidden, shown] = [listOf('hidden'), listOf('shown')]
const half = hidden.length >> 1

const tricks: Readonly<Record<string, string>> = {
  'two byte order marks': `\ufeff\ufeffdata: ${hidden}\ndata: x\n\n`,
  'a byte order mark that would move to the front': `data: x\n\ufeffdata: ${hidden}\n\n`,
  'a byte order mark in a later event': `data: ${shown}\n\n\ufeffdata: ${hidden}\n\n`,
  'a comment with another end of line': `: x\u2028data: ${hidden}\u2028\u2028\n\n`,
  'a field with another end of line': `id: x\x85data: ${hidden}\x85\x85\n\n`,
  'a text with other ends of lines': `data: ${shown.replace('shown', `shown\u2028\u2028data: ${hidden}\u2028\u2028`)}\n\n`,
  'what is no list, with other ends of lines': `data: {"a":"\x85\x85data: ${hidden.replaceAll('"', '\\"')}\x85\x85"}\n\n`,
  'blanks around the name': ` data: ${hidden}\ndata : ${hidden}\n\n`,
  'capital letters': `DATA: ${hidden}\n\n`,
  'an event without an end': `data: ${shown}\n\nDaTa: ${hidden}`,
}

const fragments = [
  ...[
    `data: ${hidden}`,
    `data:${hidden}`,
    `data: ${shown}`,
    `data: ${hidden.slice(0, half)}`,
    `data: ${hidden.slice(half)}`,
  ],
  ...[`data: [${hidden}]`, `data : ${hidden}`, ` data: ${hidden}`, `Data: ${hidden}`, `data:\t${hidden}`, hidden],
  ...[
    `data: ${hidden.replace('"result"', '"result":{},"result"')}`,
    `data: ${hidden.replace('"tools"', '"too\\u006cs"')}`,
  ],
  ...['data', 'data:', 'data: ', 'event: message', 'id: 1', 'retry: 1', ':c', ': ', ': ü', 'x', '"', '\\', ' '],
  ...[
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\r\r',
    '\n\r',
    '\0',
    '\v',
    '\f',
    '\x1c',
    '\x1d',
    '\x1e',
    '\x85',
    '\u2028',
    '\u2029',
    '\ufeff',
  ],
].map((text) => Buffer.from(text))
fragments.push(
  ...[[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xef, 0xbb], [0xbf], [0xe2, 0x80]].map((bytes) => Buffer.from(bytes)),
)

const view: ListView = { list: 'tools', shows: (name) => name === 'shown', isWrittenAnew: true }
const isOneReading = (text: string) => 'value' in readJsonText(text)
const shows: Readonly<Record<string, (text: string) => string>> = {
  'an answer to a list': (text) => shownAnswer(text, { ...view, era: 'legacy' }),
  'a stream of a session': (text) => shownReplay(text, [view], isOneReading),
}

/** What is passed on of it, in pieces; until it is cut. */
function passed(stream: Buffer, show: (text: string) => string, size: () => number): Buffer {
  const rewrite = createListRewrite({ id: 7, show, memory: { grow: () => true, shrink() {} } })
  rewrite.begin(200, ['content-type', 'text/event-stream'])
  const out: Buffer[] = []
  try {
    for (let at = 0, next = 0; at < stream.length; at = next) {
      next = at + size()
      out.push(Buffer.from(rewrite.part(stream.subarray(at, next))))
    }
    out.push(rewrite.rest())
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return Buffer.concat(out)
}

/** Names of tools that a reader finds in answers. */
function toolsIn(events: readonly string[]): string[] {
  return events
    .flatMap((data) => {
      try {
        return [JSON.parse(data)].flat().flatMap((message) => message?.result?.tools ?? [])
      } catch {
        return []
      }
    })
    .map((tool: { name?: string }) => String(tool?.name))
}

t.test('G6: what readers are known to read differently', async (t) => {
  for (const [what, show] of Object.entries(shows)) {
    for (const [trick, text] of Object.entries(tricks)) {
      for (const size of [1, 7, 1_000]) {
        const out = passed(Buffer.from(text), show, () => size)
        for (const [habit, read] of Object.entries(eventReaders))
          t.notOk(toolsIn(read(out)).includes('hidden'), `${what}, ${trick}, a reader that ${habit}`)
      }
    }
  }
  const text = passed(
    Buffer.from(`\ufeffdata: ${shown.replace('}]', ',"description":"a\u2028b"}]')}\n\n`),
    shows['a stream of a session'] ?? String,
    () => 9,
  )
  t.match(text.toString(), /^data: .*"a\\u2028b"/, 'what belongs to a text stays, as an escape')
})

t.test('G6: random streams', async (t) => {
  let state = runSeed
  const below = (most: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most
  }
  const newline = Buffer.from('\n')
  let seen = 0
  for (let i = 0; i < streams; i += 1) {
    const pieces = Array.from({ length: 1 + below(9) }, () => {
      const fragment = fragments[below(fragments.length)] ?? newline
      return below(2) === 0 ? [fragment, newline] : [fragment]
    })
    const stream = Buffer.concat(pieces.flat())
    const show = Object.values(shows)[below(2)] ?? String
    const out = passed(stream, show, () => 1 + below(80))
    for (const [habit, read] of Object.entries(eventReaders)) {
      const tools = toolsIn(read(out))
      seen += tools.length
      if (tools.includes('hidden'))
        t.fail(
          `a reader that ${habit} reads ${JSON.stringify(out.toString('latin1'))} of ${JSON.stringify(stream.toString('latin1'))}`,
        )
    }
  }
  t.ok(seen > streams / 10, `${seen} tools were shown`)
})

t.test('G6: a list has a type that everybody reads in one way, and is not elsewhere', async (t) => {
  const begin = (status: number, ...types: string[]) =>
    createListRewrite({ id: 7, show: String, memory: { grow: () => true, shrink() {} } }).begin(
      status,
      types.flatMap((type) => ['Content-Type', type]),
    )
  for (const type of ['text/event-stream', 'text/event-stream; charset=utf-8', 'Text/Event-Stream;charset="UTF-8"'])
    t.equal(begin(200, type), 'parts', type)
  for (const type of ['application/json', 'application/json; charset=utf-8', ''])
    t.equal(begin(200, type), 'whole', type)
  for (const type of [
    ...[
      'text/event-stream; charset=utf-16le',
      'application/json; charset=utf-7',
      'text/event-stream; charset=utf-8; charset=utf-7',
    ],
    ...[
      'application/json; a=text/event-stream',
      'text/event-stream, application/json',
      "text/event-stream; charset*=utf-8''utf-16",
    ],
  ])
    t.throws(() => begin(200, type), type)
  for (const status of [301, 302, 303, 307, 308]) t.throws(() => begin(status, 'application/json'), `${status}`)
  t.equal(begin(404, 'text/plain; charset=utf-16'), 'pass', 'no client takes a list from an error')
})
