// People who sign in with their password, a few a second, each in a browser of its own: the page, the form, the way to
// their account. What it costs is the hash of the password.

import { Agent, request } from 'node:http'
import { createLocalClient } from '../../../src/cli/calls/local-client.js'
import { peopleCalls } from '../../../src/cli/calls/people-calls.js'
import { createScriptedBrowser, type Received, type SentRequest } from '../../support/browser/scripted-browser.js'
import { figuresOf } from '../paced/figures.js'
import type { Product } from '../product.js'

export interface SignIns {
  /** Signs in so often for so long; gives how many came to their account, how many did not, and how long it took. */
  run(perSecond: number, seconds: number): Promise<{ right: number; wrong: number; p99: number }>
  close(): void
}

const people = 20
const password = 'nine quiet purple lanterns'

/** Adds the people. Throws what the server says when it will not. */
export async function createSignIns(gate: Product): Promise<SignIns> {
  const client = createLocalClient(gate.socket)
  for (let i = 0; i < people; i += 1) {
    await peopleCalls(client).createUser({ email: emailOf(i), name: `Person ${i}`, password, emailVerified: true })
  }
  const agent = new Agent({ keepAlive: true })
  let next = 0
  const signIn = async () => {
    const who = next++ % people
    const browser = createScriptedBrowser(`https://${gate.host}`, (sent) => exchange(gate, agent, sent, who))
    const shown = await browser.submit(await browser.open('/sign-in'), 'sign-in-form', {
      email: emailOf(who),
      password,
    })
    if (shown.status !== 200 || !shown.path.startsWith('/account')) throw new Error(`${shown.status} ${shown.path}`)
  }
  return {
    async run(perSecond, seconds) {
      const took: number[] = []
      let wrong = 0
      const underWay: Promise<void>[] = []
      const startedAt = performance.now()
      for (let i = 0; i < perSecond * seconds; i += 1) {
        const dueAt = startedAt + (i * 1000) / perSecond
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
        underWay.push(
          signIn().then(
            () => void took.push(performance.now() - dueAt),
            () => void wrong++,
          ),
        )
      }
      await Promise.all(underWay)
      return { right: took.length, wrong, p99: figuresOf(took).p99 }
    },
    close: () => agent.destroy(),
  }
}

function emailOf(person: number): string {
  return `person-${person}@example.test`
}

function exchange({ port, host }: Product, agent: Agent, sent: SentRequest, who: number): Promise<Received> {
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-for': `192.0.2.${100 + who}` }
  const headers = { ...sent.headers, host, accept: 'text/html', ...proxied }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent, method: sent.method, path: sent.path, headers }
    const call = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => {
        const body = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    call.once('error', reject)
    call.end(sent.body)
  })
}
