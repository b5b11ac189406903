// Contrast as WCAG 2.2 measures it, held to figures that are known, and what an accent has to be.

import t from 'tap'
import { accentPalette, accentProblem } from '../../src/branding/accent.js'
import { stylesheetName, stylesheetNamed } from '../../src/branding/brand-stylesheet.js'
import { contrastRatio, parseColour } from '../../src/branding/contrast.js'
import { palettes } from '../../src/branding/palette.js'
import { stylesheet } from '../../src/web/pages/stylesheet.js'

const ratio = (one: string, other: string) => {
  const [a, b] = [parseColour(one), parseColour(other)]
  if (a === undefined || b === undefined) throw new Error('not a colour')
  return contrastRatio(a, b)
}

t.test('the known figures: black and white, the greys at the edges of AA and AAA, pure colours', async (t) => {
  const known: readonly (readonly [string, string, number])[] = [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#969696', '#ffffff', 2.96],
    ['#949494', '#ffffff', 3.03],
    ['#595959', '#ffffff', 7],
    ['#ff0000', '#ffffff', 4],
    ['#0000ff', '#ffffff', 8.59],
    ['#00ff00', '#ffffff', 1.37],
  ]
  for (const [one, other, expected] of known) {
    t.equal(Math.round(ratio(one, other) * 100) / 100, expected, `${one} on ${other}`)
    t.equal(ratio(one, other), ratio(other, one))
  }
})

t.test('C19 only six digits behind a hash are a colour', async (t) => {
  for (const text of ['red', '#fff', '#12345g', 'rgb(0,0,0)', '#000000;}', '#0000000', ' #000000', '#000000\n', '']) {
    t.equal(parseColour(text), undefined, JSON.stringify(text))
    t.same(accentProblem(text, 'light'), { kind: 'form' })
  }
})

t.test('an accent that few can read is refused with its ratio and the nearest that everybody can', async (t) => {
  const cases = [
    ['#ffcc00', 'light'],
    ['#4a90d9', 'light'],
    ['#ffffff', 'light'],
    ['#333333', 'dark'],
    ['#000000', 'dark'],
    ['#8a3a0c', 'dark'],
  ] as const
  for (const [text, theme] of cases) {
    const problem = accentProblem(text, theme)
    if (problem?.kind !== 'contrast') throw new Error(`${text} is taken on the ${theme} page`)
    t.ok(problem.ratio < 4.5, `${text}: ${problem.ratio}`)
    t.equal(accentProblem(problem.nearest, theme), undefined, `${problem.nearest} passes`)
    t.ok(ratio(problem.nearest, palettes[theme].ground) < 6, 'and is near the edge')
  }
})

t.test('whatever is taken is read on everything that it stands on, and under the text of buttons', async (t) => {
  let taken = 0
  for (const theme of ['light', 'dark'] as const) {
    for (let red = 0; red < 256; red += 51) {
      for (let green = 0; green < 256; green += 51) {
        for (let blue = 0; blue < 256; blue += 51) {
          const text = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
          if (accentProblem(text, theme) !== undefined) continue
          taken += 1
          const { ground, card, accent, accentStrong, onAccent, tint } = accentPalette(text, theme)
          for (const other of [ground, card, tint, onAccent]) if (ratio(accent, other) < 4.5) t.fail(`${text} ${other}`)
          for (const other of [ground, card, onAccent]) if (ratio(accentStrong, other) < 4.5) t.fail(`${text} hover`)
        }
      }
    }
  }
  t.ok(taken > 60, `${taken} colours are taken`)
})

t.test('the colours of the pages are those that accents are measured against', async (t) => {
  for (const { ground, card, accent } of Object.values(palettes)) {
    for (const colour of [ground, card, accent]) t.ok(stylesheet.includes(colour), colour)
  }
})

t.test('the stylesheet of a brand stands at an address of its colours, and nothing else stands there', async (t) => {
  const name = stylesheetName({ accent: '#0B5CAD', accentDark: undefined }) ?? ''
  t.equal(name, 'a1-0b5cad-own.css')
  t.match(stylesheetNamed(name), '--accent: #0b5cad;')
  t.equal(stylesheetName({ accent: undefined, accentDark: undefined }), undefined)
  for (const other of [
    'a1-own-own.css',
    'a1-ffcc00-own.css',
    'a1-own-000000.css',
    'a2-0b5cad-own.css',
    `${name}x`,
    '',
  ]) {
    t.equal(stylesheetNamed(other), undefined, other)
  }
})
