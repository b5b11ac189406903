// The picture of the growth table: drawn from figures, shown inline in the page, and nothing else is.

import t from 'tap'
import { renderMarkdown } from '../../src/web/docs/markdown.js'
import type { GrowthRow } from '../bench/growth/measure.js'
import { growthPicture, withFigures } from '../bench/growth/picture.js'

const cased = (units: number, gate: number[]) => ({
  units,
  gate,
  token: gate,
  residentMb: units / 1000,
  startCpuSeconds: 1,
})
const rows: GrowthRow[] = [
  { name: 'routes', small: cased(10, [100, 100, 100]), large: cased(5_000, [104, 110, 300]) },
  { name: 'tenants', small: cased(10, [100]), large: cased(10_000, [500]) },
]
const fenced = (text: string) => renderMarkdown(`\`\`\`svg\n${text}\n\`\`\`\n`).html

t.test('a picture has the ratio of the round in the middle, and is shown as it is', async (t) => {
  const picture = growthPicture(rows)
  t.match(picture, /routes, 10 to 5,000/)
  t.match(picture, />1\.10</)
  t.match(picture, />5\.00</, 'what is far off the scale has its number too')
  t.notMatch(picture, /style=|#[0-9a-f]{3}/, 'its colour is that of the text around it')
  const html = fenced(picture.trim())
  t.match(html, /^<figure class="drawing"><svg /)
  t.equal(renderMarkdown('```svg\n<svg role="img"></svg>\n```').sections.length, 0, 'it is no text to be found')
})

t.test('what is more than shapes and words is shown as text', async (t) => {
  const hostile = [
    '<svg role="img"><script>1</script></svg>',
    '<svg role="img" onload="1"></svg>',
    '<svg role="img"><a href="https://a.example">x</a></svg>',
    '<svg role="img"><rect style="fill: red"/></svg>',
    '<svg role="img"><image href="https://a.example/x.png"/></svg>',
    '<svg role="img"><text>&lt;</text></svg>',
    '<svg role="img"></svg><p>',
    '<p></p><svg role="img"></svg>',
  ]
  for (const one of hostile) t.match(fenced(one), /^<pre tabindex="0"><code>&lt;/, one)
})

t.test('a page gets the figures of another run where the last ones stand', async (t) => {
  const page = 'Before.\n\n```svg\n<svg ></svg>\n```\n\n| what grows | x |\n|---|---|\n| old | 1 |\n\nBehind.\n'
  const once = withFigures(page, rows)
  t.match(
    once,
    /^Before\.\n\n```svg\n<svg [\s\S]*<\/svg>\n```\n\n\| what grows \|[\s\S]*\| tenants \|[^\n]*\|\n\nBehind\.\n$/,
  )
  t.notMatch(once, 'old')
  t.equal(withFigures(once, rows), once, 'and again')
  t.throws(() => withFigures('Nothing.', rows), /no place/)
})
