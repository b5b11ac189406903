// Lists as their reader may see them, in JSON and in event streams.

import t from 'tap'
import { createEventRewriter } from '../../src/mcp/event-stream.js'
import { type ShownList, shownAnswer, shownReplay } from '../../src/mcp/list-answers.js'

const tools = [{ name: 'a', x: 1 }, { name: 'b' }, { name: 'c', inputSchema: { name: 'b' } }]
const answer = (result: object, id: number | string = 1) => JSON.stringify({ jsonrpc: '2.0', id, result, more: true })
const shown = (changes: Partial<ShownList> = {}): ShownList => ({
  list: 'tools',
  era: 'legacy',
  shows: (name) => name !== 'b',
  ...changes,
})

t.test('items go and nothing else does', async (t) => {
  t.same(JSON.parse(shownAnswer(answer({ tools, nextCursor: 'n', _meta: { y: 2 } }), shown())), {
    jsonrpc: '2.0',
    id: 1,
    result: { tools: [tools[0], tools[2]], nextCursor: 'n', _meta: { y: 2 } },
    more: true,
  })
  const unchanged = `${answer({ tools: [tools[0]] })} `
  t.equal(shownAnswer(unchanged, shown()), unchanged, 'byte for byte where all is shown')
  t.same(JSON.parse(shownAnswer(answer({ tools: [{ name: 'b' }], nextCursor: 'n' }), shown())).result, {
    tools: [],
    nextCursor: 'n',
  })
})

t.test('what is no answer to the list passes as it is', async (t) => {
  for (const text of [
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1 } }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { tools } }),
    answer({ tools: 'b' }),
    '[]',
  ])
    t.equal(shownAnswer(text, shown()), text)
  t.throws(() => shownAnswer('no JSON', shown()))
})

t.test('a list is shown whatever id it has, and in a list of messages: some clients take it', async (t) => {
  const kept = [tools[0], tools[2]]
  for (const id of [2, '1', null as never])
    t.same(JSON.parse(shownAnswer(answer({ tools }, id), shown())).result.tools, kept)
  t.same(JSON.parse(shownAnswer(`[${answer({ tools })},{}]`, shown()))[0].result.tools, kept)
  t.same(JSON.parse(shownReplay(`[1,${answer({ tools })}]`, [shown()]))[1].result.tools, kept)
})

t.test('what others read as another list is none', async (t) => {
  const result = JSON.stringify({ tools })
  for (const text of [
    `{"id":1,"Result":${result}}`,
    `{"id":1,"result":{"tools":[],"Tools":${JSON.stringify(tools)}}}`,
    `[{"id":1,"re\u017fult":${result}}]`,
  ]) {
    t.throws(() => shownAnswer(text, shown()), RangeError)
    t.throws(() => shownReplay(text, [shown()]), RangeError)
  }
  const twice = `{"id":1,"result":${result},"result":5}`
  t.equal(shownAnswer(twice, shown({ isWrittenAnew: true })), '{"id":1,"result":5}', 'as it was read')
})

t.test('of what is said once more each list is shown, whichever request it answers', async (t) => {
  const views = [shown(), shown({ list: 'prompts', shows: (name) => name === 'b' })]
  for (const id of [1, 'other']) {
    const replayed = JSON.parse(shownReplay(answer({ tools, prompts: tools, resources: tools }, id), views))
    t.same(replayed.result, { tools: [tools[0], tools[2]], prompts: [tools[1]], resources: tools })
    t.equal(replayed.id, id)
  }
  const others = [
    answer({ content: [], structuredContent: { tools } }),
    '{"method":"a","params":{"tools":[{"name":"b"}]}}',
    '[]',
    '{}',
  ]
  for (const text of others) t.equal(shownReplay(text, views), text)
  t.throws(() => shownReplay('no JSON', views))
})

t.test('an item without a name is shown to nobody', async (t) => {
  const odd = [{ name: 1 }, null, 'a', {}, { Name: 'a' }]
  t.same(JSON.parse(shownAnswer(answer({ tools: odd }), shown())).result.tools, [])
})

t.test('what depends on the reader is for the reader alone', async (t) => {
  const modern = shown({ era: 'modern', shows: () => true })
  t.same(JSON.parse(shownAnswer(answer({ tools, cacheScope: 'public', ttlMs: 5 }), modern)).result, {
    tools,
    cacheScope: 'private',
    ttlMs: 5,
  })
  const own = answer({ tools, cacheScope: 'private' })
  t.equal(shownAnswer(own, modern), own)
})

t.test('resources are known by their URI, templates by their text', async (t) => {
  const uris = shown({ list: 'resources', shows: (uri) => uri === 'a://b/1' })
  const resources = [{ uri: 'a://b/1', name: 'x' }, { uri: 'a://b/2' }]
  t.same(JSON.parse(shownAnswer(answer({ resources }), uris)).result.resources, [resources[0]])
  const templates = shown({ list: 'resourceTemplates', shows: (text) => text === 'a://b/{id}' })
  const resourceTemplates = [{ uriTemplate: 'a://b/{id}' }, { uriTemplate: 'a://b/{x}' }]
  t.same(JSON.parse(shownAnswer(answer({ resourceTemplates }), templates)).result.resourceTemplates, [
    resourceTemplates[0],
  ])
})

/** What comes out when it comes in pieces of so many bytes, and how often something did. */
function inPieces(text: string, size: number, change: (data: string) => string | undefined) {
  const rewriter = createEventRewriter(change, { mostBytes: 1_000 })
  const bytes = Buffer.from(text)
  const out: Buffer[] = []
  for (let i = 0; i < bytes.length; i += size) out.push(rewriter.push(bytes.subarray(i, i + size)))
  return Buffer.concat([...out, rewriter.end()]).toString()
}

t.test('events pass as they come, whatever ends their lines and wherever they are cut', async (t) => {
  const texts = [
    ': hello\n\nid: 1\nevent: message\ndata: {"a":\ndata: 1}\n\n',
    ': hello\r\n\r\nid: 1\r\nevent: message\r\ndata: {"a":\r\ndata: 1}\r\n\r\n',
    ': hello\r\rid: 1\revent: message\rdata: {"a":\rdata: 1}\r\r: x',
    'data:ü\n\ndata\n\n\n\nretry: 5\n\n: unfinished',
  ]
  for (const text of texts) {
    for (let size = 1; size <= text.length; size++) {
      const seen: string[] = []
      t.equal(
        inPieces(text, size, (data) => void seen.push(data)),
        text,
        `${size}`,
      )
      if (text.includes('hello')) t.same(seen, ['{"a":\n1}'])
    }
  }
})

t.test('an event with other data keeps the rest of it', async (t) => {
  const text = 'id: 7\r\nevent: message\r\ndata: one\r\n\r\ndata: two\n\n'
  for (let size = 1; size <= text.length; size++) {
    t.equal(
      inPieces(text, size, (data) => (data === 'one' ? '1\n!' : undefined)),
      'id: 7\nevent: message\ndata: 1\ndata: !\n\ndata: two\n\n',
    )
  }
})

t.test('an event that the end of the stream cuts off is changed too: some readers take it', async (t) => {
  for (let size = 1; size <= 12; size++) {
    const text = inPieces('data: a\n\ndata: one', size, (data) => (data === 'one' ? '1' : undefined))
    t.equal(text, 'data: a\n\ndata: 1\n\n')
  }
})

t.test('an event that does not end is not gathered for ever', async (t) => {
  const rewriter = createEventRewriter(() => undefined, { mostBytes: 10 })
  rewriter.push(Buffer.from('data: 1234'))
  t.throws(() => rewriter.push(Buffer.from('5')), RangeError)
})
