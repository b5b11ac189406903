// What a service's own document says, put into an operation of the API's document. The gate has the last word: who may
// call and what it refuses by itself stays as the configuration says it.

import type { PublishedAnswer, PublishedOperation } from '../../openapi/published/publication.js'
import type { ApiOperation, ApiParameter, ApiResponse, ReferredResponse } from './document-types.js'
import { reason, refusalResponses } from './refusals.js'

/** What the parameters of the service's path are at the gate; those that it fixes are not in it. */
export type PathNames = ReadonlyMap<string, string>

const apiError = { $ref: '#/components/schemas/ApiError' }

/** The operation at `path` of the gate with what the service says of it. */
export function describedByService(
  operation: ApiOperation,
  { path, documented, names }: { path: string; documented: PublishedOperation; names: PathNames },
): ApiOperation {
  const { summary, description, body, deprecated } = documented
  const { parameters: _own, ...rest } = operation
  const parameters = parametersOf(path, documented, names)
  return {
    ...rest,
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined || description === summary ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(operation.responses, documented.answers),
    ...(deprecated ? { deprecated: true as const } : {}),
  }
}

/** Each parameter of the path once and required, as OpenAPI wants it; what the gate has fixed is not one. */
function parametersOf(path: string, { parameters }: PublishedOperation, names: PathNames): ApiParameter[] {
  const inPath = new Map(
    parameters.flatMap((one): [string, ApiParameter][] => {
      const name = one.in === 'path' ? names.get(one.name) : undefined
      return name === undefined ? [] : [[name, { ...one, name }]]
    }),
  )
  const named = [...path.matchAll(/\{([^{}]+)\}/g)].map(
    ([, name = '']): ApiParameter =>
      inPath.get(name) ?? { name, in: 'path', required: true, schema: { type: 'string' } },
  )
  return [...named, ...parameters.filter((one) => one.in !== 'path')]
}

function responsesOf(
  own: ApiOperation['responses'],
  answers: PublishedOperation['answers'],
): ApiOperation['responses'] {
  const refusals = Object.entries(own).filter(([status]) => status === 'default' || Number(status) >= 400)
  const isAnswered = Object.keys(answers).some((status) => /^[123]|default/.test(status))
  const others = Object.entries(answers).filter(([status]) => !refusals.some(([known]) => known === status))
  return {
    ...(isAnswered ? {} : Object.fromEntries(Object.entries(own).filter(([status]) => Number(status) < 400))),
    ...Object.fromEntries(others.map(([status, answer]) => [status, said(status, answer)])),
    ...Object.fromEntries(
      refusals.map(([status, refusal]) => {
        const answer = answers[status] ?? answers[`${status[0]}XX`] ?? answers['default']
        return [status, answer === undefined ? refusal : eitherOf(status, refusal, answer)]
      }),
    ),
  }
}

function said(status: string, { description, ...answer }: PublishedAnswer): ApiResponse {
  return { description: description || reason(Number(status)), ...answer }
}

/** The gate's refusal, or the service's own. */
function eitherOf(status: string, refusal: ApiResponse | ReferredResponse, answer: PublishedAnswer): ApiResponse {
  const ours = '$ref' in refusal ? refusalResponses[refusal.$ref.split('/').at(-1) ?? ''] : refusal
  const { 'application/json': json, ...others } = answer.content ?? {}
  const written = said(status, answer)
  const headers = { ...answer.headers, ...ours?.headers }
  return {
    description: status === 'default' ? written.description || 'Refused.' : written.description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      ...others,
      'application/json':
        json === undefined ? { schema: apiError } : { ...json, schema: { anyOf: [json.schema, apiError] } },
    },
  }
}
