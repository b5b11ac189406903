// What the applications of the public listener have in common, so that each answers as the other would.

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { HttpServerOptions } from '../../http/server.js'
import type { AddressGuardOptions } from '../../limits/address-guard.js'

export interface PublicFrame {
  /** How each of them is made. */
  server: HttpServerOptions
  guardAddresses: (scope: FastifyInstance, refuse: AddressGuardOptions['refuse']) => Promise<void>
  /** The plugin with the gate, the last on each of them. */
  gate: FastifyPluginAsync
}
