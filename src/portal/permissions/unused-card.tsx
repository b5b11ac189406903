// Least privilege: what was granted and is not used, and one button for all of it.

import type { VNode } from 'preact'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import type { PermissionOverview } from './permission-overview.js'

/** Nothing where everything is in use. The form says what was seen, so that nothing else is removed. */
export function UnusedCard({
  context,
  overview,
}: {
  context: PortalContext
  overview: PermissionOverview
}): VNode | null {
  const { configured, unusedAfter } = overview
  const unused = configured.filter(({ removable }) => removable)
  if (unused.length === 0) return null
  const many = unused.length > 1
  return (
    <Notice id="unused" title={many ? `${unused.length} permissions are not used` : 'One permission is not used'}>
      <p>
        Granted, and not used for {unusedAfter} or more:{' '}
        {unused.map(({ key, ref }, index) => (
          <span key={key}>
            {index === 0 ? null : ', '}
            <code>{ref.id}</code>
          </span>
        ))}
        . What an application does not have, nobody can steal from it.
      </p>
      <Form id="remove-unused-form" action={context.address} token={context.token}>
        {unused.map(({ key }) => (
          <input key={key} type="hidden" name="permission" value={key} />
        ))}
        <Button id="remove-unused" kind="plain">
          Remove the unused
        </Button>
      </Form>
    </Notice>
  )
}
