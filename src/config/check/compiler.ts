// Makes the validator of the configuration file from its schema.

import { _, Ajv, type ValidateFunction } from 'ajv'
import { plainSchema } from '../read/json-schema.js'
import { isBetween } from './between.js'

/** The compiler that made it, too. `isForText`: it can be written down as a module, which calls `isBetween` by name. */
export function compileFileCheck(isForText: boolean): { ajv: Ajv; check: ValidateFunction } {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    useDefaults: true,
    coerceTypes: true,
    strict: true,
    // A test judges the schema itself; doing it at every start would take longer than everything else here.
    meta: false,
    validateSchema: false,
    // What is compiled at a start runs once or twice: making it faster takes longer than it runs.
    code: isForText ? { source: true, esm: true } : { optimize: false },
  })
  ajv.addKeyword('errorMessage')
  ajv.addKeyword({
    keyword: 'between',
    type: 'string',
    schemaType: 'array',
    code(context) {
      const judge = context.gen.scopeValue('func', { ref: isBetween, code: _`isBetween` })
      context.fail(_`!${judge}(${context.schemaValue}, ${context.data})`)
    },
  })
  return { ajv, check: ajv.compile(plainSchema()) }
}
