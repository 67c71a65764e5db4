type Schema = Readonly<Record<string, unknown>>

/** The names of branches of `anyOf` and `oneOf`, by type. Redoc would name these branches “case 1”, “case 2”. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'Boolean',
  array: 'list',
  object: 'object',
}

/** Returns the name of a branch of `anyOf` or `oneOf`. */
function nameOf({ type, required, const: value }: Schema): string | undefined {
  if (value !== undefined) return value === '' ? 'empty' : JSON.stringify(value)
  const types = [type].flat().filter((each) => each !== 'null')
  if (types.length > 0) return types.map((each) => TYPE_NAMES[each as string]).join(' or ')
  return Array.isArray(required) ? `with ${required.join(' and ')}` : undefined
}

/**
 * Returns a contract with changes that make the reference easier to read. Branches of `anyOf` and `oneOf` get names.
 * Limits that only mean “an ID” (2^53 - 1) are removed. Patterns are removed if they only mean “not blank” (`\S`),
 * exclude U+0000, or are longer than 80 characters. Examples are unchanged.
 */
export function readable<Value>(value: Value, name = ''): Value {
  if (Array.isArray(value))
    return value.map((each) => {
      const shown = readable(each)
      if ((name !== 'anyOf' && name !== 'oneOf') || shown.$ref || shown.title) return shown
      const title = nameOf(shown)
      return title ? { title, ...shown } : shown
    }) as Value
  if (value === null || typeof value !== 'object' || name === 'example' || name === 'examples') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => !(Math.abs(each as number) === Number.MAX_SAFE_INTEGER && /imum$/.test(key)))
      .filter(
        ([key, each]) =>
          !(key === 'pattern' && (each === '\\S' || /x00/.test(each as string) || String(each).length > 80)),
      )
      .map(([key, each]) => [key, readable(each, key)]),
  ) as Value
}
