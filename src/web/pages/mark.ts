// The mark: a portcullis in a gate, half raised. One drawing for the head of every page and for the browser's tab.

/** The lines of the drawing in a 32 by 32 box, without colours: an arch, three bars, two cross-bars. */
export const markPaths = {
  gate: 'M5 29V14a11 11 0 0 1 22 0v15',
  bars: 'M10.5 8V23.5M16 5V26M21.5 8V23.5',
  crossings: 'M6 13.5h20M6 19h20',
}

/** As a file of its own, for the tab; it follows the system's light or dark like the pages do. */
export const markSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#b4531a" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><path d="${markPaths.gate}"/><path stroke-width="1.8" d="${markPaths.bars}"/><path stroke-width="1.8" d="${markPaths.crossings}"/></svg>
`
