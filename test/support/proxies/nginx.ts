// Debian's nginx with a configuration of the test's, in the foreground.

import { readFileSync, writeFileSync } from 'node:fs'
import { runServer } from '../programs/running-server.js'

/** Starts it and waits until it listens; it ends with the test. `folder` takes its temporary files. */
export async function startNginx(
  t: { teardown(work: () => unknown): void },
  { folder, file, port }: { folder: string; file: string; port: number },
): Promise<void> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`)
  writeFileSync(file, readFileSync(file, 'utf8').replace('http {', `http { ${temporary.join(' ')}`))
  // Started by root its workers would be somebody else, who cannot write there.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const globals = `daemon off; worker_processes 1; pid ${folder}/nginx.pid; ${user}`
  // It has workers that end when it is stopped; killed, it would leave them behind.
  const command = ['nginx', '-e', 'stderr', '-p', folder, '-c', file, '-g', globals]
  await runServer(t, { command, port, end: 'SIGTERM' })
}
