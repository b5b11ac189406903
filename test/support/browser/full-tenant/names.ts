// What things and people of a tenant that has been there for a while are called: as people do it, short and long, in
// several scripts, with numbers that have to sort as numbers.

const trades = ['Payroll', 'Warehouse', 'Ledger export', 'Travel desk', 'Fleet', 'Newsletter', 'Billing', 'Archive']
const places = ['Zürich', 'São Paulo', '東京', 'Kraków', 'Nairobi', 'Reykjavík', 'Aberdeen']
const long = [
  'Customer-relationship-synchronisation-service-for-the-northern-region',
  'Regional data protection officer’s quarterly report generator (replaces the spreadsheet of 2019)',
]
const publishers = ['Contoso Platform team', 'Fabrikam GmbH', '']
const given = ['Grace', 'Linus', 'Margaret', 'Chidi', 'Yuki', 'Amélie', 'Søren', 'Fatima', 'João', 'Zoë']
const family = ['Hopper', 'Okafor', '田中', 'Lefèvre', 'Kierkegaard-Nielsen']

/** Of the application with that number, from 0. */
export function applicationName(index: number): string {
  if (index < long.length) return long[index] ?? ''
  if (index % 3 === 0) return `Sensor gateway ${index}`
  const name = `${trades[index % trades.length]} ${places[index % places.length]}`
  return index < 56 ? name : `${name} ${Math.floor(index / 56) + 1}`
}

export function publisherName(index: number): string {
  return publishers[index % publishers.length] ?? ''
}

/** Fifty people have fifty names. */
export function personName(index: number): string {
  return `${given[index % given.length]} ${family[Math.floor(index / given.length) % family.length]}`
}

/** Browsers that people are signed in with. */
export const userAgents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0',
]
