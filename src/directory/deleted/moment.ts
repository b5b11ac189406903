// Until when a deleted application can be restored, by the clock and the setting of now.

import type { Moment } from '../../storage/sql/registrations/deleted/deleted-rows.js'
import type { DirectoryWrites } from '../writes.js'

/** What counts at `nowMs`, where deleted applications are read or removed. */
export function momentOf({ restorableMs = 0 }: Pick<DirectoryWrites, 'restorableMs'>, at: { nowMs: number }): Moment {
  return { nowMs: at.nowMs, restorableMs }
}
