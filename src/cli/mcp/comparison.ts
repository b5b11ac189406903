// A route with mcp: held against the server that it leads to: what the file does not name is refused to everybody, and
// what the server does not have nobody can call. Pure.

import type { McpSettings } from '../../config/settings/route-settings.js'
import { compileResources, resourceProblem } from '../../mcp/resource-uris.js'
import type { McpServer } from '../../mcp-client/server.js'

export interface McpFinding {
  kind: 'tool' | 'prompt' | 'resource'
  /** Name, URI or template. */
  name: string
  problem: 'not in the file' | 'cannot be named in the file' | 'not on the server'
}

/** Both ways, tools first. */
export function compareMcp(
  settings: Pick<McpSettings, 'tools' | 'prompts' | 'resources'>,
  server: Pick<McpServer, 'tools' | 'prompts' | 'resources' | 'templates'>,
): McpFinding[] {
  const tools = server.tools.map(({ name }) => name)
  return [
    ...named('tool', [...settings.tools.keys()], tools),
    ...named('prompt', [...settings.prompts.keys()], server.prompts),
    ...resourcesOf([...settings.resources.keys()], server),
  ]
}

function named(kind: 'tool' | 'prompt', inFile: readonly string[], onServer: readonly string[]): McpFinding[] {
  const [file, server] = [new Set(inFile), new Set(onServer)]
  return [
    ...[...server].filter((name) => !file.has(name)).map((name) => finding(kind, name, 'not in the file')),
    ...[...file].filter((name) => !server.has(name)).map((name) => finding(kind, name, 'not on the server')),
  ]
}

/** A URI that a template of the other side means is there. */
function resourcesOf(
  inFile: readonly string[],
  { resources, templates }: Pick<McpServer, 'resources' | 'templates'>,
): McpFinding[] {
  const matchFile = compileResources(inFile)
  const nameable = [...templates, ...resources].filter((one) => resourceProblem(one) === undefined)
  const matchServer = compileResources(nameable)
  const [file, listed] = [new Set(inFile), new Set([...templates, ...resources])]
  const isInFile = (uri: string) => file.has(uri) || matchFile(uri).length > 0
  const isOnServer = (uri: string) =>
    listed.has(uri) || matchServer(uri).length > 0 || resources.some((one) => matchFile(one).includes(uri))
  return [
    ...[...listed]
      .filter((uri) => !isInFile(uri))
      .map((uri) =>
        finding('resource', uri, nameable.includes(uri) ? 'not in the file' : 'cannot be named in the file'),
      ),
    ...[...file].filter((uri) => !isOnServer(uri)).map((uri) => finding('resource', uri, 'not on the server')),
  ]
}

function finding(kind: McpFinding['kind'], name: string, problem: McpFinding['problem']): McpFinding {
  return { kind, name, problem }
}
