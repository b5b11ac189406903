// What the pages of a server look like that says nothing of it.

import type { BrandSettings } from '../../../src/config/brand/brand-settings.js'

/** The settings of an empty file. */
export const serverBrand: BrandSettings = {
  name: 'Portcullis',
  accent: undefined,
  accentDark: undefined,
  terms: undefined,
  privacy: undefined,
  support: undefined,
  logo: undefined,
  logoDark: undefined,
}
