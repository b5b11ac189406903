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
const edition = 'a1'
const name = /^a1-([0-9a-f]{6}|own)-([0-9a-f]{6}|own)\.css$/

/** Where it is, below `/brand/`; undefined where both accents are the themes' own. */
export function stylesheetName({ accent, accentDark }: Accents): string | undefined {
  if (accent === undefined && accentDark === undefined) return undefined
  const part = (colour: string | undefined) => colour?.slice(1).toLowerCase() ?? 'own'
  return `${edition}-${part(accent)}-${part(accentDark)}.css`
}

/** What stands there; undefined for a name that is none, or whose colours nobody could read. */
export function stylesheetNamed(text: string): string | undefined {
  const [, light, dark] = name.exec(text) ?? []
  if (light === undefined || dark === undefined) return undefined
  const accent = light === 'own' ? undefined : `#${light}`
  const accentDark = dark === 'own' ? undefined : `#${dark}`
  if (stylesheetName({ accent, accentDark }) === undefined) return undefined
  if (accent !== undefined && accentProblem(accent, 'light') !== undefined) return undefined
  if (accentDark !== undefined && accentProblem(accentDark, 'dark') !== undefined) return undefined
  return brandStylesheet({ accent, accentDark })
}

/** `.in-light` and `.in-dark` show a part of a page as the theme would, for previews. */
function brandStylesheet({ accent, accentDark }: Accents): string {
  const [light, dark] = [coloursOf(accent, 'light'), coloursOf(accentDark, 'dark')]
  return [
    `:root { ${light} }`,
    `@media (prefers-color-scheme: dark) { :root { ${dark} } }`,
    `.in-light.branded { ${light} }`,
    `.in-dark.branded { ${dark} }`,
    '',
  ].join('\n')
}

function coloursOf(accent: string | undefined, theme: Theme): string {
  return variablesOf(accentPalette(accent, theme))
}

function variablesOf({ accent, accentStrong, onAccent, tint }: Palette): string {
  return `--accent: ${accent}; --accent-strong: ${accentStrong}; --on-accent: ${onAccent}; --tint: ${tint};`
}
