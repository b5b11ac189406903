// The server as it ships, and an application that sends as slowly as it may: all other calls get their answers.
// run: apart

import t from 'tap'
import { call, demoToken } from '../support/programs/demo.js'
import { startProgram } from '../support/programs/program.js'
import { rawConnection } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'

const slowOnes = 80

t.test('gateway H1: slow bodies on a route that ships hold up no other call of its service', async (t) => {
  const program = await startProgram({ cwd: t.testdir() })
  t.teardown(() => program.stop())
  const token = await demoToken(program)
  const url = new URL(program.baseUrl)
  const target = { port: Number(url.port), host: 'localhost', tls: { ca: program.ca(), servername: 'localhost' } }
  const head = `POST /api/v2/subscriptions HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`
  for (let i = 0; i < slowOnes; i += 1) {
    const client = await rawConnection(target)
    t.teardown(() => client.socket.destroy())
    client.answer().catch(() => undefined)
    client.send(head)
  }
  const metrics = async () => (await fetch(`${program.operatorUrl}/metrics`)).text()
  const held = `portcullis_held_body_bytes ${slowOnes * 60_000}\n`
  await until('all bodies are being read', async () => (await metrics()).includes(held))
  const headers = { authorization: `Bearer ${token}` }
  for (let i = 0; i < 5; i += 1) t.equal((await call(program, '/api/v2/me', { headers })).status, 200)
  t.match(await metrics(), 'portcullis_upstream_in_flight{upstream="backend",state="running"} 0')
})
