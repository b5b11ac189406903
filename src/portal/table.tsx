// Tables that become lists on a narrow screen: each cell then says what it is.

import type { ComponentChildren, VNode } from 'preact'

export interface Column {
  /** Its heading; empty for a column of buttons. */
  text: string
  /** Numbers stand to the right. */
  number?: true
  /** Dates and counts: never on two lines. */
  brief?: true
}

export interface Row {
  /** Its id on the page, and its key. */
  id: string
  /** One for each column. The first one names the row. */
  cells: readonly ComponentChildren[]
}

/** A table with its caption. Show an EmptyState instead when there is no row. */
export function Table({
  id,
  caption,
  columns,
  rows,
}: {
  id: string
  caption?: ComponentChildren
  columns: readonly Column[]
  rows: readonly Row[]
}): VNode {
  return (
    <div class="table stacked">
      <table id={id}>
        {caption === undefined ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ text, number }) =>
              text === '' ? (
                <td key={text} />
              ) : (
                <th key={text} scope="col" {...(number === true ? { class: 'number' } : {})}>
                  {text}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} id={row.id}>
              {row.cells.map((cell, index) => (
                <Cell key={columns[index]?.text ?? ''} column={columns[index]} isFirst={index === 0}>
                  {cell}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({
  column,
  isFirst,
  children,
}: {
  column: Column | undefined
  isFirst: boolean
  children?: ComponentChildren
}): VNode {
  const label = isFirst || column === undefined || column.text === '' ? {} : { 'data-label': column.text }
  const kind = column?.number === true ? { class: 'number' } : column?.brief === true ? { class: 'brief' } : {}
  return isFirst ? (
    <th scope="row" {...kind}>
      {children}
    </th>
  ) : (
    <td {...label} {...kind}>
      {children}
    </td>
  )
}
