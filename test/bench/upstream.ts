// The upstream of the proxy rows when nginx is not installed: 1 KB of JSON for every request. Argument: port.

import { createServer } from 'node:http'
import { benchBody } from './body.js'

createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': benchBody.length })
  response.end(benchBody)
}).listen(Number(process.argv[2]), '127.0.0.1')
