// What is nobody's to change here: an application that its client's own document describes (decision 152). Its tenant
// disables or deletes it, withdraws what it was allowed, and says whose clients it takes.

import { isOpenClientId } from '../../oauth/secrets/open-client-id.js'
import type { ApplicationRecord } from '../../storage/sql/registrations/applications.js'
import { DirectoryRefusal } from '../refusal.js'

/** Throws DirectoryRefusal (DescribedByDocument) for an application that nobody registered. */
export function checkRegistered({ document }: Pick<ApplicationRecord, 'document'>): void {
  if (document === undefined) return
  const whatDoes = isOpenClientId(document.url)
    ? 'What it registered itself with describes this application'
    : `The document at ${document.url} describes this application: it is changed there`
  const message = `${whatDoes}. Here it can be disabled or deleted.`
  throw new DirectoryRefusal('DescribedByDocument', message)
}
