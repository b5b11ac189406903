// What a tool says of itself to models and clients, as it is approved: name, title, description, schemas and
// annotations, in their canonical form (RFC 8785) with a SHA-256 of it. What else a list has of a tool changes nothing.

import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical-json.js'
import { knownNames, readsAs } from './member-names.js'

export interface ToolDefinition {
  name: string
  /** SHA-256 of the canonical form, base64url. */
  digest: string
  /** The canonical form; undefined: it is larger than what is kept. */
  text: string | undefined
}

/** Of the canonical form, bytes: so much is kept, and can be shown. */
const mostDefinitionBytes = 65_536
const mostDepth = 128

const members = knownNames('name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations')

/**
 * Of an item of `tools` (MCP 2026-07-28, server/tools); undefined for one without a name. Throws RangeError for one that is
 * nested more deeply than anybody reads.
 */
export function toolDefinition(item: unknown): ToolDefinition | undefined {
  if (typeof item !== 'object' || item === null || !('name' in item) || typeof item.name !== 'string') return undefined
  const { name } = item
  // With those that another reader takes for one of them: it would read another definition.
  const said = Object.fromEntries(Object.entries(item).filter(([member]) => readsAs(member, members)))
  if (isDeeper(said, mostDepth)) throw new RangeError('the definition of a tool is nested too deeply')
  const text = canonicalJson(said)
  const digest = createHash('sha256').update(text).digest('base64url')
  return { name, digest, text: Buffer.byteLength(text) > mostDefinitionBytes ? undefined : text }
}

/** The title and description of a kept definition: words of the server, for people to judge. */
export function describedTool(text: string): { title: string | undefined; description: string | undefined } {
  const said = JSON.parse(text) as Record<string, unknown>
  const textOf = (member: unknown) => (typeof member === 'string' && member !== '' ? member : undefined)
  return { title: textOf(said['title']), description: textOf(said['description']) }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
