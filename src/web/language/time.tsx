// A time on a page, in words of its language and for machines.

import type { VNode } from 'preact'
import { dateTimeIn, dayIn } from '../../languages/formats.js'
import { useReading } from './texts.js'

/** `at`: epoch milliseconds. */
export function Time({ at }: { at: number }): VNode {
  return <time dateTime={new Date(at).toISOString()}>{dateTimeIn(useReading().language, at)}</time>
}

/** A day in UTC, for what is counted by days: no time of it is known. `at`: epoch milliseconds of its beginning. */
export function Day({ at }: { at: number }): VNode {
  return <time dateTime={new Date(at).toISOString().slice(0, 10)}>{dayIn(useReading().language, at)}</time>
}
