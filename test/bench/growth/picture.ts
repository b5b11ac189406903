// The table and the picture of the documentation from the figures of `npm run bench -- --growth`: run by
// `npm run bench:picture` where growth.json is.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type GrowthRow, growthTable, ratioOf } from './measure.js'

const [width, rowHeight, left, top] = [720, 34, 130, 46]
/** Ratios from none to twice; what is dearer stands at the edge, with its number. */
const most = 2
const scale = (ratio: number) => left + (Math.min(ratio, most) / most) * (width - left - 70)

/** Bars of large against small, and the line of 15 % more. It has the colour of the text around it, light or dark. */
export function growthPicture(rows: readonly GrowthRow[]): string {
  const height = top + rows.length * rowHeight + 30
  const bottom = height - 24
  const line = (ratio: number, label: string, more: string) =>
    `<line x1="${at(scale(ratio))}" y1="${top - 8}" x2="${at(scale(ratio))}" y2="${bottom}" stroke="currentColor" ${more}/>` +
    `<text x="${at(scale(ratio))}" y="${bottom + 16}" text-anchor="middle" font-size="12">${label}</text>`
  const bars = rows.map(({ name, small, large }, index) => {
    const y = top + index * rowHeight
    const sizes = `${small.units.toLocaleString('en-US')} to ${large.units.toLocaleString('en-US')}`
    return `<g><title>${name}, ${sizes}</title><text x="${left - 10}" y="${y + 16}" text-anchor="end" font-size="14">${name}</text>${bar(ratioOf(small.gate, large.gate), y, 'fill="currentColor"')}${bar(ratioOf(small.token, large.token), y + 12, 'fill="currentColor" fill-opacity="0.45"')}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" fill="currentColor" aria-label="Cost of the large case against the small one, for each thing that grows">
<rect x="${left}" y="10" width="12" height="9" fill="currentColor"/><text x="${left + 18}" y="19" font-size="12">a request through the gate</text>
<rect x="${left + 210}" y="10" width="12" height="9" fill="currentColor" fill-opacity="0.45"/><text x="${left + 228}" y="19" font-size="12">a token</text>
${line(1, 'as the small case', 'stroke-opacity="0.6"')}
${line(1.15, '', 'stroke-opacity="0.6" stroke-dasharray="4 4"')}
${bars.join('\n')}
</svg>
`
}

function bar(ratio: number, y: number, fill: string): string {
  const end = scale(ratio)
  return `<rect x="${left}" y="${y}" width="${at(end - left)}" height="10" ${fill}/><text x="${at(end + 6)}" y="${y + 9}" font-size="11">${ratio.toFixed(2)}</text>`
}

function at(pixels: number): string {
  return pixels.toFixed(1)
}

/** The page with another picture and table, where those of before stand. Throws Error when it has none. */
export function withFigures(page: string, rows: readonly GrowthRow[]): string {
  const parts: [RegExp, string][] = [
    [/```svg\n[\s\S]*?```/, `\`\`\`svg\n${growthPicture(rows)}\`\`\``],
    [/^\| what grows .*(?:\n\|.*)*/m, growthTable(rows)],
  ]
  return parts.reduce((text, [old, next]) => {
    if (!old.test(text)) throw new Error(`the page has no place for ${next.slice(0, 20)}`)
    return text.replace(old, () => next)
  }, page)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = fileURLToPath(new URL('../../../src/docs/performance.md', import.meta.url))
  const { rows } = JSON.parse(readFileSync('growth.json', 'utf8')) as { rows: GrowthRow[] }
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), rows))
}
