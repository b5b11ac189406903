// What stands in the examples that help shows: one that does something, as it is typed.

/** What an argument or an option of that name may be in an example. */
const samples: Readonly<Record<string, string>> = {
  app: 'reports',
  name: 'Reports',
  tenant: 'Contoso',
  user: 'ada@contoso.example',
  email: 'ada@contoso.example',
  role: 'developer',
  owner: 'ada@contoso.example',
  permissions: 'User.Read.All',
  method: 'GET',
  path: '/api/v2/me',
  file: 'portcullis.yaml',
  old: 'old.yaml',
  api: 'crm',
  'short-name': 'crm',
  describe: '"Read contacts"',
  issuer: 'https://issuer.example',
  route: '/desk/mcp',
  tool: 'close_ticket',
  tools: 'close_ticket',
  rule: 'approval',
  subject: 'repo:org/app',
  url: 'https://hooks.example/in',
  label: 'partners',
  plan: 'partner',
  server: 'http://127.0.0.1:3000/mcp',
  token: '"$TOKEN"',
  id: 'ID',
  keyId: 'KEY_ID',
  kid: 'KEY_ID',
  request: 'ID',
  delivery: 'ID',
}

/** Of commands that do nothing of use, or something nobody means, with required arguments alone: what follows them. */
const whole: Readonly<Record<string, string>> = {
  'app create': 'Reports --permission User.Read.All --consent',
  'app set': 'reports --redirect-uri https://reports.example/callback',
  'app permit': 'reports User.Read.All',
  'app brand set': 'reports --home https://reports.example',
  'app plan override': 'reports --quota daily=5000/day',
  'tenant create': 'Fabrikam',
  'tenant set': 'Contoso --user-consent verified',
  'tenant brand set': 'Contoso --accent "#0b5cad"',
  'user set': 'ada@contoso.example --name "Ada Lovelace"',
  'mcp list': 'http://127.0.0.1:3001/mcp --name desk',
  call: 'GET /api/v2/me --app reports',
  token: '--app reports',
  explain: 'GET /api/v2/me --app reports',
}

/** What an argument or an option of that name may be. */
export function sampleOf(name: string): string {
  return samples[name] ?? name.toUpperCase()
}

/** What follows the words of a command in its example, where that is not made of its required arguments. */
export function wholeExample(path: string): string | undefined {
  const words = path.replace(/^portcullis /, '')
  return Object.hasOwn(whole, words) ? whole[words] : undefined
}
