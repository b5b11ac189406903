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
  const fields: McpFields = { version: undefined, method: undefined, name: undefined }
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] ?? ''
    const key = mcpFieldOf(given)
    if (key === undefined) continue
    if (fields[key] !== undefined) return { twice: given.toLowerCase() }
    fields[key] = withoutBlanks(rawHeaders[i + 1] ?? '')
  }
  return { fields }
}

/** Which of them it is, in any case. By first letter and length first, so that nothing is made of most names. */
export function mcpFieldOf(name: string): keyof McpFields | undefined {
  if (!beginsLikeMcp(name)) return undefined
  if (name.length === 20) return name.toLowerCase() === 'mcp-protocol-version' ? 'version' : undefined
  if (name.length === 10) return name.toLowerCase() === 'mcp-method' ? 'method' : undefined
  if (name.length === 8) return name.toLowerCase() === 'mcp-name' ? 'name' : undefined
  return undefined
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
