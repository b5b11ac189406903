// The one colour that a brand chooses for each theme: links, the frames of fields and what buttons are filled with. It is
// taken only where everybody can read it: WCAG 2.2 AA, 4.5:1, on everything that it stands on, and under the text of a
// button.

import { contrastRatio, formatColour, mix, parseColour, type Rgb } from './contrast.js'
import { type Palette, palettes, type Theme } from './palette.js'

/** WCAG 2.2 AA for text, SC 1.4.3. */
export const leastContrast = 4.5

export type AccentProblem =
  | { kind: 'form' }
  /** `ratio`: the least of those measured, rounded down to hundredths; `nearest`: one that passes, of the same hue. */
  | { kind: 'contrast'; ratio: number; nearest: string }

/** What is wrong with an accent for that theme; undefined for one that everybody can read. */
export function accentProblem(text: string, theme: Theme): AccentProblem | undefined {
  const colour = parseColour(text)
  if (colour === undefined) return { kind: 'form' }
  const ratio = accentContrast(colour, theme)
  if (ratio >= leastContrast) return undefined
  return { kind: 'contrast', ratio: Math.floor(ratio * 100) / 100, nearest: nearestAccent(colour, theme) }
}

/** The problem as a sentence; `where` names the setting. */
export function accentSentence(problem: AccentProblem, theme: Theme, where: string): string {
  if (problem.kind === 'form') return `${where} is a colour as #rrggbb, such as ${palettes[theme].accent}.`
  const { ratio, nearest } = problem
  const ground = theme === 'light' ? 'light' : 'dark'
  return `${where} has a contrast of ${ratio}:1 with the ${ground} page and the text of its buttons, and needs ${leastContrast}:1. The nearest colour that has it is ${nearest}.`
}

/** The palette of a theme with that accent; the theme's own for undefined. Throws TypeError for what is no colour. */
export function accentPalette(text: string | undefined, theme: Theme): Palette {
  const own = palettes[theme]
  if (text === undefined) return own
  const accent = required(text)
  const stronger = mix(accent, furthest(theme), 0.2)
  return {
    ...own,
    accent: formatColour(accent),
    accentStrong: formatColour(stronger),
    onAccent: formatColour(onAccent(theme)),
    tint: formatColour(tintOf(accent, theme)),
  }
}

/** The least contrast that an accent has with what it stands on, and with the text that stands on it. */
function accentContrast(accent: Rgb, theme: Theme): number {
  const { ground, card } = palettes[theme]
  const others = [required(ground), required(card), tintOf(accent, theme), onAccent(theme)]
  return Math.min(...others.map((other) => contrastRatio(accent, other)))
}

/** Towards black on the light page, towards white on the dark one: at the end of either everything passes. */
function nearestAccent(accent: Rgb, theme: Theme): string {
  const steps = 256
  for (let step = 1; step < steps; step += 1) {
    const darker = mix(accent, furthest(theme), step / steps)
    if (accentContrast(darker, theme) >= leastContrast) return formatColour(darker)
  }
  return formatColour(furthest(theme))
}

function furthest(theme: Theme): Rgb {
  return theme === 'light' ? [0, 0, 0] : [255, 255, 255]
}

/** White on the dark accents of the light page, the ground itself on the light accents of the dark one. */
function onAccent(theme: Theme): Rgb {
  return theme === 'light' ? [255, 255, 255] : required(palettes.dark.ground)
}

function tintOf(accent: Rgb, theme: Theme): Rgb {
  return mix(required(palettes[theme].card), accent, 0.07)
}

function required(text: string): Rgb {
  const colour = parseColour(text)
  if (colour === undefined) throw new TypeError('not a colour')
  return colour
}
