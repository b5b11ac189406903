// Which pages may call from a browser, and read the answers.

import { Type } from 'typebox'
import { headerList } from './header-list.js'
import { entry, leaf } from './leaves.js'
import { METHODS } from './routes/requirements.js'

/** `cors` of a route, and of the defaults. */
export const Cors = entry('Which pages may call from a browser and read the answers; cookies never count.', {
  origins: Type.Array(leaf.text(''), {
    description: 'Origins of the pages, such as https://portal.example.com; [*] for all, [] for none.',
    maxItems: 256,
    uniqueItems: true,
    errorMessage: 'must be a list of origins, such as [https://portal.example.com], each once',
  }),
  methods: Type.Optional(
    Type.Array(leaf.word('', METHODS), {
      description: 'The only methods that they may use; all of the route when left out.',
      minItems: 1,
      uniqueItems: true,
      errorMessage: `must be a list of ${METHODS.join(', ')}, each once`,
    }),
  ),
  headers: Type.Optional(headerList('Header fields that they may send besides the usual ones.')),
  expose: Type.Optional(headerList('Header fields of answers that they may read besides the usual ones.')),
  maxAge: Type.Optional(
    leaf.duration('How long a browser may remember what a preflight said; 10min when left out.', undefined, [
      '1s',
      '24h',
    ]),
  ),
})
