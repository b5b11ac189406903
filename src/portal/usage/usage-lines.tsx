// Lines of usage as a table: how many calls ended how.

import type { ComponentChildren, VNode } from 'preact'
import { Table } from '../table.js'
import type { UsageLine } from './read-usage.js'

const number = new Intl.NumberFormat('en-GB')

/** `first` heads the cells of `cellOf`, `second` those of `nextOf`. */
export function UsageLines({
  id,
  first,
  second,
  lines,
  cellOf,
  nextOf,
}: {
  id: string
  first: string
  second?: string
  lines: readonly UsageLine[]
  cellOf: (line: UsageLine) => ComponentChildren
  nextOf?: (line: UsageLine) => ComponentChildren
}): VNode {
  return (
    <Table
      id={id}
      columns={[
        { text: first },
        ...(second === undefined ? [] : [{ text: second }]),
        { text: 'Allowed', number: true },
        { text: 'No permission', number: true },
        { text: 'Limited', number: true },
        { text: 'Bad token', number: true },
        { text: 'Errors 4xx', number: true },
        { text: 'Errors 5xx', number: true },
      ]}
      rows={lines.map((line, index) => {
        const { allowed, refused, errors } = line
        const counts = [allowed, refused.permission, refused.limit, refused.token, errors.client, errors.server]
        return {
          id: `${id}-${index}`,
          cells: [
            cellOf(line),
            ...(nextOf === undefined ? [] : [nextOf(line)]),
            ...counts.map((count) => number.format(count)),
          ],
        }
      })}
    />
  )
}
