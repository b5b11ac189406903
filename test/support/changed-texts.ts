// Texts as they become by accident or intent: something put in, taken out, or written over.

import fc from 'fast-check'

/** At most so many changes of a text, with these pieces or with nothing; half of them where a name or value begins or ends. */
export function textChanges(pieces: readonly string[], maxLength: number): fc.Arbitrary<(text: string) => string> {
  const change = fc.record({
    at: fc.nat(),
    isBetween: fc.boolean(),
    piece: fc.constantFrom('', ...pieces),
    over: fc.nat({ max: 3 }),
  })
  return fc.array(change, { maxLength }).map((changes) => (text) => changes.reduce(changed, text))
}

interface Change {
  at: number
  isBetween: boolean
  piece: string
  over: number
}

function changed(text: string, { at, isBetween, piece, over }: Change): string {
  const places = isBetween ? [...text.matchAll(/["{}[\]:,]/g)].map(({ index }) => index) : []
  const place = places[at % places.length] ?? at % (text.length + 1)
  return text.slice(0, place) + piece + text.slice(place + over)
}
