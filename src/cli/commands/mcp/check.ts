// `portcullis mcp check`: for each route with mcp: what its server has and the file does not name, and the other way
// round. The findings are its result, so they go to standard output.

import type { Settings } from '../../../config/settings/settings.js'
import { type McpRoute, type ServerPlace, serverPlace } from '../../../gateway/mcp/server-place.js'
import type { McpPlace } from '../../../mcp-client/exchange.js'
import { compareMcp, type McpFinding } from '../../mcp/comparison.js'
import { readServer } from '../../mcp/read-server.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { placeOf, type ServerOptions, serverUrl } from './server-options.js'

export interface McpCheckOptions extends ServerOptions {
  config?: string
  at?: string
  output: OutputFormat
}

/** Of one route; `failure` in place of findings where its server could not be read. */
interface Checked {
  route: string
  server: string
  findings: readonly McpFinding[]
  failure: CommandFailure | undefined
}

/** Prints what differs. Throws CommandFailure where something does, or a server could not be read. */
export async function checkServers(
  wanted: string | undefined,
  options: McpCheckOptions,
  { terminal, version }: { terminal: Terminal; version: string },
): Promise<void> {
  const { config, at, output } = options
  const settings = await readSettings(config === undefined ? {} : { config }, terminal)
  const routes = routesOf(settings, wanted)
  if (at !== undefined && routes.length > 1) {
    throw new CommandFailure(exitCodes.usage, 'say which route --at is for: mcp check ROUTE --at URL')
  }
  const checked: Checked[] = []
  // One after the other: a token from standard input is for one server.
  for (const route of routes) {
    const place: ServerPlace = at === undefined ? serverOf(route, settings) : { url: serverUrl(at), tls: {} }
    const server = place.socketPath === undefined ? place.url.href : `unix:${place.socketPath}:${place.url.pathname}`
    checked.push({ route: route.id, server, ...(await checkOne(route, place)) })
  }
  print(checked, output, terminal)

  async function checkOne(
    route: McpRoute,
    place: Pick<McpPlace, 'url'>,
  ): Promise<Pick<Checked, 'findings' | 'failure'>> {
    try {
      const found = await readServer(await placeOf(place, options, terminal), version)
      return { findings: compareMcp(route.mcp, found), failure: undefined }
    } catch (error) {
      if (error instanceof CommandFailure && error.exitCode !== exitCodes.usage) return { findings: [], failure: error }
      throw error
    }
  }
}

function routesOf({ routes }: Settings, wanted: string | undefined): McpRoute[] {
  const all = routes.filter((route): route is McpRoute => route.mcp !== undefined)
  if (all.length === 0) throw new CommandFailure(exitCodes.notFound, 'no route of the configuration says mcp:')
  if (wanted === undefined) return all
  const found = all.filter(({ id, path }) => id === wanted || path === wanted)
  if (found.length > 0) return found
  const known = all.map(({ path }) => path).join(', ')
  throw new CommandFailure(exitCodes.notFound, `no route with mcp: has the path ${wanted}; these have one: ${known}`)
}

function serverOf(route: McpRoute, { upstreams }: Settings): ServerPlace {
  const place = serverPlace(route, upstreams.get(route.upstream))
  if (place === 'builtin') {
    throw new CommandFailure(exitCodes.usage, `${route.id} leads to the bundled service, which is no MCP server`)
  }
  if (place === 'pattern') {
    throw new CommandFailure(
      exitCodes.usage,
      `${route.id} has paths of which none is known here: say the server with --at`,
    )
  }
  return place
}

function print(checked: readonly Checked[], output: OutputFormat, terminal: Terminal): void {
  const findings = checked.flatMap(({ route, findings: all }) => all.map((one) => ({ route, ...one })))
  const whole = {
    value: checked.map(({ failure, ...one }) => ({ ...one, error: failure === undefined ? null : failure.message })),
  }
  if (findings.length > 0 || output === 'json') {
    printList(terminal, output, whole, {
      headings: ['ROUTE', 'KIND', 'NAME', 'FINDING'],
      context: ['ROUTE'],
      firstToGo: ['ROUTE', 'KIND'],
      typed: ['NAME'],
      rows: findings.map(({ route, kind, name, problem }) => [route, kind, name, problem]),
    })
  }
  const failures = checked.flatMap(({ failure }) => failure ?? [])
  for (const { message } of failures.slice(1)) terminal.say(message)
  const [first] = failures
  if (first !== undefined) throw first
  if (findings.length === 0) {
    terminal.say(`${counted(checked.length)} as the file says.`)
    return
  }
  const unnamed = findings.filter(({ problem }) => problem !== 'not on the server').length
  const message = `${unnamed} not in the file, refused to everybody; ${findings.length - unnamed} not on the server`
  throw new CommandFailure(exitCodes.failed, message)
}

function counted(servers: number): string {
  return servers === 1 ? '1 server is' : `${servers} servers are`
}
