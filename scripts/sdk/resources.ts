import type { Endpoint } from './document.ts'

/** A group of operations, with a short name for each operation. */
export interface Resource {
  /** The name of the group in camel case: `contactLists`. */
  name: string
  /** The name in a sentence: `contact lists`. */
  title: string
  members: [name: string, endpoint: Endpoint][]
}

const pascal = (tag: string) => tag.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Returns the short name of an operation in its group: `listSurveys` → `list`, `createSurveyInviteCodes` →
 * `createInviteCodes`.
 */
function shortName(operationId: string, tag: string): string {
  const plural = pascal(tag)
  const [, verb = operationId, object = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? []
  const rest = object.replace(new RegExp(`${plural}$|${plural.replace(/s$/, '')}(?![a-z])|${plural}`), '')
  return verb + (tag === 'surveys' ? rest : rest.replace(/^Survey(?=[A-Z])/, ''))
}

/**
 * Groups operations by their tags.
 * @throws Error if two operations of a group would have the same name
 */
export function resourcesOf(endpoints: readonly Endpoint[]): Resource[] {
  const tags = [...new Set(endpoints.map(({ operation }) => operation.tags[0]!))]
  return tags.map((tag) => {
    const members = new Map<string, Endpoint>()
    const own = endpoints.filter(({ operation }) => operation.tags[0] === tag)
    for (const endpoint of own) {
      const { operationId } = endpoint.operation
      const name = shortName(operationId, tag)
      // A group such as collectors has operations for the whole account and operations for one survey.
      const ofSurvey =
        operationId.includes('Survey') &&
        own.some(({ operation }) => operation.operationId === operationId.replace('Survey', ''))
      const unique = ofSurvey && tag !== 'surveys' ? `${name.replace(/Survey$/, '')}ForSurvey` : name
      if (members.has(unique)) throw new Error(`${operationId} and another operation of ${tag} would be ${unique}`)
      members.set(unique, endpoint)
    }
    const name = pascal(tag)
    return { name: name[0]!.toLowerCase() + name.slice(1), title: tag.replaceAll('-', ' '), members: [...members] }
  })
}
