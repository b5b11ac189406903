// `include`: which further files there are, and what each of them is given.

import { Type } from 'typebox'
import { entry, leaf } from './leaves.js'

const patterns = (description: string, example: string) =>
  Type.Optional(
    Type.Array(leaf.text(''), { description, maxItems: 256, errorMessage: `must be a list, such as [${example}]` }),
  )

const Given = entry('Files, and what they are given beyond what every included file has.', {
  file: leaf.text('Their path, relative to this file; * stands for a part of a name.'),
  paths: patterns(
    'Paths that their routes may have, {file} being the name of the file: [/{file}/**] when left out.',
    '/team-a/**',
  ),
  targets: patterns(
    'Where their upstreams may lead; anywhere but to the server itself when left out.',
    'http://team-a.internal:8080',
  ),
  variables: patterns('Environment variables that they may read; none when left out.', 'TEAM_A_HOST'),
  folder: Type.Optional(
    leaf.text('Where the files are that they may name with file:. A folder beside each with its name when left out.'),
  ),
})

/** `include` */
export const Include = Type.Array(
  Type.Union([leaf.text(''), Given], { errorMessage: 'must be a file, or {file: …, paths: […]}' }),
  {
    description:
      "Further files, each with resources, permissions, upstreams, limits, routes and tests: so that every team can own one. Relative to this file; * stands for a part of a file's name. What stands in two of them is a mistake.",
    default: [],
    maxItems: 256,
    errorMessage: 'must be a list of files, such as [conf.d/*.yaml]',
  },
)
