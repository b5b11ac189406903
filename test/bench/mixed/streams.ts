// Event streams that come and go: so many begin in a second, each is listened to for some seconds, then left.

import { connect } from 'node:net'
import { proxyRequest } from '../requests.js'

export interface StreamLoad {
  port: number
  host: string
  token: string
  perSecond: number
  seconds: number
}

const listensMs = 5_000

/** Gives how many were open to the end and brought events, how many were not, and how many events came. */
export async function runStreams(load: StreamLoad): Promise<{ right: number; wrong: number; events: number }> {
  const fields = proxyRequest(load.host, load.token).toString('latin1').split('\r\n').slice(1).join('\r\n')
  const head = `GET /api/v2/live HTTP/1.1\r\n${fields}`
  const underWay: Promise<number>[] = []
  const startedAt = performance.now()
  const longest = load.seconds * 1000 - listensMs
  for (let i = 0; (i * 1000) / load.perSecond <= longest; i += 1) {
    const dueAt = startedAt + (i * 1000) / load.perSecond
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
    underWay.push(listen(load.port, head))
  }
  const heard = await Promise.all(underWay)
  const right = heard.filter((events) => events > 0).length
  return { right, wrong: heard.length - right, events: heard.reduce((sum, events) => sum + Math.max(0, events), 0) }
}

/** Resolves with how many events came; -1 where it was no stream, or ended by itself. */
function listen(port: number, head: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let events = 0
    let isOpen = false
    const timer = setTimeout(() => {
      resolve(events)
      socket.destroy()
    }, listensMs)
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1')
      isOpen ||= text.startsWith('HTTP/1.1 200 ')
      if (isOpen) events += text.split('data: ').length - 1
      else socket.destroy()
    })
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(-1)
    })
    socket.write(head)
  })
}
