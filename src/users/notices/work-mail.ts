// Whether a person takes mail about what waits for them. Mail about their own account they cannot switch off: an
// intruder would.

import { write } from '../../directory/writes.js'
import { updateUser } from '../../storage/sql/people/users.js'
import { requireUser, type UserWrites } from '../writes.js'

/** Sets it. Throws UserRefusal (UserNotFound) and StoreUnavailable. */
export async function setWorkMail(deps: UserWrites, userId: string, takesWorkMail: boolean): Promise<void> {
  await write(deps, async (writing) => {
    const { id } = await requireUser(writing, userId)
    await updateUser(writing.tx, id, { work_mail: takesWorkMail ? 1 : 0 })
  })
}
