// The three header fields that repeat what a message says, so that who relays need not read bodies: they are only worth
// something when they say the same (MCP 2026-07-28, transports, standard MCP request headers). Node joins lines of one
// name by a comma, and a name may have one, so raw lines are counted.

export interface McpFields {
  version: string | undefined
  /** As they came, without what surrounds them. */
  method: string | undefined
  name: string | undefined
}

/** `twice`: the name of a field of which there is more than one line. */
export type ReadFields = { fields: McpFields } | { twice: string }

/** Of a flat list of names and values. */
export function readMcpFields(rawHeaders: readonly string[]): ReadFields {
  // Three variables: a property found by a computed key costs as much as all the rest here.
  let version: string | undefined
  let method: string | undefined
  let name: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] ?? ''
    const field = mcpFieldOf(given)
    if (field === undefined) continue
    const before = field === 'version' ? version : field === 'method' ? method : name
    if (before !== undefined) return { twice: given.toLowerCase() }
    const value = withoutBlanks(rawHeaders[i + 1] ?? '')
    if (field === 'version') version = value
    else if (field === 'method') method = value
    else name = value
  }
  return { fields: { version, method, name } }
}

/** Which of them it is, whatever its case. First letter and length come first: most names are never lower-cased. */
export function mcpFieldOf(name: string): keyof McpFields | undefined {
  if (!beginsLikeMcp(name)) return undefined
  if (name.length === 20) return isSpelled(name, 'MCP-Protocol-Version', 'mcp-protocol-version') ? 'version' : undefined
  if (name.length === 10) return isSpelled(name, 'Mcp-Method', 'mcp-method') ? 'method' : undefined
  if (name.length === 8) return isSpelled(name, 'Mcp-Name', 'mcp-name') ? 'name' : undefined
  return undefined
}

/** Nearly all clients write it in one of these two ways. */
function isSpelled(name: string, written: string, lower: string): boolean {
  return name === written || name === lower || name.toLowerCase() === lower
}

/** RFC 9110 §5.5: blanks and tabs around a value are not part of it. */
function withoutBlanks(value: string): string {
  let [from, to] = [0, value.length]
  while (from < to && isBlank(value[from])) from += 1
  while (to > from && isBlank(value[to - 1])) to -= 1
  return value.slice(from, to)
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

/** Whether a field's name could be one of MCP's: by its first letter, as it is looked at for every field. */
export function beginsLikeMcp(name: string): boolean {
  return (name.charCodeAt(0) | 0x20) === 0x6d
}
