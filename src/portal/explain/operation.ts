// What the message of a call to an MCP server is about, as the form of Explain says it.

import type { ExplainBody } from '../../management/server/explain-schemas.js'

/** By what the form sends. */
export const operations = { tool: 'Tool', prompt: 'Prompt', resource: 'Resource' } as const
export type Operation = keyof typeof operations

/** For `POST /explain`; a blank name is none. Names are taken as they were typed: one with a blank behind it is another one. */
export function operationIn(operation: Operation, name: string): Pick<ExplainBody, 'tool' | 'prompt' | 'uri'> {
  if (name.trim() === '') return {}
  if (operation === 'resource') return { uri: name }
  return operation === 'prompt' ? { prompt: name } : { tool: name }
}
