// A route to an MCP server: what each of its tools, prompts and resources needs.

import { type TSchema, Type } from 'typebox'
import { mcpVersions } from '../../../mcp/versions.js'
import { mcpRules } from '../../settings/route-settings.js'
import { entry, leaf } from '../leaves.js'
import { limitList } from '../limits.js'
import { Need } from './requirements.js'

const operationSettings = {
  needs: { ...Need, description: 'What a call needs: a permission id, a list of which all are needed, or {any: […]}.' },
  limits: Type.Optional(limitList('Limits instead of those of the route; or +name and -name to add and take away.')),
  cost: Type.Optional(
    leaf.count(
      'Units that a call takes from each of its limits; that of the route when left out.',
      undefined,
      [1, 1_000_000],
    ),
  ),
  shadow: Type.Optional(leaf.flag('Its permissions are not enforced, only counted and logged.')),
}

const operationError = {
  errorMessage: 'must be a permission id, a list of which all are needed, {any: […]}, or {needs: …, limits: […]}',
}
const operationText = 'What it needs, and what else a route could say.'

const Operation = Type.Union([Need, entry(operationText, operationSettings)], operationError)

const Tool = Type.Union(
  [
    Need,
    entry(operationText, {
      ...operationSettings,
      rule: Type.Optional(
        leaf.word(
          'What each call has to meet besides its permission, also where shadow is set: nothing (allowed, the default), that its person approves it (approval), that they proved a second factor (second_factor), or it is refused (never).',
          mcpRules,
        ),
      ),
    }),
  ],
  operationError,
)

const operations = <T extends TSchema>(description: string, operation: T) =>
  Type.Optional(
    Type.Record(
      Type.String({ minLength: 1, maxLength: 1_024, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' }),
      operation,
      { description, maxProperties: 2_000 },
    ),
  )

/** `mcp` of a route. */
export const Mcp = entry('It leads to an MCP server. A tool, prompt or resource that is not named is refused.', {
  versions: Type.Optional(
    Type.Array(leaf.word('A revision of the protocol.', mcpVersions), {
      description: 'Revisions of the protocol that are served; all from 2025-06-18 on when left out.',
      minItems: 1,
      uniqueItems: true,
      errorMessage: `must be a list of revisions, each once: ${mcpVersions.join(', ')}`,
    }),
  ),
  first: {
    ...Need,
    description: 'What connecting needs, and lists, ping and notifications: a permission id, a list, or {any: […]}.',
  },
  list: Type.Optional(
    leaf.word(
      'What lists show: what a caller may do (granted), that and what consent could give them (acquirable), or all.',
      ['granted', 'acquirable', 'all'],
      'acquirable',
    ),
  ),
  streams: Type.Optional(
    leaf.count(
      'Streams of this server that may be open at once, besides calls and streams of other routes. More are 503, or 429 beyond a caller’s share. maxStreams of the upstream when left out.',
      undefined,
      [1, 1_000_000],
    ),
  ),
  audit: Type.Optional(
    leaf.word(
      'A line in the log for each call of a tool, prompt or resource, with a digest of the arguments: calls. With the names of the arguments too, and all values masked: masked. None when left out.',
      ['calls', 'masked'],
    ),
  ),
  pins: Type.Optional(
    leaf.word(
      'What happens when the definition of a named tool differs from the approved one, which is the first that was seen: it is reported (report), or also out of lists and refused until an operator approves it (hold). Not compared when left out.',
      ['report', 'hold'],
    ),
  ),
  tools: operations('What each tool needs, by its name.', Tool),
  prompts: operations('What each prompt needs, by its name.', Operation),
  resources: operations(
    'What each resource needs, by its URI, or by a template such as desk://tickets/{id}.',
    Operation,
  ),
})
