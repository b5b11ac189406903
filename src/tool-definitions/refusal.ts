// Why a changed tool may not be approved as requested. The management API turns it into a status; nothing in it is secret.

import { Refusal } from '../oauth/errors/refusal.js'

const toolChangeRefusalKinds = {
  ToolChangeNotFound: 'not_found',
  ToolChangedAgain: 'conflict',
} as const

/** `message` is safe to send. */
export class ToolChangeRefusal extends Refusal<keyof typeof toolChangeRefusalKinds> {
  constructor(code: keyof typeof toolChangeRefusalKinds, message: string) {
    super(toolChangeRefusalKinds, { code, message, target: undefined })
  }
}
