// The report of an import: what became of each application, and everything of it that was not carried over.

import type { ImportResult } from '../../management/imports/carry-out.js'
import type { Conversion } from '../../management/imports/sources/conversion.js'
import { type OutputFormat, printJson } from '../output/output.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import type { Outcome } from '../registrations/print.js'
import { outcomeJson, printOutcomes } from '../registrations/print.js'

interface Report extends Pick<Conversion, 'left'> {
  results: readonly ImportResult[]
}

/** Prints it. As `env`, the variables are the result and the report goes to standard error. */
export function printReport(
  terminal: Terminal,
  { results, left }: Report,
  { output, dryRun, kept }: { output: OutputFormat; dryRun: boolean; kept: boolean },
): void {
  // Secrets go to standard output or to the file, and nowhere else.
  const hidden = kept || output !== 'table'
  const text = [...results.map((one) => paragraph(one, hidden)), ...left.map(leftOut)].join('\n')
  if (output === 'json') {
    const value = results.map((one) => resultJson(one, kept))
    printJson(terminal, { dryRun, value, left })
  } else if (output === 'env') {
    printOutcomes(terminal, results.filter(wasDone), { output, kept, single: false })
    terminal.say(text.trimEnd())
  } else terminal.out(text)
  terminal.say(summary(results, dryRun))
}

function wasDone(one: ImportResult): one is ImportResult & Outcome {
  return one.result !== 'exists' && one.result !== 'failed'
}

function resultJson(one: ImportResult, kept: boolean): object {
  const { sourceId, type, notes, name, result, reason, applicationId, differences } = one
  if (wasDone(one)) return { sourceId, type, ...outcomeJson(one, kept), notes }
  return {
    sourceId,
    type,
    name,
    result,
    reason,
    ...(applicationId === undefined ? {} : { applicationId }),
    differences,
    notes,
  }
}

function paragraph(one: ImportResult, kept: boolean): string {
  const { name, sourceId, result, reason, application, applicationId, notes } = one
  const id = application?.applicationId ?? applicationId
  const secret = application?.clientSecret
  return [
    `${result.padEnd(9)}  ${name}`,
    `  was           ${sourceId}`,
    ...(id === undefined ? [] : [`  application   ${id}`]),
    ...(secret === undefined || kept ? [] : [`  client secret (shown only now)  ${secret}`]),
    ...(reason === undefined ? [] : [`  ${reason}`]),
    ...(wasDone(one) ? carried(one) : []),
    ...(result === 'exists' ? [] : notes).map(({ field, message }) => `  not carried   ${field}: ${message}`),
  ]
    .map((line) => `${printable(line)}\n`)
    .join('')
}

function carried({ differences, result }: Outcome): string[] {
  if (result === 'created') {
    return differences.flatMap(({ field, added }) => added.map((value) => `  carried       ${field} ${value}`))
  }
  return differences.flatMap(({ field, removed, added }) => [
    ...removed.map((value) => `  - ${field} ${value}`),
    ...added.map((value) => `  + ${field} ${value}`),
  ])
}

function leftOut({ sourceId, why }: Conversion['left'][number]): string {
  return `left out   ${printable(sourceId)}\n  ${printable(why)}\n`
}

function summary(results: readonly ImportResult[], dryRun: boolean): string {
  const count = (wanted: ImportResult['result']) => results.filter(({ result }) => result === wanted).length
  const parts = (['created', 'changed', 'unchanged', 'exists', 'failed'] as const)
    .filter((result) => count(result) > 0)
    .map((result) => `${count(result)} ${result}`)
  const secrets = results.filter(({ application }) => application?.clientSecret !== undefined).length
  return [
    `${dryRun ? 'A dry run, nothing was done: ' : ''}${parts.join(', ') || 'no application in the file'}.`,
    ...(secrets > 0 ? ['The secrets are new, and so are the identifiers: old ones cannot be carried.'] : []),
    ...(count('created') > 0 ? ['Nothing is consented to yet. See: portcullis consent grant'] : []),
  ].join('\n')
}
