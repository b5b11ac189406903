// The same attacks as a proxy passes them on that asks whether a request may go on, in each of the ways to ask. It is
// the answer that is judged: what it lets pass is passed on as it came.

import { type Attack, authOf, filledTemplate, liberalReadings } from '../support/models/attack-corpus.js'
import { type RawAnswer, rawConnection } from '../support/traffic/http-raw.js'
import { alternateHost } from './configuration.js'
import { claimsOf, wrongPlainIdentity } from './judge.js'
import { heldBy, needOf, type Who } from './targets.js'
import type { TestApp } from './test-app.js'

const dialects = ['plain', 'nginx', 'envoy'] as const

interface ProxiedOperation {
  method: string
  path: string
  /** Whose routes stand below `/wide`. */
  host?: string
}

export interface Question {
  attack: Attack
  dialect: (typeof dialects)[number]
  operation: ProxiedOperation
  who: Who
  where: string
}

const askers: readonly Who[] = ['reader', 'nobody', 'reader', 'lacking', 'reader', 'revoked', 'foreign', 'outsider']
/** How many of the kinds of routes each attack is tried at in each way; the next one takes the next. */
const each = 3

/** Each attack that a proxy can pass on, in each way to ask; routes and credentials take turns. */
export function questionsOf(attacks: readonly Attack[], { own, others }: TestApp['tenants']): Question[] {
  const all: readonly ProxiedOperation[] = [
    { method: 'GET', path: '/guarded' },
    { method: 'GET', path: '/open/thing' },
    { method: 'POST', path: '/guarded' },
    { method: 'GET', path: '/admin', host: alternateHost },
    { method: 'GET', path: '/plain/7' },
    { method: 'GET', path: '/a/b', host: alternateHost },
    { method: 'GET', path: '/silent/7' },
    { method: 'GET', path: '/outside/7' },
    { method: 'GET', path: `/of/${own}/7` },
    { method: 'GET', path: `/of/${others}/7` },
    { method: 'GET', path: '/live/7' },
  ]
  const questions: Question[] = []
  for (const attack of attacks.filter(({ section }) => ['targets', 'headers', 'questions'].includes(section))) {
    for (const dialect of dialects) {
      for (let i = 0; i < each; i += 1) {
        const operation = all[questions.length % all.length] as ProxiedOperation
        const who = askers[Math.floor(questions.length / 3) % askers.length] as Who
        const where = `${dialect}, ${operation.method} ${operation.path} of ${operation.host ?? 'the gate’s own host'}, ${who}`
        questions.push({ attack, dialect, operation, who, where })
      }
    }
  }
  return questions
}

/** Asks, over a connection of its own, and gives what is wrong with the answer. */
export async function ask(
  testApp: TestApp,
  question: Question,
): Promise<{ status: number; problem: string | undefined }> {
  const { attack, dialect, operation, who } = question
  const token = testApp.tokens[who]
  const filled = filledTemplate(attack, { ...operation, head: '', token })
  const isTarget = attack.section === 'targets'
  const target = isTarget ? filled : operation.path
  const connection = await rawConnection(testApp.forwardAuth)
  const lines = isTarget ? '' : `${filled}\r\n`
  connection.send(`${opening(dialect, operation, target)}${authOf(token)}${lines}\r\n`)
  const answer = await connection.answer().catch((error: Error) => error)
  connection.end()
  if (answer instanceof Error) return { status: 0, problem: answer.message }
  const { status } = answer
  if (status >= 500) return { status, problem: `answered ${status}` }
  const mallory = [...answer.headers].flat(2).find((text) => /mallory/i.test(text))
  if (mallory !== undefined) return { status, problem: `an answer says ${mallory}` }
  if (status >= 300) return { status, problem: wrongRefusal(answer) }
  const problem =
    whatItNeeds(testApp, question, target, lines) ?? wrongIdentity(testApp, who, pathOf(target, operation), answer)
  return { status, problem }
}

/** How the proxy asks: request line, and what it says itself. */
function opening(
  dialect: Question['dialect'],
  { method, host = 'portcullis.test' }: ProxiedOperation,
  target: string,
): string {
  const always = 'X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\n'
  if (dialect === 'envoy') return `${method} /forward-auth/envoy${target} HTTP/1.1\r\nHost: ${host}\r\n${always}`
  const [path, from] = dialect === 'nginx' ? ['/forward-auth/nginx', 'Original'] : ['/forward-auth', 'Forwarded']
  const named = `X-${from}-Method: ${method}\r\nX-${from}-Uri: ${target}\r\nX-Forwarded-Host: ${host}\r\n`
  return `GET ${path} HTTP/1.1\r\nHost: portcullis\r\n${named}${always}`
}

/** Whatever the service behind the proxy may take it for: it gets the client's lines too. */
function whatItNeeds(
  testApp: TestApp,
  { operation, who }: Question,
  target: string,
  lines: string,
): string | undefined {
  const held = heldBy(who, testApp.tenants, undefined)
  const prefix = operation.host === undefined ? '' : '/wide'
  const values = [...lines.matchAll(/^[^:\r\n]*:[ \t]*([^\r\n]*)/gm)].map(([, value = '']) => value)
  const targets = [target, ...values.filter((value) => value.startsWith('/'))]
  const methods = [operation.method, ...values.filter((value) => /^(DELETE|POST|PUT)$/.test(value))]
  for (const reading of targets.flatMap((one) => [...liberalReadings(one)])) {
    for (const method of methods) {
      const need = needOf(method, prefix + reading)
      if (need !== undefined && !held.includes(need)) return `${method} ${reading} needs ${need}`
    }
  }
  return undefined
}

/** What the gate calls the target. */
function pathOf(target: string, { host }: ProxiedOperation): string {
  return (host === undefined ? '' : '/wide') + target.split('?')[0]
}

/** What the proxy is to tell the service. Every field is there, or the client's own would stay. */
function wrongIdentity(testApp: TestApp, who: Who, path: string, { headers }: RawAnswer): string | undefined {
  const missing = ['authorization', ...named].find((name) => headers.get(name)?.length !== 1)
  if (missing !== undefined) return `${missing} is not there once`
  const authorization = headers.get('authorization')?.[0] ?? ''
  const plain = new Map<string, string>()
  for (const name of named) {
    const [value = ''] = headers.get(name) ?? []
    if (value !== '') plain.set(name, value)
  }
  if (path.startsWith('/plain/'))
    return authorization === '' ? wrongPlainIdentity(testApp, plain, who) : 'two identities'
  if (plain.size > 0) return `identity fields where there are none: ${[...plain.keys()]}`
  if (/^\/(open|silent)\//.test(path)) return authorization === '' ? undefined : 'an identity where there is none'
  const clientId = claimsOf(authorization)?.client_id
  return clientId === testApp.applications[who] ? undefined : `in the name of ${clientId}`
}

const named = ['application', 'tenant', 'user', 'permissions', 'assertion'].map((name) => `x-portcullis-${name}`)

function wrongRefusal({ headers }: RawAnswer): string | undefined {
  const identity = [...headers.keys()].find((name) => name === 'authorization' || /^x-portcullis-[aptu]/.test(name))
  return identity === undefined ? undefined : `${identity} beside a refusal`
}
