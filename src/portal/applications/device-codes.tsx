// The switch for device codes of an application, as an entry of its overview (decision 95).

import type { VNode } from 'preact'
import { Form } from '../../web/pages/form.js'
import { ListItem } from '../../web/pages/list-item.js'
import { type Application, applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'

/** A form that asks for the opposite. */
export function DeviceCodes({ context, application }: { context: PortalContext; application: Application }): VNode {
  const isAllowed = application.deviceCodes === 'allowed'
  return (
    <ListItem
      name="Device codes"
      about={
        isAllowed
          ? 'People may sign in to it with a code from another device, where the tenant and the server allow it. If it does not use them, switch them off: typing somebody else’s code signs that person in.'
          : 'They are switched off: nobody signs in to it with a code from another device.'
      }
    >
      <Form
        id="device-codes-form"
        action={context.link(applicationPath(application.applicationId))}
        token={context.token}
        hidden={{ deviceCodes: isAllowed ? 'off' : 'allowed' }}
      >
        <button type="submit" id="change-device-codes" class="plain small">
          {isAllowed ? 'Switch off' : 'Allow'}
        </button>
      </Form>
    </ListItem>
  )
}
