// What systemd is told of this process (sd_notify(3)): that it is ready, that it is alive, that it stops. A service
// with WatchdogSec that says nothing for that long is ended and started again.

import { execFile } from 'node:child_process'

export interface ServiceManager {
  /** `alive` is called at half of WatchdogSec; nothing is said while it is false. */
  ready(alive: () => boolean | Promise<boolean>): void
  stopping(): void
}

/**
 * Node has no datagram sockets of Unix, so systemd's own command says it. Without NOTIFY_SOCKET nothing is ever said.
 */
export function serviceManager(env: NodeJS.ProcessEnv, say = systemdNotify): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: pid } = env
  if (socket === undefined || socket === '') return { ready: () => undefined, stopping: () => undefined }
  const isForUs = pid === undefined || Number(pid) === process.pid
  const everyMs = isForUs && /^[1-9]\d{4,}$/.test(usec ?? '') ? Number(usec) / 2_000 : undefined
  return {
    ready(alive) {
      say('READY=1')
      if (everyMs === undefined) return
      const heartbeat = async () => {
        if (await alive()) say('WATCHDOG=1')
      }
      setInterval(() => void heartbeat().catch(() => undefined), everyMs).unref()
    },
    stopping: () => say('STOPPING=1'),
  }
}

function systemdNotify(state: string): void {
  execFile('systemd-notify', [state], { timeout: 5_000 }, () => undefined)
}
