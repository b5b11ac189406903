// The whole configuration file. The JSON Schema for editors is made from this, so the two cannot differ.

import { type Static, Type } from 'typebox'
import { clientSections } from './clients.js'
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
