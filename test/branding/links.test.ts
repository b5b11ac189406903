// Where a brand may lead.

import t from 'tap'
import { linkProblem } from '../../src/branding/links.js'

t.test('pages over https, and for support one address to write to', async (t) => {
  for (const text of ['https://example.com', 'https://example.com/terms?of=use#a', 'https://日本.example/規約']) {
    for (const kind of ['terms', 'privacy', 'support', 'home'] as const)
      t.equal(linkProblem(text, kind), undefined, text)
  }
  t.equal(linkProblem('mailto:help@example.com', 'support'), undefined)
})

t.test('C19 nothing that runs, hides where it leads, or writes the mail for the reader', async (t) => {
  const refused = [
    ...[
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'http://example.com',
      'ftp://example.com',
      '',
    ],
    ...[
      'https://',
      'https:example.com',
      '//example.com',
      '/terms',
      'https://user:pw@example.com',
      'https://u@example.com',
    ],
    ...[
      'https://exa mple.com',
      'https://example.com/\n',
      ' https://example.com',
      'https:\\\\example.com',
      'java\nscript:x',
    ],
    ...[
      'https://example.com/\u202egnp',
      `https://example.com/${'a'.repeat(512)}`,
      'https://[::1',
      'mailto:',
      'mailto:a',
    ],
    'mailto:hälp@b.example',
    ...[
      'mailto:a@b.example?subject=x',
      'mailto:a@b.example,c@d.example',
      'mailto:a@b.example?bcc=c@d.example',
      'mailto:<a@b.c>',
    ],
  ]
  for (const text of refused) t.type(linkProblem(text, 'support'), 'string', JSON.stringify(text))
  t.type(linkProblem('mailto:help@example.com', 'terms'), 'string', 'terms are a page')
})
