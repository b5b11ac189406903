// The order of names in lists.

import t from 'tap'
import { compareNames } from '../../src/naming/name-order.js'

t.test(
  'numbers by what they are worth, letters without regard to case and accents, and always the same way',
  async (t) => {
    const names = ['App 280', 'app 6', 'App 56', 'Über', 'Zebra', 'ubuntu', 'App 6']
    t.same([...names].sort(compareNames), ['App 6', 'app 6', 'App 56', 'App 280', 'Über', 'ubuntu', 'Zebra'])
    t.equal(compareNames('a', 'a'), 0)
  },
)
