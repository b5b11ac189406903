// The schemas of the document: one that several operations share stands among the components once.

/** Schemas by the object that they were written as. */
export interface Components {
  /**
   * The schema, or a reference to it when it is an object that is worth a name. `name` is what it is called, if it is
   * new.
   */
  refer(schema: object, name: string): object
  schemas: Record<string, object>
}

/** Starts with `given` among them. */
export function createComponents(given: Readonly<Record<string, object>>): Components {
  const names = new Map<object, string>()
  const schemas: Record<string, object> = {}
  const add = (schema: object, name: string) => {
    const free = Object.hasOwn(schemas, name) ? `${name}${Object.keys(schemas).length}` : name
    names.set(schema, free)
    schemas[free] = plain(schema)
    return free
  }
  for (const [name, schema] of Object.entries(given)) add(schema, name)
  return {
    schemas,
    refer: (schema, name) => ({ $ref: `#/components/schemas/${names.get(schema) ?? add(schema, name)}` }),
  }
}

/** As it goes over the wire: TypeBox keeps marks of its own beside the keywords. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema)) as object
}
