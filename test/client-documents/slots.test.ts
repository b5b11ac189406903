// Slow hosts of documents (decision 152): the documents of others are fetched all the same, however many an attacker names.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import t from 'tap'
import { createClientDocuments } from '../../src/client-documents/client-documents.js'
import { DocumentRefused } from '../../src/client-documents/document-refused.js'
import { documentFetch } from '../../src/client-documents/fetch-document.js'
import { createFetchSlots } from '../../src/client-documents/fetch-slots.js'
import type { ResolveAll } from '../../src/egress/tenant-names.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import { startDocumentHost } from '../support/providers/document-host.js'
import { until } from '../support/traffic/until.js'

type Test = Parameters<typeof startDocumentHost>[0]

/** Every name leads to a server that takes connections and says nothing; localhost has documents. */
async function open(t: Test) {
  const host = await startDocumentHost(t)
  const held = new Set<Socket>()
  const slow = createServer((socket) => {
    held.add(socket)
    socket.on('error', () => undefined).on('close', () => held.delete(socket))
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const letGo = () => {
    for (const socket of held) socket.destroy()
  }
  t.teardown(() => {
    letGo()
    slow.close()
  })
  const { port } = slow.address() as AddressInfo
  const resolve: ResolveAll = (_name, _options, found) =>
    process.nextTick(found, null, [{ address: '127.0.0.1', family: 4 }])
  const names = new Set(['localhost'])
  const documents = createClientDocuments({
    trust: 'any',
    // Read when it is built, so every name of the test stands there.
    fetch: (url, withinMs) =>
      documentFetch({ allow: [...names.add(new URL(url).hostname)], ca: host.ca, names: () => resolve })(url, withinMs),
    counters: createInProcessCounters(),
    monotonic: () => 0,
    now: () => 1_000_000,
  })
  let made = 0
  const reasonOf = async (url: string, address: string) => {
    try {
      await documents.find(url, address)
      return 'taken'
    } catch (error) {
      return error instanceof DocumentRefused ? error.reason : String(error)
    }
  }
  return {
    held,
    letGo,
    reasonOf,
    slowly: (name: string, address: string) => reasonOf(`https://${name}:${port}/${made++}`, address),
    good: () => reasonOf(host.host(`/good-${made++}`), '198.51.100.9'),
  }
}

t.test('G13 identity: slow hosts of one attacker leave slots for the documents of others', async (t) => {
  const attacks: readonly (readonly [string, number, (i: number) => readonly [string, string]])[] = [
    ['one host, many addresses', 2, (i) => ['evil.test', `203.0.113.${i}`]],
    ['one site, many hosts and addresses', 4, (i) => [`h${i}.evil.test`, `203.0.113.${i}`]],
    ['one address, many sites', 4, (i) => [`evil-${i}.test`, '203.0.113.1']],
    ['one IPv6 network, many sites', 4, (i) => [`evil-${i}.test`, `2001:db8:1:${i}::1`]],
  ]
  for (const [name, most, attack] of attacks) {
    const { held, letGo, slowly, good } = await open(t)
    const all = Array.from({ length: 12 }, (_, i) => slowly(...attack(i)))
    await until('the slow ones are held', () => held.size === most)
    t.equal(await good(), 'taken', name)
    letGo()
    const ended = await Promise.all(all)
    t.equal(ended.filter((each) => each === 'document_unreachable').length, most, name)
    t.equal(ended.filter((each) => each === 'document_busy').length, 12 - most, name)
    const again = slowly(...attack(12))
    await until('one more is held', () => held.size === 1)
    letGo()
    t.equal(await again, 'document_unreachable', 'its slots are free again')
  }
})

t.test('slots are counted by host, site and address, and given back', (t) => {
  const { take } = createFetchSlots()
  const at = (name: string, address?: string) => take(`https://${name}/client.json`, address)
  const first = at('a.one.co.uk', '192.0.2.1')
  t.ok(first)
  for (const name of ['a.one.co.uk', 'b.one.co.uk', 'c.one.co.uk']) t.ok(at(name), name)
  t.notOk(at('d.one.co.uk'), 'four of a site')
  t.ok(at('two.co.uk'), 'another site below the same public name')
  first?.()
  t.ok(at('d.one.co.uk'))
  const own = Array.from({ length: 10 }, (_, i) => at(`own-${i}.test`))
  t.ok(
    own.every((slot) => slot !== undefined),
    'what this server does itself is of no address',
  )
  t.ok(at('last.test', '192.0.2.2'))
  t.notOk(at('more.test', '192.0.2.3'), 'sixteen of all')
  own[0]?.()
  t.ok(at('more.test', '192.0.2.3'))
  t.end()
})
