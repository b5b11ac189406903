// Debian's nginx as somebody's service that serves the files of a folder, and takes new ones.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { steadyPort } from '../programs/steady-port.js'
import { startNginx } from '../proxies/nginx.js'

/** Serves `folder`/files below /files and gives its port; it ends with the test. */
export async function startFileServer(t: { teardown(work: () => unknown): void }, folder: string): Promise<number> {
  const port = await steadyPort()
  mkdirSync(join(folder, 'files'), { recursive: true })
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    location /files/ {
      dav_methods PUT DELETE;
    }
  }
}
`,
  )
  await startNginx(t, { folder, file, port })
  return port
}
