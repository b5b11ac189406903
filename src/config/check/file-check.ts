// The validator of the configuration file, compiled when it is first needed. In the bundle of the program the text that
// standalone.ts writes stands in the place of this file: compiling took a sixth of a start (decision 139).

import type { ValidateFunction } from 'ajv'
import { compileFileCheck } from './compiler.js'

let compiled: ValidateFunction | undefined

/** Checks data, fills in defaults, makes numbers and flags of texts; says what is wrong in its `errors`. */
export function fileCheck(): ValidateFunction {
  compiled ??= compileFileCheck(false).check
  return compiled
}
