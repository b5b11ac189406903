// The mark: a portcullis in a gate, half raised. One drawing for the head of every page and for the browser's tab.

/** The lines of the drawing in a 32 by 32 box, without colours: an arch, four bars with their points, two cross-bars. */
export const markPaths = {
  gate: 'M5 29V14a11 11 0 0 1 22 0v15',
  bars: 'M10.5 8.5V21l1.25 2.5L13 21V5.5M19 5.5V21l1.25 2.5L21.5 21V8.5M14.75 4.5V21L16 23.5 17.25 21V4.5',
  crossings: 'M6 13h20M6 18h20',
}

/** As a file of its own, for the tab; it follows the system's light or dark like the pages do. */
export const markSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#b4531a" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><path d="${markPaths.gate}"/><path stroke-width="1.8" d="${markPaths.bars}"/><path stroke-width="1.8" d="${markPaths.crossings}"/></svg>
`
