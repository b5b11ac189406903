// Pages of operators, of one’s own account and of what applications request, as somebody sees them whose organisation has 300 applications, 50 people, 2,100
// events in the audit log and thirty days of traffic: at a desk and on a telephone, in light and dark, and without
// JavaScript.
// full: a browser, a program with thousands of rows and thirty pages, a minute
// run: apart

import t from 'tap'
import { lookAtPages } from '../../support/browser/full-tenant/look-at-pages.js'

t.setTimeout(580_000)

t.test(
  'every page of operators and of one’s account: 1,280 and 390 px, light and dark, no violation, nothing sideways, the same without JavaScript',
  (t) => lookAtPages(t, 'server and account'),
)
