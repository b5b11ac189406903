// One attempt over a connection of its own, and what is wrong with the answers.

import { type Attack, attackBytes, handshakeLines } from '../support/models/attack-corpus.js'
import { viaProxy } from '../support/rooms/http-gate.js'
import { type RawAnswer, rawConnection } from '../support/traffic/http-raw.js'
import type { Attempt } from './attempts.js'
import { isAnsweredWrongly, type Target } from './targets.js'
import type { TestApp } from './test-app.js'

export interface Counts {
  answers: Map<number, number>
  closed: number
}

/** Sends it, and behind it a plain request on the same connection. Gives what is wrong with the answers. */
export async function send(
  testApp: TestApp,
  { attack, target, who }: Attempt,
  number: string,
  counts: Counts,
): Promise<string | undefined> {
  const { host, isHandshake } = target
  const via = host === undefined ? viaProxy : viaProxy.replace('portcullis.test', host)
  const asks = isHandshake === true && attack.section !== 'handshakes'
  const head = `${via}X-Attempt: ${number}\r\n${asks ? handshakeLines : ''}`
  const bytes = attackBytes(attack, { ...target, head, token: testApp.tokens[who] })
  // Open to all; or guarded, and nobody asks: what the connection carried before is no credential.
  const line = Number(number) % 4 === 3 ? 'GET /guarded HTTP/1.1\r\nConnection: close' : 'GET /open/probe HTTP/1.1'
  const probe = `${line}\r\n${viaProxy}X-Attempt: probe-${number}\r\n\r\n`
  const connection = await rawConnection(testApp.at)
  connection.send(bytes + probe)
  const answers: RawAnswer[] = []
  for (;;) {
    const answer = await connection.answer().catch((error: Error) => error)
    if (answer instanceof Error) {
      if (!/connection closed/.test(answer.message)) return answer.message
      if (!/unread: ""/.test(answer.message)) return `half an answer: ${answer.message.slice(0, 200)}`
      counts.closed += 1
      break
    }
    answers.push(answer)
    if (answer.body.includes(`probe-${number}"`)) break
  }
  connection.end()
  const [first] = answers
  if (first !== undefined) counts.answers.set(first.status, (counts.answers.get(first.status) ?? 0) + 1)
  const ours = answers.find(({ status }) => status >= 500 && status !== (isAnsweredWrongly(target) ? 502 : 501))
  if (ours !== undefined) return `answered ${ours.status}`
  return wrongSwitch(answers, target) ?? wrongAnswers(answers, attack, number)
}

function wrongAnswers(answers: readonly RawAnswer[], attack: Attack, number: string): string | undefined {
  const [first, second, third] = answers
  if (third !== undefined) return `three answers: ${answers.map(({ status }) => status).join(', ')}`
  if (first?.body.includes('probe-') === true && !attack.template.startsWith('\\r\\n'))
    return 'answered as the next request'
  if (second !== undefined && !second.body.includes(`probe-${number}"`) && second.status < 400)
    return `the next request was answered ${second.status} ${second.body.slice(0, 80)}`
  const leak = answers.flatMap(({ headers }) => [...headers].flat(2)).find((text) => /mallory/i.test(text))
  return leak === undefined ? undefined : `an answer says ${leak}`
}

/** Once protocols have been switched nothing is answered in the old one. */
function wrongSwitch(answers: readonly RawAnswer[], { path }: Target): string | undefined {
  const at = answers.findIndex(({ status }) => status === 101)
  if (at === -1) return undefined
  if (!/^\/(live|talk)\/\d/.test(path)) return 'switched protocols'
  return at === 0 && answers.length === 1 ? undefined : 'an answer beside switched protocols'
}
