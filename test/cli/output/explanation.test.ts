// How the command line words a call that the gate allows and the service does not answer.

import t from 'tap'
import { explanationFields, recordedFields } from '../../../src/cli/commands/server/print-explanation.js'
import type { Explanation } from '../../../src/gateway/explain/explanation.js'
import type { RecordedDecision } from '../../../src/management/server/explain-schemas.js'
import { commandsAgainst } from '../../support/rooms/cli.js'

const since = '2026-03-01T10:28:00.000Z'
const message = `posts does not answer since ${since}.`
const explanation = {
  request: { method: 'GET', path: '/posts/__any' },
  decision: { outcome: 'allowed', reason: 'granted', message: 'It goes to posts.' },
  route: { pattern: '/posts/{id}', resource: 'https://api.example' },
  upstream: {
    ...{ name: 'posts', state: 'ready', inFlight: 0, most: 9, targets: 1, targetsUp: 1, lastOutcome: 'failed' },
    trouble: { target: 'http://127.0.0.1:8601', state: 'failing', since, cause: 'connection refused' },
  },
  decidedBy: null,
  tokenRefusal: null,
  caller: { kind: 'nobody', token: null },
  states: [],
  remedy: [{ message, uri: null, command: 'portcullis doctor' }],
} as unknown as Explanation
const recorded = { what: 'call', outcome: 'refused', reason: 'upstream_failed', status: 502, number: null } as const
const past = { ...recorded, method: 'GET', route: '/posts/{id}', permissions: [] } as unknown as RecordedDecision

t.test('why the service does not answer, since when, and what to do', async (t) => {
  const lines = explanationFields(explanation).map(({ label, value }) => `${label}: ${value}`)
  t.ok(lines.includes(`: posts fails since ${since}, http://127.0.0.1:8601: connection refused`), lines.join('\n'))
  t.same(lines.slice(-2), [`next: ${message}`, ': portcullis doctor'])
  const hidden = structuredClone(explanation)
  Object.assign(hidden.upstream?.trouble ?? {}, { target: null, cause: null })
  t.ok(explanationFields(hidden).some(({ value }) => value === `posts fails since ${since}`))
})

t.test('a recorded call has the pattern of its route, and was not refused when the service failed', async (t) => {
  const [call] = explanationFields(explanation, past)
  t.equal(call?.value, 'GET /posts/{id}')
  const decision = (one: RecordedDecision) => recordedFields(one).find(({ label }) => label === 'decision')?.value
  t.equal(decision(past), 'allowed, and the service failed: 502 (upstream_failed)')
  t.equal(decision({ ...past, reason: 'rate_limited', status: 429 }), 'refused: 429 (rate_limited)')
})

t.test('logs tail calls it not answered', async (t) => {
  const none = { value: [] }
  const id = '0c0f4c58-6f6c-4a4c-9c52-6a4b5f6a7b8c'
  const { run } = await commandsAgainst(t, {
    'GET /api/v2/applications/posts': { applicationId: id },
    [`GET /api/v2/auditEvents?%24top=200&applicationId=${id}`]: none,
    [`GET /api/v2/activity?%24top=200&applicationId=${id}`]: none,
    [`GET /api/v2/applications/${id}/activity?%24top=200`]: { value: [{ ...past, at: since, requestId: 'r' }] },
  })
  const { out, err } = await run('logs tail --app posts')
  t.match(out, /call not answered +GET {2}\/posts\/\{id\} {2}upstream_failed/, err)
})
