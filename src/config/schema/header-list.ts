// Lists of names of header fields.

import { Type } from 'typebox'

/** Names, or with a `*` the beginnings of names; each once. */
export const headerPatterns = (description: string) =>
  Type.Array(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9._-]{0,63}\\*?$',
      errorMessage: 'must be the name of a header field, or the beginning of names and *, such as X-Acme-*',
    }),
    {
      description,
      maxItems: 64,
      uniqueItems: true,
      errorMessage: 'must be a list of names of header fields, each once',
    },
  )

/** Each once, in any letter case. */
export const headerList = (description: string) =>
  Type.Array(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
      errorMessage: 'must be the name of a header field, of letters, digits and hyphens',
    }),
    {
      description,
      maxItems: 64,
      uniqueItems: true,
      errorMessage: 'must be a list of names of header fields, each once',
    },
  )
