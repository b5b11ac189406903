// Which definitions of tools are approved: the first one by itself, another one by somebody who looked at it, at every
// instance; and how little a server that changes all the time makes anybody write.

import t, { type Test } from 'tap'
import { toEvent } from '../../src/events/event-types.js'
import { type ToolDefinition, toolDefinition } from '../../src/mcp/tool-definition.js'
import { createEmbeddedFeed } from '../../src/storage/changes/embedded-feed.js'
import { readDefinitionStates } from '../../src/storage/sql/tool-definitions/tool-definitions.js'
import {
  approvedTool,
  approveToolChange,
  listToolChanges,
  readToolChange,
} from '../../src/tool-definitions/tool-changes.js'
import { createToolDefinitions } from '../../src/tool-definitions/tool-definitions.js'
import { sweepDefinitions } from '../../src/tool-definitions/upkeep.js'
import { openDirectory } from '../support/rooms/directory.js'

const route = { id: '/desk/mcp', holds: true }
const minuteMs = 60_000

function definition(description: string, name = 'close'): ToolDefinition {
  return toolDefinition({ name, title: 'Close', description, inputSchema: { type: 'object' } }) as ToolDefinition
}

async function openPins(t: Test) {
  const testApp = await openDirectory(t)
  const errors: unknown[] = []
  const changed: string[] = []
  /** As another instance has them. */
  const another = async () => {
    const { store, now } = testApp
    const feed = createEmbeddedFeed({ store, pollMs: 20, now, monotonic: () => performance.now() })
    const pins = createToolDefinitions({
      ...{ store, feed, ledger: testApp.writes.ledger, now, onWaiting() {} },
      onChanged: (_route, tools) => changed.push(...tools),
      onError: (error) => errors.push(error),
    })
    feed.follow(pins)
    await feed.start()
    t.teardown(() => feed.stop())
    return { feed, pins }
  }
  const own = testApp.toolDefinitions
  const saw = async (...definitions: ToolDefinition[]) => {
    own.saw(route, definitions)
    await own.settled()
  }
  const events = async () =>
    (await testApp.store.reader.selectFrom('ledger').select(['event', 'details']).orderBy('position').execute()).filter(
      ({ event }) => event.startsWith('tool.'),
    )
  const waiting = () => listToolChanges(testApp.store.reader, () => true)
  return { testApp, pins: own, saw, events, waiting, changed, errors, another }
}

t.test('G1 issue 16: the first definition is trusted, another one waits, and counts once it is approved', async (t) => {
  const { testApp, pins, saw, events, waiting } = await openPins(t)
  const [first, second] = [definition('Closes.'), definition('Closes, and mails it.')]
  t.equal(pins.isApproved(route.id, first), true, 'nothing is known of it')
  await saw(first)
  t.equal(pins.isChanged(route.id, 'close'), false)
  t.equal(pins.isApproved(route.id, second), false)
  pins.saw(route, [second])
  t.equal(pins.isChanged(route.id, 'close'), true, 'before anything is written')
  await pins.settled()
  t.equal(pins.isChanged(route.id, 'close'), true)
  const [change] = await waiting()
  t.match(change, { route: route.id, tool: 'close', pending_digest: second.digest, approved_digest: first.digest })
  const id = String(change?.id)
  t.match(await readToolChange(testApp.store.reader, id), { approved_text: /Closes\./, pending_text: /mails/ })
  const about = { route: route.id, tool: 'close' }
  t.same(await approvedTool(testApp.store.reader, about), { title: 'Close', description: 'Closes.' })
  await t.rejects(approveToolChange(testApp.writes, { id, digest: first.digest }), {
    code: 'ToolChangedAgain',
    status: 409,
  })
  await t.rejects(approveToolChange(testApp.writes, { id: 'x', digest: '' }), {
    code: 'ToolChangeNotFound',
    status: 404,
  })
  await approveToolChange(testApp.writes, { id, digest: second.digest })
  t.equal(pins.isChanged(route.id, 'close'), false)
  t.equal(pins.isApproved(route.id, second), true)
  t.equal(pins.isApproved(route.id, first), false)
  t.same(await waiting(), [])
  t.match(await approvedTool(testApp.store.reader, about), { description: 'Closes, and mails it.' })
  t.same(
    (await events()).map(({ event }) => event),
    ['tool.pinned', 'tool.changed', 'tool.approved'],
  )
  t.notMatch(JSON.stringify(await events()), /mails/, 'the ledger has digests')
})

t.test(
  'issue 16: it goes back by itself when the server gives the approved definition again, after a minute',
  async (t) => {
    const { testApp, pins, saw, waiting, events } = await openPins(t)
    const [first, second] = [definition('one'), definition('two')]
    await saw(first)
    await saw(second)
    await saw(first)
    t.equal(pins.isChanged(route.id, 'close'), true, 'a server of two minds is not written at each list')
    testApp.clock.nowMs += minuteMs
    await saw(first)
    t.equal(pins.isChanged(route.id, 'close'), false)
    t.same(await waiting(), [])
    t.same(
      (await events()).map(({ event }) => event),
      ['tool.pinned', 'tool.changed', 'tool.changed-back'],
    )
  },
)

t.test('issue 16: a server with another definition in each list has one row for a tool and few events', async (t) => {
  const { testApp, pins, saw, waiting, events } = await openPins(t)
  await saw(definition('first'))
  const before = testApp.feed.seq
  for (let list = 0; list < 50; list += 1) await saw(definition(`${list}`))
  t.equal(testApp.feed.seq, before + 1, 'one write in a minute')
  t.equal((await waiting()).length, 1)
  for (let list = 0; list < 30; list += 1) {
    testApp.clock.nowMs += minuteMs
    await saw(definition(`later ${list}`))
  }
  t.equal((await events()).filter(({ event }) => event === 'tool.changed').length, 1, 'one event in an hour')
  testApp.clock.nowMs += 60 * minuteMs
  await saw(definition('later 29'))
  t.equal((await events()).filter(({ event }) => event === 'tool.changed').length, 2, 'what waits is told of later')
  t.equal(pins.isChanged(route.id, 'close'), true)
})

t.test('issue 16: a change that returns is told of once, so that taking turns fills no ledger', async (t) => {
  const { testApp, saw, events } = await openPins(t)
  await saw(definition('one'))
  for (let turn = 0; turn < 10; turn += 1) {
    await saw(definition('two'))
    testApp.clock.nowMs += minuteMs
    await saw(definition('one'))
    testApp.clock.nowMs += minuteMs
  }
  t.same(
    (await events()).map(({ event }) => event),
    ['tool.pinned', 'tool.changed', 'tool.changed-back'],
  )
})

t.test('issue 16: two instances that see a change at once write it once; an approval counts at both', async (t) => {
  const { testApp, pins, saw, waiting, events, another } = await openPins(t)
  const { feed, pins: other } = await another()
  await saw(definition('one'), definition('alike', 'list'))
  await feed.catchUp()
  t.equal(other.isApproved(route.id, definition('two')), false)
  pins.saw(route, [definition('two')])
  other.saw(route, [definition('two')])
  await Promise.all([pins.settled(), other.settled()])
  await testApp.feed.catchUp()
  t.equal((await waiting()).length, 1)
  t.equal((await events()).filter(({ event }) => event === 'tool.changed').length, 1)
  await feed.catchUp()
  t.equal(other.isChanged(route.id, 'close'), true)
  t.equal(other.isChanged(route.id, 'list'), false)
  await approveToolChange(testApp.writes, { id: String((await waiting())[0]?.id), digest: definition('two').digest })
  await feed.catchUp()
  t.equal(other.isChanged(route.id, 'close'), false)
  t.equal(other.isApproved(route.id, definition('two')), true)
})

t.test('issue 16: what cannot be written is changed all the same, and is written later', async (t) => {
  const { testApp, waiting, changed, errors, another } = await openPins(t)
  const { pins } = await another()
  const saw = async (seen: ToolDefinition) => {
    pins.saw(route, [seen])
    await pins.settled()
  }
  await saw(definition('one'))
  const { ledger } = testApp.writes
  const { append } = ledger
  ledger.append = async () => {
    throw new Error('no room')
  }
  await saw(definition('two'))
  t.match(errors, [{ message: 'no room' }])
  t.equal(pins.isChanged(route.id, 'close'), true)
  await saw(definition('two'))
  t.equal(errors.length, 1, 'it is not tried with each list')
  ledger.append = append
  testApp.clock.nowMs += minuteMs
  await saw(definition('two'))
  t.equal((await waiting()).length, 1)
  t.same(changed, ['close'])
})

t.test(
  'issue 16: what was approved of a tool outlasts a mistake in the file, and leaves 90 days after it',
  async (t) => {
    const { testApp, pins, saw } = await openPins(t)
    await saw(definition('one'), definition('alike', 'list'))
    const named = new Set(['list', 'close'])
    const { store, feed, now } = testApp
    const sweep = () => sweepDefinitions({ feed, reader: store.reader, now }, (_route, tool) => named.has(tool))
    const rows = async () => (await readDefinitionStates(store.reader)).map(({ tool }) => tool)
    named.delete('close')
    await sweep()
    testApp.clock.nowMs += 80 * 24 * 60 * minuteMs
    await sweep()
    t.same(await rows(), ['close', 'list'])
    named.add('close')
    await sweep()
    named.delete('close')
    await sweep()
    testApp.clock.nowMs += 80 * 24 * 60 * minuteMs
    await sweep()
    t.equal(pins.isApproved(route.id, definition('two')), false, 'counted from when it was named last')
    testApp.clock.nowMs += 11 * 24 * 60 * minuteMs
    await sweep()
    t.same(await rows(), ['list'])
    t.equal(pins.isApproved(route.id, definition('two')), true, 'the first one that is seen counts')
  },
)

t.test('issue 16: webhooks of every tenant hear of a change, without a word of the server', async (t) => {
  const { testApp, saw } = await openPins(t)
  await saw(definition('Closes.'))
  await saw(definition('Closes, and mails it.'))
  const rows = await testApp.store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
  const data = { route: '/desk/mcp', tool: 'close', held: true }
  t.same(
    rows.flatMap((row) => toEvent(row) ?? []),
    [{ type: 'tool.changed', tenantId: undefined, subject: 'tools/close', data }],
  )
})
