// The stylesheet of a brand: its two accents and nothing else, at an address that says them. So it is the same for
// everybody who has these colours, needs no look-up, and tells nobody that a brand exists.

import { accentPalette, accentProblem } from './accent.js'
import type { Palette, Theme } from './palette.js'

/** The two accents, `#rrggbb` each; undefined: that of the theme. */
export interface Accents {
  accent: string | undefined
  accentDark: string | undefined
}

/** Another number for every other way of making it: browsers keep an address for ever. */
const editions = { worn: 'a1', preview: 'p1' } as const
const name = /^(a1|p1)-([0-9a-f]{6}|own)-([0-9a-f]{6}|own)\.css$/

/** Where it is, below `/brand/`; undefined where both accents are the themes' own. */
export function stylesheetName(accents: Accents): string | undefined {
  return nameOf(accents, editions.worn)
}

/** The same for a page that only shows what another one would look like: it colours `.in-light` and `.in-dark`. */
export function previewStylesheetName(accents: Accents): string | undefined {
  return nameOf(accents, editions.preview)
}

function nameOf({ accent, accentDark }: Accents, edition: string): string | undefined {
  if (accent === undefined && accentDark === undefined) return undefined
  const part = (colour: string | undefined) => colour?.slice(1).toLowerCase() ?? 'own'
  return `${edition}-${part(accent)}-${part(accentDark)}.css`
}

/** What stands there; undefined for a name that is none, or whose colours nobody could read. */
export function stylesheetNamed(text: string): string | undefined {
  const [, edition, light, dark] = name.exec(text) ?? []
  if (light === undefined || dark === undefined) return undefined
  const accent = light === 'own' ? undefined : `#${light}`
  const accentDark = dark === 'own' ? undefined : `#${dark}`
  if (stylesheetName({ accent, accentDark }) === undefined) return undefined
  if (accent !== undefined && accentProblem(accent, 'light') !== undefined) return undefined
  if (accentDark !== undefined && accentProblem(accentDark, 'dark') !== undefined) return undefined
  const [forLight, forDark] = [coloursOf(accent, 'light'), coloursOf(accentDark, 'dark')]
  if (edition === editions.preview) return `.in-light.branded { ${forLight} }\n.in-dark.branded { ${forDark} }\n`
  return `:root { ${forLight} }\n@media (prefers-color-scheme: dark) { :root { ${forDark} } }\n`
}

function coloursOf(accent: string | undefined, theme: Theme): string {
  return variablesOf(accentPalette(accent, theme))
}

function variablesOf({ accent, accentStrong, onAccent, tint }: Palette): string {
  return `--accent: ${accent}; --accent-strong: ${accentStrong}; --on-accent: ${onAccent}; --tint: ${tint};`
}
