// Which file of browser/with-data/ looks at a page. Every page is in one part: what no other part takes is the
// organisation's.

export const pageParts = ['applications', 'organisation', 'server and account'] as const
export type PagePart = (typeof pageParts)[number]

const parts: readonly (readonly [RegExp, PagePart])[] = [
  [/^\/portal\/(?:applications|apis|usage|explain|reference)(?:[/?]|$)/, 'applications'],
  [/^\/portal\/server(?:\/|$)/, 'server and account'],
  [/^\/(?!portal(?:\/|$))/, 'server and account'],
]

/** Of the page at this address. */
export function partOf(address: string): PagePart {
  return parts.find(([begins]) => begins.test(address))?.[1] ?? 'organisation'
}
