// `portcullis routes [FILE]`: the routes in the order in which they match, of a file or of the server.

import type { Command } from 'commander'
import type { AccessRules } from '../../../gateway/diff/access-table.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { activeRules, rulesOfFile } from './configurations.js'

type Route = AccessRules['routes'][number]

const help = `
Without a file, those that the server runs with. The most specific route wins: plain text before a parameter before **, from
left to right.
`

/** Adds `routes`. */
export function addRoutesCommand(program: Command, terminal: Terminal): void {
  addConnectionOptions(program.command('routes').description('list the routes in the order in which they match'))
    .argument('[file]', 'a configuration file; without it, the routes of the running server')
    .addOption(listOption())
    .addHelpText('after', help)
    .action(async (file: string | undefined, { output, ...options }: ConnectionOptions & { output: OutputFormat }) => {
      const rules =
        file === undefined ? await activeRules(await connect(options, terminal)) : await rulesOfFile(file, terminal)
      const { plainRules } = await import('../../../gateway/diff/plain-rules.js')
      const routes = rules.routes.toSorted(bySpecificity)
      const headings = ['METHODS', 'PATH', 'NEEDS', 'SERVICE', 'LIMITS', 'FLAGS', 'AT']
      printList(terminal, output, plainRules({ ...rules, routes }).routes, {
        headings,
        rows: routes.flatMap(rowsOf),
        firstToGo: ['AT', 'FLAGS', 'LIMITS', 'SERVICE'],
        empty: 'No route is configured. See: portcullis check --help',
      })
    })
}

/** One row for each requirement. */
function rowsOf(route: Route): string[][] {
  const byNeeds = new Map<string, string[]>()
  for (const [method, needs] of route.methods) {
    const text = needs === 'public' ? 'public' : needs.anyOf.map((list) => list.join(' and ')).join(', or ')
    byNeeds.set(text, [...(byNeeds.get(text) ?? []), method])
  }
  const { path, upstream, limits, position } = route
  const at = `${position.file}:${position.line}:${position.column}`
  return [...byNeeds].map(([needs, methods]) => [
    ...[methods.join(','), path, needs, upstream, limits.join(', '), flagsOf(route).join(', '), at],
  ])
}

/** What is not as it is where nothing is said. */
function flagsOf(route: Route): string[] {
  const { id: _id, path: _path, methods: _methods, resource: _resource, upstream: _upstream, ...rest } = route
  const { limits: _limits, bodyBytes: _bodyBytes, position: _position, onStale, ...flags } = rest
  const said = Object.entries(flags).filter(([, value]) => value !== false && value !== undefined)
  return [
    ...(onStale === 'pass' ? ['onStale pass'] : []),
    ...said.map(([name, value]) => (value === true ? name : typeof value === 'object' ? name : `${name} ${value}`)),
  ]
}

function bySpecificity(a: Route, b: Route): number {
  const [one, other] = [a.path.split('/'), b.path.split('/')]
  const length = Math.max(one.length, other.length)
  for (let i = 0; i < length; i += 1) {
    const [mine = '', theirs = ''] = [one[i], other[i]]
    const rank = rankOf(mine) - rankOf(theirs)
    if (rank !== 0) return rank
    if (rankOf(mine) === 1 && mine !== theirs) return mine < theirs ? -1 : 1
  }
  return 0
}

/** What ends before the other goes first. */
function rankOf(segment: string): number {
  if (segment === '') return 0
  if (segment === '**') return 3
  return segment.startsWith('{') ? 2 : 1
}
