// What a device requested, as it waits in the Store for somebody to allow it. It is read back through a schema:
// whatever is not exactly this is no request.

import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const Texts = Type.Array(Type.String())

const DeviceRequest = Type.Object({
  /** The audience of its tokens. */
  resource: Type.String(),
  /** Plain ids of delegated permissions. */
  permissions: Texts,
  openidScopes: Texts,
  /** The tenant that was requested. */
  tenantId: Type.Optional(Type.String()),
  /** Where the request came from, for the person who decides. */
  address: Type.String(),
})
export type DeviceRequest = Static<typeof DeviceRequest>

/** What the browser of that person is in the middle of: the body of a pending request of kind `device`. */
const DevicePending = Type.Object({
  deviceHash: Type.String(),
  /** The code came in an address. */
  filledIn: Type.Optional(Type.Boolean()),
  /** The tenant that the person chose, and who that was: somebody else chooses again. */
  tenantId: Type.Optional(Type.String()),
  chosenBy: Type.Optional(Type.String()),
})
export type DevicePending = Static<typeof DevicePending>

const requests = Compile(DeviceRequest)
const pendings = Compile(DevicePending)

/** Reads the JSON of a row. Throws TypeError for anything that this program does not write. */
export function readDeviceRequest(text: string): DeviceRequest {
  const value: unknown = JSON.parse(text)
  if (!requests.Check(value)) throw new TypeError('a device code has a request that cannot be read')
  return value
}

/** Reads a pending request's body; undefined for one of another kind. */
export function readDevicePending(pending: { kind: string; body: unknown }): DevicePending | undefined {
  return pending.kind === 'device' && pendings.Check(pending.body) ? pending.body : undefined
}
