// Schemas become functions, each at its first use. A body is somebody else's, so the work on it is bounded: schemas
// that refer to each other can be evaluated exponentially often, and some words compare everything with everything.

import { isIPv4, isIPv6 } from 'node:net'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Patterns } from './patterns.js'
import type { Schemas } from './schemas.js'
import { NoDescription, type SchemaCheck } from './service-description.js'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const day = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

const formats = {
  int32: { type: 'number', validate: (value: number) => value >= -(2 ** 31) && value < 2 ** 31 },
  int64: { type: 'number', validate: (value: number) => value >= -(2 ** 63) && value < 2 ** 63 },
  uuid,
  date: (text: string) => day.test(text) && isDay(text),
  'date-time': (text: string) => dateTime.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  ipv4: isIPv4,
  ipv6: isIPv6,
} as const

/** What the patterns of a document may take of the process for one value, in milliseconds. */
const mostPatternMs = 100

class TooMuchWork extends Error {}

/** What is left for one value. */
interface Budget {
  steps: number
  patternMs: number
}

/** Of schemas themselves; making it takes a moment. */
let judge: Ajv2020 | undefined

export interface SchemaChecks {
  /** The check of what `schemas.reference` named. */
  of(reference: string): SchemaCheck
  /** Throws NoDescription when a schema is not one. */
  verify(): void
}

/** Nothing is compiled before its first use. Call it when `schemas` has all. */
export function createSchemaChecks(schemas: Schemas, patterns: Patterns): SchemaChecks {
  const budget: Budget = { steps: 0, patternMs: 0 }
  const spend = (steps: number) => {
    budget.steps -= steps
    if (budget.steps < 0) throw new TooMuchWork()
    return true
  }
  let made: Ajv2020 | undefined
  const ajv = () => {
    made ??= createAjv(spend, (source) => timed(source, patterns, budget)).addSchema({
      $id: 'document',
      $defs: schemas.definitions(),
    })
    return made
  }
  return {
    of(reference) {
      let validate: ValidateFunction | undefined
      return (value, steps) => {
        validate ??= ajv().compile({ $ref: `document${reference}` })
        budget.steps = steps
        budget.patternMs = mostPatternMs
        try {
          return validate(value) ? undefined : wrongOf(validate.errors)
        } catch (error) {
          if (!(error instanceof TooMuchWork)) throw error
          return { pointer: '', message: 'takes more work to check than a value of this size may' }
        }
      }
    },
    verify() {
      // Another one: schemas are no bodies, and may take the work that they take.
      judge ??= new Ajv2020({ strict: false, logger: false })
      if (judge.validateSchema({ $defs: schemas.definitions() }) === true) return
      const [error] = judge.errors ?? []
      throw new NoDescription(
        `a schema is wrong: ${error?.instancePath.split('/').slice(4).join('/')} ${error?.message}`,
      )
    },
  }
}

/** A pattern as validators want it; by its text a validator remembers it. */
function timed(source: string, patterns: Patterns, budget: Budget) {
  const pattern = patterns.of(source)
  const test = (text: string) => {
    const started = performance.now()
    const fits = pattern.test(text)
    // A machine that stood still meanwhile is nobody's fault.
    budget.patternMs -= Math.min(performance.now() - started, pattern.worstMs(text))
    if (budget.patternMs < 0) throw new TooMuchWork()
    return fits
  }
  return { test, toString: () => source }
}

function createAjv(spend: (steps: number) => boolean, pattern: (source: string) => ReturnType<typeof timed>): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    // 1e999 is no number.
    strictNumbers: true,
    // With all errors of a large value there would be as many of them.
    allErrors: false,
    validateSchema: false,
    // What an object only inherits is not in it.
    ownProperties: true,
    inlineRefs: false,
    logger: false,
    formats,
    code: { regExp: Object.assign(pattern, { code: 'pattern' }) },
  })
  ajv.addKeyword({ keyword: 'step', validate: () => spend(1), errors: false })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || areUnique(items, spend),
    error: { message: 'must NOT have duplicate items' },
  })
  return ajv
}

function areUnique(items: readonly unknown[], spend: (steps: number) => boolean): boolean {
  const known = new Set<string>()
  for (const item of items) {
    const text = JSON.stringify(item, inOrder)
    spend(text.length / 16)
    known.add(text)
  }
  return known.size === items.length
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Of the errors of alternatives the last one is about all of them. */
function wrongOf(errors: readonly ErrorObject[] | null | undefined): ReturnType<SchemaCheck> {
  const error = errors?.at(-1)
  return { pointer: error?.instancePath ?? '', message: error?.message ?? 'is not as described' }
}

/** 31 February would be a day in March. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}
