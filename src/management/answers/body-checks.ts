// How request bodies come in: JSON and nothing else, checked against the TypeBox schema as they are, without coercion,
// defaults or dropped fields. Fastify's own validator would silently remove what it does not know.

import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { RATE_PATTERN } from '../../config/process/units.js'
import { ApiError, type ApiErrorDetail } from '../../http/answers/api-error.js'

const mostDetails = 10

/**
 * Sets the parser and the validator of this scope. An absent body is an empty object: every route says what it needs.
 */
export function checkedBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'))
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined) request.body = {}
  })
  app.setValidatorCompiler(({ schema, httpPart }) => (value: unknown) => {
    const validator = validatorOf(schema as TSchema)
    return validator.Check(value) ? { value } : { error: refusal(httpPart ?? 'body', validator.Errors(value)) }
  })
}

/**
 * Compiled when it is first needed, once for all transports: compiling every schema at the start would be a third of
 * it.
 */
function validatorOf(schema: TSchema): ReturnType<typeof Compile> {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = Compile(schema)
  validators.set(schema, made)
  return made
}

const validators = new WeakMap<object, ReturnType<typeof Compile>>()

type SchemaErrors = ReturnType<ReturnType<typeof Compile>['Errors']>

function refusal(httpPart: string, errors: SchemaErrors): ApiError {
  const details = errors
    // Each unknown field is told once, by the object that has it.
    .filter((error) => error.keyword !== 'boolean')
    .slice(0, mostDetails)
    .map(describe)
  const part = httpPart === 'querystring' ? 'query' : httpPart
  return new ApiError(400, 'InvalidRequest', `The ${part} is not as it should be.`, { details })
}

function describe(error: SchemaErrors[number]): ApiErrorDetail {
  const target = error.instancePath.slice(1).replaceAll('/', '.')
  const { additionalProperties, requiredProperties } = error.params as Record<string, string[] | undefined>
  const names = (additionalProperties ?? requiredProperties ?? []).slice(0, mostDetails).map(plain).join(', ')
  const message = additionalProperties === undefined ? wordsOf(error) : `unknown: ${names}`
  return { code: 'InvalidValue', message, ...(target === '' ? {} : { target: plain(target) }) }
}

/** What a pattern means, where people write what it is for. */
function wordsOf({ keyword, message, params }: SchemaErrors[number]): string {
  if (keyword !== 'pattern') return message
  const { pattern } = params as { pattern?: unknown }
  return String(pattern) === RATE_PATTERN ? 'must be a number of calls and a time, such as 100/min' : message
}

/**
 * A field's name, if it can be one: a secret in the wrong place is not repeated, nor what a terminal would trip over.
 */
function plain(name: string): string {
  return /^[\w.$-]{1,40}$/.test(name) ? name : '(no field name)'
}
