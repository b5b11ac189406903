// The tables and columns that tables.ts and the files beside it declare, read from their text: types are gone when a
// program runs.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** By table, `column type` in the words of tables.ts, in its order. */
export function declaredTables(): Record<string, string[]> {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  const files = [
    'tables',
    'address-rows',
    'application-rows',
    'cluster-rows',
    'resource-rows',
    'people-rows',
    'delegation-rows',
    'ledger-rows',
    'usage-rows',
    'registration-rows',
    'decision-rows',
    'api-rows',
    'webhook-rows',
    'single-use-rows',
    'owner-rows',
    '../registrations/redirect-origins/new-origin-tables',
    '../grants/call-approval-tables',
    '../registrations/plans/plan-tables',
    '../registrations/brands/brand-tables',
    '../usage/usage-day-tables',
    '../registrations/deleted/deleted-tables',
    '../registrations/documents/document-tables',
    '../tool-definitions/definition-table',
    '../registrations/tools/tool-rule-tables',
  ]
  const source = files.map((name) => readFileSync(join(folder, `src/storage/sql/rows/${name}.ts`), 'utf8')).join('\n')
  const columns = new Map<string, string[]>()
  for (const [, name = '', body = ''] of source.matchAll(/interface (\w+) \{\n([^}]*)\}/g)) {
    columns.set(
      name,
      [...body.matchAll(/^ {2}(\w+): (?:Generated<)?(string|number)( \| null)?>?$/gm)].map(
        ([, column = '', type, nullable]) => `${column} ${type}${nullable ?? ''}`,
      ),
    )
  }
  const tables = [...source.matchAll(/^ {2}(\w+): (\w+Table)$/gm)]
  return Object.fromEntries(tables.map(([, table = '', type = '']) => [table, columns.get(type) ?? []]))
}
