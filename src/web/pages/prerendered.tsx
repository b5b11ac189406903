// A part of a page that is the same for everybody and long: rendered once, not for each who looks at it.

import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** Stands for `content` on a page. What is in it was escaped when it was rendered here; nothing else can be passed. */
export function prerendered(content: VNode): VNode {
  const html = { __html: renderToString(content) }
  return <div class="stack" dangerouslySetInnerHTML={html} />
}
