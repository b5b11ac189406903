// The colours of pages that a brand's own colour has to stand out from, and the accent where nobody chose one. The
// stylesheet (web/pages/stylesheet.ts) is made with them, so what is measured is what is shown.

/** The two appearances of a page, as the reader's system says. */
export type Theme = 'light' | 'dark'

/** `ground`: behind everything; `card`: behind what is read; `onAccent`: the text of a button. Each `#rrggbb`. */
export interface Palette {
  ground: string
  card: string
  accent: string
  accentStrong: string
  onAccent: string
  tint: string
}

/** By theme. */
export const palettes: Readonly<Record<Theme, Palette>> = {
  light: {
    ground: '#f6f4f0',
    card: '#ffffff',
    accent: '#8a3a0c',
    accentStrong: '#6f2d07',
    onAccent: '#ffffff',
    tint: '#fbf1e8',
  },
  dark: {
    ground: '#151311',
    card: '#1f1c19',
    accent: '#ffb787',
    accentStrong: '#ffcba8',
    onAccent: '#2a1203',
    tint: '#2c221a',
  },
}
