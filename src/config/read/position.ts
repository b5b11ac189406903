// Where a setting stands in its file.

/** Where a setting stands: for messages and for `explain`. Lines and columns count from 1. */
export interface Position {
  file: string
  line: number
  column: number
}
