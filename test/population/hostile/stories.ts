// All of them.

import { gatewayStories } from './gateway.js'
import { identityStories } from './identity.js'
import type { Hostile } from './world.js'

export const stories: readonly Hostile[] = [...gatewayStories, ...identityStories]
