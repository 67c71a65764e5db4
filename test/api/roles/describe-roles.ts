import { beforeAll, describe, expect, test } from '@jest/globals'
import { endpointsOf } from '../../../src/api/engine/contract.ts'
import type { Version } from '../../../src/api/engine/mount.ts'
import { ROLES, type Role } from '../../../src/domain/group/role.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'
import type { Rule } from './rule.ts'

const ONE_PAGE = {
  title: 'One',
  form: [
    { type: 'page', children: [{ idname: 'text-response', id: 'a', title: 'a', children: [{ type: 'string' }] }] },
  ],
}

/** Tests for each operation of a version which roles can call it. Call it at the top of a test file. */
export function describeRoles(
  name: string,
  { prefix, contract }: Version,
  rules: Readonly<Record<string, Rule>>,
): void {
  const world = useWorld()
  let owner: Person
  let stranger: Person
  let team: number
  const members = new Map<Role, Person>()

  beforeAll(async () => {
    owner = await world.person({ isDeveloper: true })
    stranger = await world.person()
    team = await makeGroup(owner)
    for (const role of ROLES) {
      const person = await world.person()
      members.set(role, person)
      await addMember(owner, team, person, role)
    }
  })

  /** Creates a survey that is shared with the team, and the objects that the rule needs. */
  async function createScene(rule: Rule) {
    const survey = await makeSurvey(owner, ONE_PAGE)
    await share(owner, survey, team)
    return { survey, params: { team, survey_id: survey, ...(await rule.params?.(owner, survey)) } }
  }
  type Scene = Awaited<ReturnType<typeof createScene>>

  describe(`roles of ${name}`, () => {
    const endpoints = endpointsOf(contract)

    test('has a rule for each operation', () => {
      expect(Object.keys(rules).sort()).toEqual(endpoints.map(({ operationId }) => operationId).sort())
    })

    test('operations on a survey require a role', () => {
      const named = endpoints.filter(({ path }) => path.includes('{survey_id}'))
      const free = named.filter(({ operationId }) => ['own', 'apart'].includes(rules[operationId]!.may as string))
      expect(free.map(({ operationId }) => operationId)).toEqual([])
    })

    const tested = endpoints.filter(({ operationId }) => rules[operationId] && rules[operationId].may !== 'apart')
    test.each(tested)('$operationId', async ({ operationId, method, path }) => {
      const rule = rules[operationId]!
      const call = async (who: Person, { survey, params: given }: Scene) => {
        const params = { ...given, ...(await rule.brings?.(who)) }
        const filled = path.replace(/\{(\w+)\}/g, (_, name) => String((params as Record<string, unknown>)[name]))
        const query = rule.query?.(survey) ?? ''
        return who.send(method.toUpperCase(), `${prefix}${filled}${query}`, rule.sent?.(survey, params))
      }
      const may = (role: Role) => rule.may === 'everybody' || (Array.isArray(rule.may) && rule.may.includes(role))
      const untouched = await createScene(rule)
      const missing = { operationId, who: 'stranger', status: 404 }
      expect({ operationId, who: 'stranger', status: (await call(stranger, untouched)).status }).toEqual(missing)
      for (const role of ROLES.filter((one) => !may(one))) {
        const { status, body } = await call(members.get(role)!, untouched)
        const refused = rule.may === 'own' ? { status: 404 } : { status: 403, code: 'forbidden' }
        expect({ role, status, ...(rule.may !== 'own' && { code: body?.code }) }).toEqual({ role, ...refused })
      }
      const { status: done } = await call(owner, untouched)
      if (rule.owner) expect(done).toBe(rule.owner)
      else expect(done).toBeLessThan(300)
      for (const role of ROLES.filter(may)) {
        const { status, text } = await call(members.get(role)!, await createScene(rule))
        expect({ role, text: status < 300 ? '' : text }).toEqual({ role, text: '' })
      }
    })
  })
}
