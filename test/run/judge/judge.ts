// Whether an answer is one that the document of the API promises: its status, its media type, its body.

import { appendFileSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { ApiDocument, ApiOperation, ApiResponse } from '../../../src/management/openapi/document-types.js'
import { openApiPath } from '../../../src/management/openapi/registered.js'

export interface Answer {
  method: string
  /** As registered. */
  url: string
  status: number
  type: string
  body: string
}

export interface Judge {
  hear(answer: Answer): void
  /** Adds what it heard since the last time to the files of the run. */
  report(): void
}

/** What every operation may answer before its route is reached: the `default` of the document. */
const unheard = new Set([408, 414, 421, 431, 501])

/** By the document in the folder of the run, to files of this process: one may be bound in how large its files become. */
export function createJudge(folder: string): Judge {
  const fileOf = (name: string) => join(folder, `${name}.${process.pid}`)
  const text = readFileSync(join(folder, 'document.json'), 'utf8')
  const document = JSON.parse(text.replaceAll('"#/components/schemas/', '"api#/components/schemas/')) as ApiDocument
  const check = createCheck(document)
  const operations = new Set<string>()
  const reported = new Set<string>()
  let answers = 0
  return {
    hear(answer) {
      const found = findOperation(document, answer)
      if (found === undefined) return
      answers += 1
      operations.add(found.key)
      const problem = problemOf(document, check, found, answer)
      const about = `${found.key} ${answer.status}`
      if (problem === undefined || reported.has(about)) return
      reported.add(about)
      appendFileSync(
        fileOf('outside'),
        `${about}: ${problem.replace(/\s+/g, ' ')} (${basename(process.argv[1] ?? '')})\n`,
      )
    },
    report() {
      if (answers === 0) return
      appendFileSync(fileOf('judged'), `${JSON.stringify({ answers, operations: [...operations] })}\n`)
      answers = 0
      operations.clear()
    },
  }
}

type Check = (schema: object) => ValidateFunction

function createCheck({ components }: ApiDocument): Check {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', components: { schemas: components.schemas } })
  const compiled = new Map<object, ValidateFunction>()
  return (schema) => {
    const known = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, known)
    return known
  }
}

interface Found {
  key: string
  responses: ApiOperation['responses']
}

const gate: Found = {
  key: 'the gate',
  responses: {
    204: { description: 'OPTIONS' },
    ...Object.fromEntries(
      [400, 401, 403, 404, 405, 411, 413, 415, 426, 429, 500, 502, 503, 504].map((status) => [
        status,
        refused('ApiError'),
      ]),
    ),
    default: refused('ApiError'),
  },
}
/** What browsers get of the gate where there is nothing (src/web/nothing-here.tsx). */
const gateForBrowsers: Found = {
  key: gate.key,
  responses: { 303: { description: 'The bare address leads to the portal.' }, 404: refused('PageError') },
}
/** What a client of an MCP server gets of the gate: an error of JSON-RPC 2.0, §5.1, with 200 where servers answer so. */
const rpcError = {
  type: 'object',
  required: ['jsonrpc', 'id', 'error'],
  additionalProperties: false,
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer', 'null'] },
    error: {
      type: 'object',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: { code: { type: 'integer' }, message: { type: 'string', minLength: 1 }, data: { type: 'object' } },
    },
  },
}
/** A result that requests input (MCP 2026-07-28): where a person approves a call. */
const rpcInputRequest = {
  type: 'object',
  required: ['jsonrpc', 'id', 'result'],
  additionalProperties: false,
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer'] },
    result: {
      type: 'object',
      required: ['resultType', 'inputRequests'],
      properties: { resultType: { const: 'input_required' }, inputRequests: { type: 'object' } },
    },
  },
}
const gateForMessages: Found = {
  key: gate.key,
  responses: Object.fromEntries(
    [200, 400, 401, 403, 404, 503].map((status) => [
      status,
      {
        description: 'An error of JSON-RPC, or with 200 a request for input.',
        content: {
          'application/json': { schema: status === 200 ? { anyOf: [rpcError, rpcInputRequest] } : rpcError },
        },
      },
    ]),
  ),
}
/** Of a method that a path does not have. */
const anotherMethod: ApiOperation['responses'] = Object.fromEntries(
  [400, 401, 403, 404, 405, 429, 'default'].map((status) => [status, refused('OAuthError')]),
)

function refused(name: string): { $ref: string } {
  return { $ref: `#/components/responses/${name}` }
}

function findOperation({ paths }: ApiDocument, { method, url, status, body }: Answer): Found | undefined {
  if (url === '/' || url === '/*') {
    if (body.startsWith('{"jsonrpc"')) return gateForMessages
    return status === 303 || (status === 404 && body.startsWith('<')) ? gateForBrowsers : gate
  }
  const path = openApiPath(url)
  const known = paths[path] ?? Object.entries(paths).find(([one]) => isSameKind(one, path))?.[1]
  if (known === undefined) return undefined
  const operation = known[method.toLowerCase()] ?? (method === 'HEAD' ? known['get'] : undefined)
  const isPage = body.startsWith('<')
  if (operation === undefined) {
    const responses = isPage ? pages(anotherMethod) : anotherMethod
    return { key: `${method} ${path}`, responses }
  }
  // Another address may be refused that this pattern has too: /keys/rotate has a method, /keys/{kid} has others.
  if (status === 405) return { key: `${method} ${path}`, responses: isPage ? pages(anotherMethod) : anotherMethod }
  // What is behind a wildcard may be there after a reload, or not.
  const responses = path.endsWith('/*') ? { ...operation.responses, 404: refused('ApiError') } : operation.responses
  return { key: `${method === 'HEAD' ? 'GET' : method} ${path}`, responses }
}

function pages(responses: ApiOperation['responses']): ApiOperation['responses'] {
  return Object.fromEntries(Object.keys(responses).map((status) => [status, refused('PageError')]))
}

/** Each resource of a configuration has its own metadata. */
function isSameKind(one: string, other: string): boolean {
  const prefix = '/.well-known/oauth-protected-resource/'
  return one.startsWith(prefix) && other.startsWith(prefix)
}

/** What is wrong with it; undefined: nothing. */
function problemOf(document: ApiDocument, check: Check, { responses }: Found, answer: Answer): string | undefined {
  const { status, type, body, method } = answer
  const given = responses[status] ?? (unheard.has(status) ? responses['default'] : undefined)
  if (given === undefined) return `the status is not documented: ${body.slice(0, 200)}`
  const response: ApiResponse | undefined =
    '$ref' in given ? document.components.responses[given.$ref.split('/').at(-1) ?? ''] : given
  if (response === undefined) return 'its reference leads nowhere'
  const { content } = response
  if (content === undefined || status === 204 || status === 304 || method === 'HEAD') {
    return body === '' || method === 'HEAD' ? undefined : `a body where none is documented: ${body.slice(0, 100)}`
  }
  const media = type.split(';')[0]?.trim() ?? ''
  const schema = (content[media] ?? content['*/*'])?.schema
  if (schema === undefined) return `the media type ${media || '(none)'} is not documented`
  if (media === 'text/html') return /^<!doctype html>/i.test(body) ? undefined : 'the page has no doctype'
  return media === 'application/json' ? jsonProblem(check(schema), body) : undefined
}

function jsonProblem(validate: ValidateFunction, body: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return 'the body is not JSON'
  }
  if (validate(value)) return undefined
  return (validate.errors ?? [])
    .slice(0, 4)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ')
}
