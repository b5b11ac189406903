// How well one colour is read on another: WCAG 2.2, relative luminance and contrast ratio. The one place that measures it.

/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Six digits behind a hash: no names, no functions, nothing else that a stylesheet would read. */
const hex = /^#[0-9a-f]{6}$/i

/** The colour that `#rrggbb` writes; undefined for anything else. */
export function parseColour(text: string): Rgb | undefined {
  if (!hex.test(text)) return undefined
  const part = (at: number) => Number.parseInt(text.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

/** The colour as `#rrggbb`, in lower case. */
export function formatColour(colour: Rgb): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** `share` of `to`, the rest of `from`; 0 to 1. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * share)
  return [part(0), part(1), part(2)]
}

/** The contrast ratio of the two, in either order: 1 (the same) to 21 (black and white). */
export function contrastRatio(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** WCAG 2.2, "relative luminance": 0 for black, 1 for white. */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(part: number): number {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
