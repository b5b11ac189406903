// A file that pages load, under a name made of its content.

import { createHash } from 'node:crypto'

export interface Asset {
  path: string
  type: string
  content: string
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const

/** An asset of that content: its path is `/assets/<hash>.<ending>`. */
export function asset(ending: keyof typeof types, content: string): Asset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 20)
  return { path: `/assets/${hash}.${ending}`, type: types[ending], content }
}
