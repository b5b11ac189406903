// Opens an address in the person's browser, if there is one to open.

import { spawn } from 'node:child_process'
import type { Terminal } from '../output/terminal.js'

/** Whether a person sits here with a screen. */
export function hasBrowser(terminal: Terminal): boolean {
  if (!terminal.interactive) return false
  const { platform } = process
  return (
    platform === 'darwin' || platform === 'win32' || Boolean(terminal.env['DISPLAY'] ?? terminal.env['WAYLAND_DISPLAY'])
  )
}

/** Tries; the address was printed too, so nothing is lost when it fails. */
export function openBrowser(url: string): void {
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.once('error', () => {})
  child.unref()
}
