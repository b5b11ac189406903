// What production refuses to start on: everything that only development may use. Each refusal says what to set.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../settings/settings.js'
import { developmentKeyFile } from './written-master-keys.js'

/** Sentences, one for each piece of development material in a production configuration; empty when it may start. */
export function developmentMaterial(settings: Settings): string[] {
  if (settings.mode !== 'production') return []
  const found: string[] = []
  const { hostname } = new URL(settings.server.baseUrl)
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1' || hostname === '[::1]') {
    found.push(`server.baseUrl is ${settings.server.baseUrl}: set it to the https origin that clients use`)
  }
  if (settings.server.tls.kind === 'development') {
    found.push('server.tls is "development": set server.tls.cert and server.tls.key, or "off" behind a trusted proxy')
  }
  if (settings.masterKeys.length === 0) {
    found.push(
      'secrets.masterKeys is empty: set it to 32 random bytes (openssl rand 32 | basenc --base64url | tr -d =)',
    )
  }
  const marks = [developmentKeyFile(settings), join(settings.data.folder, 'tls', 'ca.key')].filter(existsSync)
  for (const file of marks) found.push(`${file} was made by a development start: set data.folder to a new folder`)
  return found
}
