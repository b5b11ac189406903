// Answers of services: honest ones, hostile ones, and what a single byte makes of the honest ones.

import type { Reading } from './scripted-socket.js'

export const ok = 'HTTP/1.1 200 OK\r\n'
const hi = 'Content-Length: 2\r\n\r\nhi'
export const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`

/** Title, answer, and what is read of it. */
export const honest: [string, string, Partial<Reading>][] = [
  ['a length', `${ok}X-A: b\r\n${hi}`, { body: 'hi', isKept: true }],
  ['chunks', `${chunked}2\r\nhi\r\n1;a=b;c="d;\\"e"\r\n!\r\n0\r\n\r\n`, { body: 'hi!', isKept: true }],
  ['trailers', `${chunked}2\r\nhi\r\n0\r\nX-Sum: 1 \r\nX-B:\r\n\r\n`, { trailers: ['X-Sum', '1', 'X-B', ''] }],
  ['until the end', `${ok}X-A: b\r\n\r\nhi`, { body: 'hi', isKept: false }],
  ['HTTP/1.0', `HTTP/1.0 200 OK\r\n${hi}`, { body: 'hi', isKept: false }],
  ['HTTP/1.0 kept', `HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n${hi}`, { body: 'hi', isKept: true }],
  ['close', `${ok}Connection: foo, Close\r\n${hi}`, { body: 'hi', isKept: false }],
  ['nothing', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, isKept: true }],
  ['interim', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}${hi}`, { body: 'hi', isKept: true }],
  ['no reason', `HTTP/1.1 404\r\n${hi}`, { status: 404, body: 'hi' }],
  ['latin1', `${ok}X-A:\t\xe4 \t b\t \r\n${hi}`, { fields: ['X-A', '\xe4 \t b', 'Content-Length', '2'] }],
]

const lengths = [
  '+2',
  '-2',
  '2,2',
  '2, 2',
  '0x2',
  '2 2',
  '2.0',
  '2e0',
  '',
  ' ',
  '2\v',
  '²',
  '9'.repeat(16),
  '1_0',
  '"2"',
]
const codings = [
  'gzip',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked;a',
  'chunked,',
  ',chunked',
  'xchunked',
  'identity',
  'chunked\v',
  '"chunked"',
  '',
]
const sizes = [
  '',
  ' 2',
  '2 ',
  '+2',
  '-2',
  '0x2',
  '2 ;a',
  '2; a',
  '2;',
  '2;=b',
  '2;a=',
  '2;a="b',
  '2;a=b"c',
  '2\t',
  '2,',
  '2\v',
  'g',
  '2g',
  '1'.repeat(14),
  'f'.repeat(17),
  '2;a\x00',
  `2;${'a'.repeat(1_100)}`,
]
const starts = [
  'HTTP/1.1 200 OK\n',
  'HTTP/1.1 200 OK\r',
  'HTTP/1.1  200 OK\r\n',
  ' HTTP/1.1 200 OK\r\n',
  '\r\nHTTP/1.1 200 OK\r\n',
  'HTTP/1.2 200 OK\r\n',
  'HTTP/2 200 OK\r\n',
  'HTTP/2.0 200\r\n',
  'HTTP/0.9 200 OK\r\n',
  'http/1.1 200 OK\r\n',
  'HTTP/1.1 20 OK\r\n',
  'HTTP/1.1 2000 OK\r\n',
  'HTTP/1.1 -20 OK\r\n',
  'HTTP/1.1 099 OK\r\n',
  'HTTP/1.1 000 OK\r\n',
  'HTTP/1.1\t200 OK\r\n',
  'HTTP/1.1 200\tOK\r\n',
  'HTTP/1.1 200 O\x00K\r\n',
  'HTTP/1.1 200 O\rK\r\n',
  'HTTP/1.1 200 O\x7fK\r\n',
  'HTTP/1.1 200OK\r\n',
  'ICY 200 OK\r\n',
  'HTTP/11 200 OK\r\n',
  'HTTP/1.10 200 OK\r\n',
  'SSH-2.0-x\r\n',
  '<html>\r\n',
  'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'HTTP/1.1 103 Hints\r\nContent-Length: 2\r\n\r\nhi',
  'HTTP/1.1 103 Hints\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
]
const fields = [
  'X-A : b',
  ' X-A: b',
  '\tX-A: b',
  'X-A: b\r\n c',
  'X-A: b\r\n\tc',
  'X-A: b\rc',
  'X-A: b\nc',
  'X-A: b\x00c',
  'X-A: b\x7fc',
  'X-A: b\x0bc',
  'X-A',
  ': b',
  'X A: b',
  'X-A\x00: b',
  'X-\xe4: b',
  'X(A): b',
  'X-A: b\n',
  'X-A: b\r\r',
  'X-A\r\n: b',
  'Content-Length: 2\r\nX-A: b',
  'Content-Length: 3',
  'content-length : 2',
  'Content-Length\t: 2',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'transfer-encoding:\tchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding\x0b: chunked',
  `X-A: ${'b'.repeat(33_000)}`,
  'x:\r\n'.repeat(1_001).slice(0, -2),
]
const behind = ['!', '\r\n', '\n', '\x00', `${ok}${hi}`, 'HTTP/1.1 100 Continue\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']
const chunkEnds = [
  '2\r\nhi\n0\r\n\r\n',
  '2\r\nhi0\r\n\r\n',
  '2\r\nhi!\r\n0\r\n\r\n',
  '2\r\nh\r\n0\r\n\r\n',
  '2\nhi\r\n0\r\n\r\n',
  '2\rhi\r\n0\r\n\r\n',
  '2\r\nhi\r\n0\r\n',
  '2\r\nhi\r\n0\n\n',
  '2\r\nhi\r\n0\r\n\n',
  '2\r\nhi\r\n',
  '2\r\nhi\r\r\n0\r\n\r\n',
  '2\r\nhi\r\n0\r\nX-A\r\n\r\n',
  '2\r\nhi\r\n0\r\n X: a\r\n\r\n',
  '2\r\nhi\r\n0\r\nX: a\r\n b\r\n\r\n',
  '2\r\nhi\r\n0\r\nContent-Length: 2\r\n\r\n',
  '2\r\nhi\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '2\r\nhi\r\n00\r\n\r\n',
  '0\r\n\r\n',
  '2\r\nhi\r\n0;a=b\r\n\r\n',
  '2\r\nhi\r\n0\r\nX: \x00\r\n\r\n',
  `2\r\nhi\r\n0\r\nX: ${'a'.repeat(33_000)}\r\n\r\n`,
]

/** What some program reads otherwise than another. */
export const hostile: string[] = [
  ...lengths.map((length) => `${ok}Content-Length: ${length}\r\n\r\nhi`),
  ...codings.map((coding) => `${ok}Transfer-Encoding: ${coding}\r\n\r\n2\r\nhi\r\n0\r\n\r\n`),
  ...codings.map(
    (coding) => `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  ),
  ...sizes.map((size) => `${chunked}${size}\r\nhi\r\n0\r\n\r\n`),
  ...starts.map((start) => `${start}${hi}`),
  ...starts.map((start) => `HTTP/1.1 103 Hints\r\n\r\n${start}${hi}`),
  ...fields.map((field) => `${ok}${field}\r\n${hi}`),
  ...fields.map((field) => `${ok}Content-Length: 2\r\n${field}\r\n\r\nhi`),
  ...fields.map((field) => `${chunked.slice(0, -2)}${field}\r\n\r\n2\r\nhi\r\n0\r\n\r\n`),
  ...behind.flatMap((more) => honest.map(([, answer]) => answer + more)),
  ...chunkEnds.map((end) => `${chunked}${end}`),
  `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  `HTTP/1.1 204 No Content\r\n${hi}`,
  `HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  `${ok}Content-Length: 9\r\n\r\nhi`,
  ok,
  '',
]

/** What a byte that is put in, put in the place of another, or left out makes of an honest answer. */
export function* variations(): Generator<string> {
  const put = ['\r', '\n', ' ', '\t', '\0', ':', ';', ',', '0', '\v', '\x7f', '\x80']
  for (const [, answer] of honest) {
    for (let at = 0; at < answer.length; at += 1) {
      yield answer.slice(0, at) + answer.slice(at + 1)
      for (const one of put) yield answer.slice(0, at) + one + answer.slice(at)
      for (const one of put) yield answer.slice(0, at) + one + answer.slice(at + 1)
    }
  }
}
