// What a restore does with every table and column of the schema (decision 131). A table without a rule does not compile,
// a column without one fails a test.

import type { Tables } from '../../rows/tables.js'
import { applicationRules } from './application-rules.js'
import { peopleRules } from './people-rules.js'
import { type Label, type Subject, subjects, type TableRule } from './rule-shapes.js'
import { serverRules } from './server-rules.js'
import { tenantRules } from './tenant-rules.js'

/** By table. */
export const tableRules: Readonly<Record<keyof Tables, TableRule>> = {
  ...applicationRules,
  ...peopleRules,
  ...tenantRules,
  ...serverRules,
}

/** Every column of a table. */
export function columnsOf({ key, copied, ended }: TableRule): string[] {
  return [...key, ...copied, ...ended.flatMap(({ columns }) => columns)]
}

/**
 * What is as the copy has it where no present database says what has ended since: after pg_restore, and beside one that
 * is lost. By whose it is, each label once.
 */
export function notKnown(): ReadonlyMap<Subject, readonly Label[]> {
  const labels = new Map<Subject, Set<Label>>(subjects.map((subject) => [subject, new Set()]))
  for (const { of, rows, ended, issued } of Object.values(tableRules)) {
    if (issued === true) continue
    if (typeof rows === 'object') labels.get(of)?.add(rows.what)
    for (const { what } of ended) labels.get(of)?.add(what)
  }
  return new Map([...labels].map(([subject, found]) => [subject, [...found]]))
}
