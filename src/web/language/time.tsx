// A time on a page, in words of its language and for machines.

import type { VNode } from 'preact'
import { dateTimeIn } from '../../languages/formats.js'
import { useReading } from './texts.js'

/** `at`: epoch milliseconds. */
export function Time({ at }: { at: number }): VNode {
  return <time dateTime={new Date(at).toISOString()}>{dateTimeIn(useReading().language, at)}</time>
}
