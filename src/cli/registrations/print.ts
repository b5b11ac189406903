// What became of several registrations, as the commands that make many at once show it. Secrets are among it only where
// they are not kept in a file.

import type { Difference, Plan } from '../../management/registrations/plan.js'
import type { PlanResult } from '../../management/registrations/plan-execution.js'
import { type OutputFormat, printJson } from '../output/output.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'

/** One registration: what was, or would be, done. */
export interface Outcome {
  name: string
  result: Plan['result']
  differences: Difference[]
  /** Absent after a dry run. */
  application?: PlanResult
}

/** As JSON shows it; `kept`: the secret is in a file. */
export function outcomeJson({ name, result, differences, application }: Outcome, kept: boolean): object {
  if (application === undefined) return { name, result, differences }
  const { applicationId, publicKey, tenantId, clientSecret, secret } = application
  return {
    name,
    result,
    applicationId,
    publicKey,
    tenantId,
    differences,
    ...(clientSecret === undefined || kept ? {} : { clientSecret }),
    ...(secret === undefined ? {} : { secret }),
  }
}

/** Prints them all. `env` names variables without a prefix when one application was requested. */
export function printOutcomes(
  terminal: Terminal,
  outcomes: readonly Outcome[],
  { output, kept, single }: { output: OutputFormat; kept: boolean; single: boolean },
): void {
  if (output === 'json') printJson(terminal, { value: outcomes.map((outcome) => outcomeJson(outcome, kept)) })
  else if (output === 'env') {
    const prefixes = variablePrefixes(outcomes.map(({ name }) => name))
    terminal.out(outcomes.map((outcome, at) => variables(outcome, single ? '' : `${prefixes[at]}_`, kept)).join(''))
  } else terminal.out(outcomes.map((outcome) => paragraph(outcome, kept)).join(''))
}

/** One prefix a name, such as MY_SHOP, MY_SHOP_2: letters, digits and underscores, none twice. */
function variablePrefixes(names: readonly string[]): string[] {
  const taken = new Map<string, number>()
  return names.map((name) => {
    const word =
      name
        .toUpperCase()
        .replace(/[^A-Z0-9]+/g, '_')
        .replace(/^_|_$/g, '') || 'APPLICATION'
    const count = (taken.get(word) ?? 0) + 1
    taken.set(word, count)
    return count === 1 ? word : `${word}_${count}`
  })
}

/** Identifiers and secrets are words of a shell as they are: GUIDs and base 62. */
function variables({ application }: Outcome, prefix: string, kept: boolean): string {
  if (application === undefined) return ''
  const { applicationId, publicKey, tenantId, clientSecret } = application
  const secret = clientSecret === undefined || kept ? {} : { CLIENT_SECRET: clientSecret }
  const values = { CLIENT_ID: applicationId, PUBLIC_KEY: publicKey, TENANT_ID: tenantId, ...secret }
  return Object.entries(values)
    .map(([name, value]) => `PORTCULLIS_${prefix}${name}=${value}\n`)
    .join('')
}

function paragraph({ name, result, differences, application }: Outcome, kept: boolean): string {
  const id = application === undefined ? '' : `  ${application.applicationId}`
  const lines = differences.flatMap(({ field, removed, added }) => [
    ...removed.map((value) => `  - ${field} ${value}`),
    ...added.map((value) => `  + ${field} ${value}`),
  ])
  const secret = application?.clientSecret
  const shown = secret === undefined || kept ? [] : [`  client secret (shown only now)  ${secret}`]
  return [`${result.padEnd(9)}  ${name}${id}`, ...lines, ...shown].map((line) => `${printable(line)}\n`).join('')
}
