// The body of an answer from outside: no more than fits is read.

import type { IncomingMessage } from 'node:http'

/** More came than fits; the connection has ended. */
export class AnswerTooLarge extends Error {
  constructor(mostBytes: number) {
    super(`the answer is larger than ${mostBytes} bytes`)
    this.name = 'AnswerTooLarge'
  }
}

/** The body as UTF-8. Throws AnswerTooLarge, or what ended the connection. */
export async function readText(response: IncomingMessage, mostBytes: number): Promise<string> {
  return (await readBytes(response, mostBytes)).toString('utf8')
}

/** The body as it came. Throws as readText does. */
export async function readBytes(response: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) {
      response.destroy()
      throw new AnswerTooLarge(mostBytes)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
