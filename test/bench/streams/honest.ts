// An honest caller beside others: a hundred ordinary calls a second, each answered before its connection is used again,
// and how long each took.

import { connect, type Socket } from 'node:net'

/** Milliseconds. */
export interface Latency {
  p50: number
  p99: number
  longest: number
  calls: number
}

const everyMs = 10

/** Calls for so long; throws for an answer that is not 200. */
export async function callFor(ms: number, port: number, request: Buffer): Promise<Latency> {
  const took: number[] = []
  const idle: Socket[] = []
  const open: Socket[] = []
  const refused: string[] = []
  const until = performance.now() + ms
  const under: Promise<void>[] = []
  for (let next = performance.now(); next < until; next += everyMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())))
    const socket = idle.pop() ?? opened(port, open)
    under.push(
      call(socket, request).then((answer) => {
        took.push(performance.now() - next)
        if (!answer.startsWith('HTTP/1.1 200 ')) refused.push(answer)
        idle.push(socket)
      }),
    )
  }
  await Promise.all(under)
  for (const socket of open) socket.destroy()
  if (refused.length > 0) throw new Error(`${refused.length} calls were refused: ${refused[0]}`)
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), longest: at(1), calls: took.length }
}

function opened(port: number, open: Socket[]): Socket {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  socket.on('error', () => undefined)
  open.push(socket)
  return socket
}

/** The answer; its body has a length. */
function call(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const onData = (bytes: Buffer) => {
      received += bytes.toString('latin1')
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (received.length < end + 4 + length) return
      finish(received)
    }
    const finish = (answer: string) => {
      socket.off('data', onData).off('close', onClose)
      resolve(answer)
    }
    const onClose = () => finish('the connection was closed')
    socket.on('data', onData).on('close', onClose)
    socket.write(request)
  })
}
