// The one body that every proxied row answers: 1,024 bytes of JSON.

const filler = 'x'.repeat(1024 - '{"id":1,"text":""}'.length)

/** 1,024 bytes. */
export const benchBody = Buffer.from(`{"id":1,"text":"${filler}"}`)
