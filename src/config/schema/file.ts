// The whole configuration file. The JSON Schema for editors is made from this, so the two cannot differ.

import { type Static, Type } from 'typebox'
import { clientSections } from './clients.js'
import { Include } from './include.js'
import { leaf, section } from './leaves.js'
import { peopleSections } from './people.js'
import { processSections } from './process.js'
import { reloadedSections, ruleSections } from './rules.js'

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
  reload: section(
    'When what says who may call what is read again while the server runs: resources to routes below, and included files.',
    {
      watch: leaf.flag('When one of the files changes; else on SIGHUP and by portcullis reload only.', true),
    },
  ),
  mode: leaf.word(
    'production refuses to start on development material: its own certificate authority, localhost, a key in the data folder.',
    ['development', 'production'],
    'development',
  ),
  ...processSections,
  ...peopleSections,
  ...clientSections,
  ...reloadedSections,
  ...ruleSections,
})
export type ConfigurationFile = Static<typeof ConfigurationFile>
