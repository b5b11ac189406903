// What is told of a request that is not as it is described: where, and what was expected; never what stood there.

import { ApiError } from '../../http/answers/api-error.js'
import type { Refusal } from '../errors.js'

export interface Problem {
  /** `query.limit`, `path.petId`, `header.x-kind`, `body`, or a place in the body: `#/items/0/name`. */
  target: string
  message: string
}

const most = 16
const longest = 256

/** 400 with all that was found, as far as it is not too much. At least one. */
export function invalidRequest(problems: readonly Problem[]): Refusal {
  const details = problems.slice(0, most).map(({ target, message }) => ({
    code: target.startsWith('#') || target === 'body' ? 'InvalidBody' : 'InvalidParameter',
    message: message.slice(0, longest),
    target: target.slice(0, longest),
  }))
  const text = 'The request is not as the service describes it; details say where.'
  const target = details[0]?.target
  const error = new ApiError(400, 'InvalidRequest', text, { ...(target === undefined ? {} : { target }), details })
  return { kind: 'refused', reason: 'invalid_request', error }
}

/** 404: what the document does not describe is not there, whatever the service would say. */
export function notDescribed(): Refusal {
  const error = new ApiError(404, 'NotDescribed', 'The service describes no such call.')
  return { kind: 'refused', reason: 'not_described', error }
}

/** 415 (RFC 9110 §15.5.16). */
export function unsupportedType(): Refusal {
  const text = 'The service describes no body of this media type here; JSON is UTF-8 and not encoded.'
  const error = new ApiError(415, 'UnsupportedMediaType', text, { target: 'header.content-type' })
  return { kind: 'refused', reason: 'media_type_not_described', error }
}
