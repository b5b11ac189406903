// The refusal of a request target that could be read in two ways.

import { ApiError } from '../answers/api-error.js'

const message = 'The request target is not acceptable.'

/** `reason` names how: a TargetRefusal. */
export function invalidTarget(reason: string): ApiError {
  return new ApiError(400, 'InvalidTarget', message, { details: [{ code: reason, message }] })
}
