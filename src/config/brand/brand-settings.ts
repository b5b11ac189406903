// What the pages of the server look like, as the other rooms see it.

import type { LogoType } from '../../branding/logo.js'

/** A picture of the configuration, checked. */
export interface LogoSettings {
  /** Its file name below `/brand/`: made of its content. */
  name: string
  type: LogoType
  width: number
  height: number
  /** Base64: settings are plain and frozen. */
  picture: string
}

/** Undefined: not said. */
export interface BrandSettings {
  name: string
  /** #rrggbb. */
  accent: string | undefined
  accentDark: string | undefined
  terms: string | undefined
  privacy: string | undefined
  support: string | undefined
  logo: LogoSettings | undefined
  logoDark: LogoSettings | undefined
}
