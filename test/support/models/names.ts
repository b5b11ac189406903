// Names that may be, and names that may not, for every test of a way to name something (decision 0101).

/** Good for everything that is named. */
export const goodNames: readonly string[] = [
  ...[
    'AT&T',
    'C++ demo',
    'Lager & Süd',
    'Müller Straßenbau',
    'Bestellungen 🚲',
    '日本語アプリ',
    '株式会社ABC',
    '한국어 앱 K-Pay',
  ],
  ...[
    'Москва',
    'Ресурс',
    'Яндекс Docs',
    'Ελλάδα',
    'العربية',
    'تطبیق می\u200cخواهم',
    'עברית',
    'ไทย',
    'हिन्दी',
    'Հայաստան',
  ],
  ...[
    'Caffè d’Oro',
    'Łódź',
    'Tiếng Việt',
    'O‘zbek',
    'Okinaʻs',
    '1º piso, 20 m²',
    '👩\u200d💻 Developers',
    '❤\ufe0f Charity',
    '🇯🇵 Guide',
  ],
  ...[
    'Security dashboard',
    'Support desk of Contoso',
    'Admin console',
    'Unofficial reader',
    'Unverified ideas',
    'v2.0',
    '#1',
  ],
]

interface BadName {
  name: string
  why: RegExp
  code: 'InvalidName' | 'NameReserved'
}

const malformed = (name: string, why: RegExp): BadName => ({ name, why, code: 'InvalidName' })
const reserved = (name: string, why: RegExp): BadName => ({ name, why, code: 'NameReserved' })

/** Bad for everything that others see. */
export const badNames: readonly BadName[] = [
  malformed(' ', /1 to 120/),
  malformed('x'.repeat(121), /1 to 120/),
  malformed('a\u0000b', /U\+0000 at place 2/),
  malformed('a\u202eb', /direction/),
  malformed('a\u2066b', /direction/),
  malformed('a\u200bb', /cannot be seen/),
  malformed('a\u200db', /cannot be seen/),
  malformed('a\ufe0fb', /cannot be seen/),
  malformed('a\u00adb', /cannot be seen/),
  malformed('a\u2800b', /cannot be seen/),
  malformed('\u3164', /cannot be seen/),
  malformed('\u115f\u1160', /cannot be seen/),
  malformed('a\u{e0041}b', /cannot be seen/),
  malformed('a\u2003b', /space/),
  malformed('a\ue000b', /no assigned/),
  malformed('a\u0378b', /no assigned/),
  malformed(`a${'\u0323\u0300\u0301\u0302\u0303\u0304'}`, /accent/),
  malformed('𝐂ontoso', /disguise/),
  malformed('Ｃontoso', /disguise/),
  malformed('Ⅰnbox', /disguise/),
  malformed('ⓒontoso', /disguise/),
  malformed('ᴄontoso', /another letter/),
  malformed('Goo\u0261le', /another letter/),
  malformed('🅰pple', /another letter/),
  malformed('Pаypal', /Latin and Cyrillic/),
  malformed('Αpple', /Latin and Greek/),
  malformed('Visit https://evil.example/unlock', /address/),
  malformed('Unlock at evil.com', /address/),
  malformed('Write to me@evil.com', /address/),
  reserved('Portcullis', /Portcullis/),
  reserved('Portcullis command line', /Portcullis/),
  reserved('PORTCULLIS', /Portcullis/),
  reserved('PortcuIIis CLI', /Portcullis/),
  reserved('P0rtcüllis', /Portcullis/),
  reserved('Port-cullis', /Portcullis/),
  reserved('Contoso ✅ Verified', /vouches/),
  reserved('Contoso (vérified)', /vouches/),
  reserved('Official Contoso', /vouches/),
  reserved('Contoso ✅', /verified/),
  reserved('Contoso ✔\ufe0f', /verified/),
  reserved('🔒 Contoso', /verified/),
  reserved('🛡\ufe0f Contoso', /verified/),
  reserved('Contoso ⭐', /verified/),
  reserved('Admin', /office/),
  reserved('Support Team', /office/),
  reserved('Contoso [Security]', /office/),
]
