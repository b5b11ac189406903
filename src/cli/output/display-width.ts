// How many columns of a terminal a text takes: most characters one, those of East Asia and pictures two, marks none.

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u
const nothing = /\p{M}|\u200d|\ufe0f/u

/** In columns. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += nothing.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

/** The text with blanks behind it, `width` columns wide. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

/** The text itself where it fits in `width` columns, else its begin and an ellipsis. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let short = ''
  for (const character of text) {
    if (displayWidth(short + character) > width - 1) break
    short += character
  }
  return `${short}…`
}

/** The text itself where it fits in `width` columns, else an ellipsis and its end. */
export function shortenedAtStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  const kept: string[] = []
  let left = width - 1
  for (const character of [...text].reverse()) {
    left -= displayWidth(character)
    if (left < 0) break
    kept.unshift(character)
  }
  // A mark belongs to the character before it, which is gone.
  while (kept[0] !== undefined && nothing.test(kept[0])) kept.shift()
  return `…${kept.join('')}`
}
