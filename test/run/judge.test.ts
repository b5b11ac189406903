// The judge of the test run: what is documented passes, and each way of being outside is found and reported once.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Answer, createJudge } from './judge/judge.js'

const thing = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' } },
  additionalProperties: false,
}
const refused = { $ref: '#/components/responses/ApiError' }
const json = (schema: object) => ({ 'application/json': { schema } })
const document = {
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: { description: 'OK', content: json({ $ref: '#/components/schemas/Thing' }) },
          ...{ 304: { description: 'Not Modified' }, 404: refused, default: refused },
        },
      },
      delete: { responses: { 204: { description: 'Done' } } },
    },
    '/page': { get: { responses: { 200: { description: 'OK', content: { 'text/html': { schema: {} } } } } } },
  },
  components: {
    schemas: { Thing: thing, Error: { type: 'object', required: ['error'] } },
    responses: Object.fromEntries(
      ['ApiError', 'OAuthError', 'PageError'].map((name) => [
        name,
        { description: 'Refused', content: json({ $ref: '#/components/schemas/Error' }) },
      ]),
    ),
  },
}

const good: Answer = { method: 'GET', url: '/things/:id', status: 200, type: 'application/json', body: '{"id":"1"}' }
const error = '{"error":{}}'

/** What a judge makes of these answers: the lines outside, and how many were judged. */
function judged(t: Test, answers: readonly Answer[]) {
  const folder = t.testdir({ 'document.json': JSON.stringify(document) })
  const judge = createJudge(folder)
  for (const answer of answers) judge.hear(answer)
  judge.report()
  const linesOf = (name: string) => {
    const file = join(folder, `${name}.${process.pid}`)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  }
  const reports = linesOf('judged').map((line) => JSON.parse(line) as { answers: number; operations: string[] })
  return { outside: linesOf('outside'), reports }
}

t.test('what is documented passes', async (t) => {
  const folder = t.testdir({ 'document.json': JSON.stringify(document) })
  const judge = createJudge(folder)
  const passing: Answer[] = [
    good,
    { ...good, method: 'HEAD', body: '' },
    { ...good, status: 304, type: '', body: '' },
    { ...good, status: 404, body: error },
    { ...good, status: 414, body: error },
    { ...good, method: 'POST', status: 405, body: error },
    { ...good, method: 'DELETE', status: 204, type: '', body: '' },
    { ...good, url: '/page', type: 'text/html; charset=utf-8', body: '<!doctype html>\n<html></html>' },
    { ...good, url: '/*', status: 403, body: error },
  ]
  for (const answer of passing) judge.hear(answer)
  judge.hear({ ...good, url: '/elsewhere', status: 599 })
  judge.report()
  t.notOk(existsSync(join(folder, `outside.${process.pid}`)))
  const report = JSON.parse(readFileSync(join(folder, `judged.${process.pid}`), 'utf8'))
  t.equal(report.answers, passing.length, 'of another server nothing is judged')
  t.match(report.operations, ['GET /things/{id}', 'POST /things/{id}', 'DELETE /things/{id}', 'GET /page', 'the gate'])
})

t.test('each way of being outside is found, once', async (t) => {
  const cases: [string, Answer, RegExp][] = [
    ['a status', { ...good, status: 418 }, /418: the status is not documented/],
    ['a body', { ...good, body: '{"id":1}' }, /200: \/id must be string/],
    ['a field', { ...good, body: '{"id":"1","secret":"x"}' }, /additional properties.*secret/],
    ['no JSON', { ...good, body: '<html>' }, /the body is not JSON/],
    ['a media type', { ...good, type: 'text/plain' }, /the media type text\/plain is not documented/],
    ['a body of a 304', { ...good, status: 304 }, /a body where none is documented/],
    ['a refusal in another form', { ...good, status: 404 }, /404: .*must have required property 'error'/],
    ['a page without its head', { ...good, url: '/page', type: 'text/html', body: '<p>' }, /no doctype/],
    ['another method that answers', { ...good, method: 'PUT' }, /PUT \/things\/\{id\} 200: the status/],
    ['the gate with a status of its own', { ...good, url: '/*', status: 418 }, /the gate 418/],
  ]
  for (const [title, answer, expected] of cases) {
    await t.test(title, async (t) => {
      const { outside, reports } = judged(t, [answer, answer])
      t.equal(outside.length, 1)
      t.match(outside[0], expected)
      t.equal(reports[0]?.answers, 2)
    })
  }
})
