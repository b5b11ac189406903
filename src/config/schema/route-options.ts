// What a route can say beyond who may call it and where it leads.

import { Type } from 'typebox'
import { leaf } from './leaves.js'

export const routeOptions = {
  shadow: Type.Optional(
    leaf.flag('Permissions are not enforced, only counted and logged: the route is open while it says so.'),
  ),
  cost: Type.Optional(
    leaf.count('Units that a request takes from each of its limits; 1 when left out.', undefined, [1, 1_000_000]),
  ),
}
