// oidc-provider as it comes: one client, client_credentials, signed access tokens (ES256 or RS256), everything kept in
// memory. Arguments: port, algorithm. Client id and secret are `bench` and `bench-secret`.

import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { Provider } from 'oidc-provider'

const [port, algorithm] = process.argv.slice(2) as [string, 'ES256' | 'RS256']
const pair =
  algorithm === 'ES256'
    ? await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
    : await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
const resource = 'https://bench.test/api/v2'

const provider = new Provider('https://bench.test', {
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'assets_read',
      id_token_signed_response_alg: algorithm,
    },
  ],
  jwks: { keys: [{ ...pair.privateKey.export({ format: 'jwk' }), use: 'sig', alg: algorithm, kid: 'bench' }] },
  scopes: ['assets_read'],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({
        scope: 'assets_read',
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
        jwt: { sign: { alg: algorithm } },
      }),
    },
  },
})
provider.proxy = true
provider.listen(Number(port), '127.0.0.1')
