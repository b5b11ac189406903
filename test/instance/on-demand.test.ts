// run: apart
// What is made when it is first needed is made once for all who wait, and anew after it could not be made. The
// management API behind the local socket and in this process is such a thing.

import { request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { socketAddress } from '../../src/http/connections/socket-address.js'
import { onDemand } from '../../src/http/on-demand.js'
import { startProgram } from '../support/programs/program.js'

t.test('one making for all, another one after it failed, and nothing for who only ends it', async (t) => {
  let makings = 0
  const thing = onDemand(async () => {
    makings++
    if (makings === 1) throw new Error('not yet')
    return { number: makings }
  })
  t.equal(await thing.made(), undefined)
  t.equal(makings, 0)
  const refused = await Promise.allSettled([thing.get(), thing.get()])
  t.same(
    refused.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.equal(await thing.made(), undefined, 'what could not be made is not there')
  const [one, other] = await Promise.all([thing.get(), thing.get()])
  t.equal(one, other)
  t.equal(makings, 2)
  t.equal(await thing.made(), one)
})

t.test('first callers at the socket', async (t) => {
  const program = await startProgram({ cwd: t.testdir() })
  t.teardown(() => program.stop())
  const path = socketAddress(join(program.folder, 'admin.sock'))
  const ask = (method: string, url: string, body?: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      const call = request({ socketPath: path, method, path: url, headers: { ...json, ...headers } }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString() }))
      })
      call.on('error', reject)
      call.end(body)
    })
  const create = (name: string) => ask('POST', '/api/v2/tenants', JSON.stringify({ name }))
  const first = await Promise.all([
    create('One'),
    create('Two'),
    ask('GET', '/api/v2/status'),
    ask('DELETE', '/api/v2/status'),
    ask('GET', '/api/v2/status', undefined, { 'x-forwarded-for': '192.0.2.1' }),
    ask('GET', '/nowhere'),
  ])
  t.same(
    first.map(({ status }) => status),
    [201, 201, 200, 405, 403, 404],
    first.map(({ text }) => text.slice(0, 200)).join('\n'),
  )
  t.equal((await create('Three')).status, 201)
})
