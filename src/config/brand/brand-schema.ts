// What the pages of the server look like where no tenant's brand stands (decision 125).

import { Type } from 'typebox'
import { leaf, section } from '../schema/leaves.js'

/** The section `brand`. A reload changes it. */
export const Brand = section('What the pages of this server look like where those of a tenant do not.', {
  name: leaf.text('What they are headed with, and what every page says whose it is.', 'Portcullis'),
  logo: Type.Optional(leaf.text('A file: PNG, JPEG or WebP, at most 64 KiB, 16 to 1024 pixels on each side.')),
  logoDark: Type.Optional(leaf.text('Another one, for dark pages.')),
  accent: Type.Optional(
    leaf.text('The colour of links and buttons, as "#8a3a0c"; read at a contrast of 4.5:1 on the light page.'),
  ),
  accentDark: Type.Optional(leaf.text('The same for the dark page.')),
  terms: Type.Optional(leaf.text('An https address: the terms of use.')),
  privacy: Type.Optional(leaf.text('An https address: what becomes of the data of people.')),
  support: Type.Optional(leaf.text('An https address, or mailto: and one address: where people find help.')),
})
