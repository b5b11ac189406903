// What `portcullis catalogue list|show|callers` do.

import { type CatalogueCalls, catalogueCalls } from '../../calls/catalogue-calls.js'
import { connect } from '../../calls/connection.js'
import { unknown } from '../../calls/unknown-names.js'
import { printJson, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { CallersOptions, CatalogueOptions } from './catalogue-options.js'

type Api = Awaited<ReturnType<CatalogueCalls['show']>>

const listed = {
  headings: ['API', 'NAME', 'STATE', 'OPERATIONS', 'PERMISSIONS', 'IDENTIFIERS'],
  firstToGo: ['IDENTIFIERS', 'OPERATIONS', 'STATE'],
}
const permissionList = {
  headings: ['PERMISSION', 'KINDS', 'ADMINISTRATOR FOR', 'ROLE', 'ALLOWS', 'IDENTIFIER'],
  context: ['IDENTIFIER'],
  firstToGo: ['IDENTIFIER', 'ALLOWS', 'ROLE'],
  empty: 'It takes no permission: it is open to everybody.',
}
const operationList = {
  headings: ['OPERATION', 'METHOD', 'PATH', 'NEEDS', 'ENDS'],
  firstToGo: ['ENDS', 'NEEDS'],
  empty: 'It is not called through this gateway: its service verifies tokens itself.',
}
const callerList = {
  headings: ['APPLICATION', 'ROUTE', 'LAST HOUR', '24 HOURS', '30 DAYS', 'TENANT', 'APPLICATION ID'],
  context: ['TENANT', 'APPLICATION ID'],
  firstToGo: ['APPLICATION ID', 'TENANT'],
}

/** The catalogue, or what fits a search. */
export async function listApis(options: CatalogueOptions, terminal: Terminal): Promise<void> {
  const { search } = options
  const value = await catalogueCalls(await connect(options, terminal)).list(search)
  const empty =
    search === undefined
      ? 'The catalogue is empty.'
      : 'No API has all of these words. All of them: portcullis catalogue list'
  const rows = value.map(({ apiId, name, state, operationCount, permissions, resources }) => [
    ...[apiId, name, state, String(operationCount), permissions.map(({ id }) => id).join(' ') || 'none, it is open'],
    resources.join(' '),
  ])
  printList(terminal, options.output, { value }, { ...listed, rows, empty })
}

/** One API: what it is, its permissions, its operations. */
export async function showApi(reference: string, options: CatalogueOptions, terminal: Terminal): Promise<void> {
  const calls = catalogueCalls(await connect(options, terminal))
  const api = await calls.show(await calls.find(reference))
  if (options.output === 'json') return printJson(terminal, api)
  const { name, version, state, permissions, operations } = api
  const about = [name, version === null ? '' : `version ${version}`, state].filter(Boolean).join(', ')
  printList(terminal, options.output, api, {
    headings: ['API', 'WHAT IT IS'],
    rows: [[api.apiId, about]],
  })
  terminal.out('\n')
  printList(terminal, options.output, api, {
    ...permissionList,
    rows: permissions.map((one) => [
      ...[one.id, one.kinds.join(' '), one.administratorFor.join(' ') || 'nobody', one.role],
      ...[one.description, one.resource],
    ]),
  })
  terminal.out('\n')
  printList(terminal, options.output, api, { ...operationList, rows: operations.map(operationRow) })
}

/** Who calls it, or one of its operations. */
export async function listCallers(reference: string, options: CallersOptions, terminal: Terminal): Promise<void> {
  const calls = catalogueCalls(await connect(options, terminal))
  const apiId = await calls.find(reference)
  const { operation, everywhere } = options
  if (operation !== undefined) await requireOperation(await calls.show(apiId), operation)
  const callers = await calls.callers(apiId, {
    ...(operation === undefined ? {} : { operationId: operation }),
    ...(everywhere === true ? { everywhere: 'true' } : {}),
  })
  const rows = callers.value.map(({ applicationId, name, homeTenant, route, lastHour, lastDay, lastThirtyDays }) => [
    ...[name ?? `${applicationId} (is gone)`, route],
    ...[lastHour, lastDay, lastThirtyDays].map(String),
    ...[homeTenant ?? '', applicationId],
  ])
  const where = everywhere === true ? '' : ' in this tenant'
  const empty = `Nobody called it${where} in 30 days, as far as calls were counted.`
  printList(terminal, options.output, callers, { ...callerList, rows, empty })
  if (!callers.complete) {
    terminal.say('Not every instance could be read: the last hour and the last 24 hours are a part of it.')
  }
}

async function requireOperation({ operations }: Api, written: string): Promise<void> {
  const known = operations.map(({ operationId }) => operationId)
  if (!known.includes(written)) throw await unknown('operation', written, known)
}

function operationRow({ operationId, method, path, anyOf, sunset, deprecated }: Api['operations'][number]): string[] {
  const needs = anyOf === null ? 'nothing, it is open' : anyOf.map((all) => all.join(' and ')).join(' or ')
  return [operationId, method, path, needs, sunset ?? (deprecated ? 'deprecated' : '')]
}
