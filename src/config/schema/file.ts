// The whole configuration file. The JSON Schema for editors is made from this, so the two cannot differ.

import { type Static, Type } from 'typebox'
import { clientSections } from './clients.js'
import { Include } from './include.js'
import { leaf, section } from './leaves.js'
import { peopleSections } from './people.js'
import { processSections } from './process.js'
import { ruleSections } from './rules.js'

/** The file's shape, with every default. */
export const ConfigurationFile = section('Configuration of Portcullis.', {
  version: Type.Integer({
    description: 'Version of this file’s format.',
    default: 1,
    minimum: 1,
    maximum: 1,
    errorMessage: 'must be 1, the only version of the format',
  }),
  include: Include,
  reload: section('When the rules of a running server are read again.', {
    watch: leaf.flag('When one of its files has changed. Else on SIGHUP and by `portcullis reload` only.', true),
  }),
  mode: leaf.word(
    '`production` refuses to start on development material.',
    ['development', 'production'],
    'development',
  ),
  ...processSections,
  ...peopleSections,
  ...clientSections,
  ...ruleSections,
})
export type ConfigurationFile = Static<typeof ConfigurationFile>
