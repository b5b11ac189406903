// Calls with what must come of them: a file that says who may call what can say what it means by that.

import { Type } from 'typebox'
import { entry, leaf } from './leaves.js'
import { limitList } from './limits.js'

const Expect = entry('What must come of it. Without `status` and `needs`, the call must reach its upstream.', {
  status: Type.Optional(leaf.count('The refusal, such as 401, 403, 404, 405 or 413.', undefined, [100, 599])),
  needs: Type.Optional(leaf.text('A 403 that names this permission.')),
  upstream: Type.Optional(leaf.text('The upstream that answers.')),
  route: Type.Optional(leaf.text('The route that decides, by its key.')),
  limits: Type.Optional(limitList('Exactly these limits count it.')),
})

/** `tests` */
export const Tests = Type.Array(
  entry('A call, and what must come of it.', {
    call: leaf.text('Method and path, such as `GET /api/v2/me`.'),
    with: Type.Optional(
      Type.Array(leaf.text(''), {
        description: 'Permissions of its token; [] for a token with none. No token is sent when left out.',
        maxItems: 256,
        errorMessage: 'must be a list of permission ids',
      }),
    ),
    as: Type.Optional(leaf.word('Whose token it is. application when left out.', ['application', 'user'])),
    resource: Type.Optional(leaf.text('Name of the resource that the token is for; that of the route when left out.')),
    body: Type.Optional(leaf.size('How long its body is.', undefined, ['0B', '64GiB'])),
    tool: Type.Optional(leaf.text('The tool that its message calls, where the route leads to an MCP server.')),
    prompt: Type.Optional(leaf.text('The prompt that its message asks for.')),
    uri: Type.Optional(leaf.text('The URI of the resource that its message reads.')),
    expect: Expect,
  }),
  {
    description:
      'Calls, and what must come of each: `portcullis test` runs them without a server, and a file of which one fails is not loaded.',
    maxItems: 10_000,
    default: [],
  },
)
